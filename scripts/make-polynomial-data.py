#!/usr/bin/env python3
"""What NumPy's series answer: writes spec/data/polynomial.json, which spec/polynomial_spec.lua runs.

    python3 scripts/make-polynomial-data.py        (NumPy 2; what is committed comes from NumPy 2.4)

Of the form that scripts/make-scipy-data.py describes; `polynomial` in a call is numpy.polynomial.
"""
import warnings

import numpy as np
from numpy import polynomial

from lua_calls import lua
from numpy_json import plain, write

warnings.simplefilter("ignore")
rng = np.random.RandomState(7)
X = {
    "a": rng.uniform(-2, 2, 5), "b": rng.uniform(-2, 2, 3), "one": np.array([2.5]), "zero": np.array([0.0]),
    "tail": np.array([1.0, 2.0, 0.0, 0.0]), "whole": np.array([1, 2, 3]), "single": rng.uniform(-1, 1, 4).astype("f4"),
    "complex": rng.uniform(-1, 1, 3) + 1j * rng.uniform(-1, 1, 3), "m": rng.uniform(-1, 1, (4, 3)),
    "cube": rng.uniform(-1, 1, (3, 2, 4)), "x": np.linspace(-0.9, 0.95, 7), "y": rng.uniform(-1, 1, 7),
    "grid": rng.uniform(-1, 1, (2, 3)), "far": np.linspace(2, 9, 9), "values": rng.uniform(-1, 1, 9),
    "columns": rng.uniform(-1, 1, (9, 2)), "w": rng.uniform(0.5, 2, 9), "real": np.array([0.5, -0.25, 0.75]),
    "third": np.array([1.0, 3.0]),
}
FAMILIES = (("polynomial", "poly", "Polynomial"), ("chebyshev", "cheb", "Chebyshev"), ("legendre", "leg", "Legendre"),
            ("hermite", "herm", "Hermite"), ("hermite_e", "herme", "HermiteE"), ("laguerre", "lag", "Laguerre"))
cases = []


def case(call, rtol=1e-12):
    value = eval(call, {"polynomial": polynomial, **X})
    results = value if isinstance(value, tuple) else (value,)
    cases.append({"call": lua(call), "rtol": rtol, "want": [plain(v) for v in results]})


def functions(module, p):
    def of(name, args, rtol=1e-12):
        case("polynomial.%s.%s(%s)" % (module, name.replace("@", p), args), rtol)

    for c in ("a", "one", "whole", "single", "complex", "tail"):
        rtol = 1e-5 if c == "single" else 1e-12
        of("@val", "x, " + c, rtol)
        of("@mulx", c, rtol)
        of("@der", c, rtol)
        of("@int", c, rtol)
        of("@mul", c + ", b", rtol)
        of("@add", c + ", b", rtol)
    of("@int", "zero")
    of("@val", "0.5, a")
    of("@val", "grid, m")
    of("@val", "b, m, tensor=False")
    of("@val2d", "x, y, m"), of("@val3d", "x, y, x, cube")
    of("@grid2d", "x, b, m"), of("@grid3d", "b, x, b, cube")
    of("@vander", "grid, 4"), of("@vander2d", "x, y, [1, 2]"), of("@vander3d", "x, y, y, [1, 2, 1]")
    of("@sub", "b, a"), of("@div", "a, b", 1e-10), of("@div", "b, a"), of("@div", "a, one"), of("@pow", "b, 3")
    of("@pow", "b, 0"), of("@line", "1.5, 2.0"), of("@line", "1.5, 0.0"), of("@trim", "tail")
    of("@der", "a, 2, scl=0.5"), of("@der", "a, 7"), of("@der", "m, axis=1")
    of("@int", "a, 2, [1.0, 2.0], lbnd=0.5, scl=2.0"), of("@int", "m, axis=1"), of("@int", "m, 2, k=[3.0]")
    of("@fromroots", "real"), of("@roots", "a", 1e-10), of("@roots", "third"), of("@roots", "one"), of("@roots", "tail")
    of("@companion", "a")
    of("@fit", "x, y, 3", 1e-9), of("@fit", "far, columns, 2", 1e-8), of("@fit", "far, values, 2, w=w", 1e-8)
    of("@fit", "x, y, [0, 2]", 1e-10)
    if module == "polynomial":
        return
    of("@weight", "x" if module != "laguerre" else "far")
    for n in (1, 2, 5, 20):
        of("@gauss", str(n), 1e-9 if module == "laguerre" and n == 20 else 1e-11)
    of("poly2@", "a"), of("@2poly", "a"), of("poly2@", "one"), of("@2poly", "one")


def classes(name):
    new = "polynomial.%s" % name
    of = "%s(%%s, domain=[0.5, 4.0])" % new
    p, q = of % "a", of % "b"
    for sign in "+-*":
        case("(%s %s %s).coef" % (p, sign, q))
    case("(%s // %s).coef" % (p, q), 1e-9), case("(%s %% %s).coef" % (p, q), 1e-9)
    case("(%s * 2.0).coef" % p), case("(1.0 - %s).coef" % p), case("(%s / 4.0).coef" % p), case("(%s ** 2).coef" % q)
    case("(%s)(far)" % p), case("%s.deriv(2).coef" % p), case("%s.integ(2, k=[1.0], lbnd=1.0).coef" % p, 1e-11)
    case("%s.roots()" % p, 1e-9), case("%s.mapparms()" % p), case("%s.linspace(5)" % p)
    case("%s.fit(far, values, 3).coef" % new, 1e-9), case("%s.fit(far, values, 3).domain" % new)
    case("%s.fit(far, values, 2, domain=[0.0, 10.0], w=w).coef" % new, 1e-9)
    case("%s.fromroots(real).coef" % new), case("%s.fromroots(real, domain=[0.0, 2.0]).coef" % new)
    case("%s.basis(3).coef" % new), case("%s.identity(domain=[1.0, 3.0]).coef" % new)
    for _, _, kind in FAMILIES:
        case("%s.convert(kind=polynomial.%s).coef" % (of % "b", kind), 1e-11)
    case("%s.convert(domain=[-1.0, 2.0]).coef" % p, 1e-11)
    case("%s.truncate(2).coef" % p), case("%s.cutdeg(2).coef" % p), case("%s.trim(1.5).coef" % (of % "a"))
    case("%s.cast(polynomial.Chebyshev(b)).coef" % new)


for module, prefix, kind in FAMILIES:
    functions(module, prefix)
    classes(kind)
case("polynomial.chebyshev.chebpts1(4)"), case("polynomial.chebyshev.chebpts2(5)")
case("polynomial.polyutils.getdomain(far)"), case("polynomial.polyutils.getdomain(complex)")
case("polynomial.polyutils.mapparms([0.0, 1.0], [2.0, 5.0])")
case("polynomial.polyutils.mapdomain(x, [-1.0, 1.0], [0.0, 4.0])")
case("polynomial.polyutils.trimcoef(a, 1.0)"), case("polynomial.polyutils.trimseq(tail)")


if __name__ == "__main__":
    write("polynomial", ("numpy", np.__version__), X, cases)
