#!/usr/bin/env python3
"""Exact values of special functions that are compositions: writes spec/data/special.json, which
spec/special_values_spec.lua reads.

    python3 scripts/make-special-data.py      (mpmath; SciPy for the values at edges)

"exact" has by name lists of {args, want, rtol}: columns of arguments, the exact results rounded once, and by which part
of it each may be off. "edges" the same by SciPy: poles, ends, NaN and infinities. "rules"
are Gauss's: {name, n, args, nodes, weights}.
"""
import json
import math
import os
import warnings

import mpmath as mp
import numpy as np
from scipy import special

from numpy_json import one

warnings.simplefilter("ignore")
np.seterr(all="ignore")
mp.mp.dps = 40
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data")
nan, inf = float("nan"), float("inf")
rng = np.random.RandomState(7)
exact, edges = {}, {}


def uniform(a, b, n=12):
    return rng.uniform(a, b, n).tolist()


def spread(a, b, n=12):
    """Numbers from a to b of all sizes."""
    return np.exp(rng.uniform(np.log(a), np.log(b), n)).tolist()


def case(name, of, rtol, *columns):
    n = max(len(c) for c in columns if isinstance(c, list))
    columns = [c if isinstance(c, list) else [c] * n for c in columns]
    want = [float(mp.re(of(*(mp.mpf(v) if isinstance(v, float) else v for v in row)))) for row in zip(*columns)]
    exact.setdefault(name, []).append({"args": [[one(v) for v in c] for c in columns], "want": [one(v) for v in want],
                                       "rtol": rtol})


def edge(name, *rows, rtol=1e-12):
    want = [float(getattr(special, name)(*row)) for row in rows]
    edges.setdefault(name, []).append({"args": [[one(v) for v in c] for c in zip(*rows)],
                                       "want": [one(v) for v in want], "rtol": rtol})


def gammainc(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def gammaincc(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def betainc(a, b, x, complement=False):
    """The power series (DLMF 8.17.22) where it converges well, else that of the complement."""
    a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(x)
    if x * (a + b + 2) > a + 1:
        return betainc(b, a, 1 - x, not complement)
    s = t = mp.mpf(1)
    n = 0
    while abs(t) > mp.eps * s * (1 - x):
        t *= (a + b + n) / (a + 1 + n) * x
        s += t
        n += 1
    r = s * mp.exp(a * mp.log(x) + b * mp.log(1 - x) - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b)) / a
    return 1 - r if complement else r


def betaincc(a, b, x):
    return betainc(a, b, x, True)


def solved(f, start):
    """The root of f near a double, by secants."""
    x, y = start * (1 + mp.mpf(10)**-9), mp.mpf(start)
    fx, fy = f(x), f(y)
    for _ in range(20):
        if abs(x - y) < abs(y) * mp.mpf(10)**-25 or fx == fy:
            return y
        x, fx, y = y, fy, y - fy * (y - x) / (fy - fx)
        fy = f(y)
    raise ValueError("no root near %r" % start)


def near(name, *values):
    return getattr(special, name)(*map(float, values))


def boxcox(x, p):
    return mp.log(x) if p == 0 else (x**p - 1) / p


def inv_boxcox(y, p):
    return mp.exp(y) if p == 0 else (1 + p * y)**(1 / p)


def agm_cases():
    case("boxcox", boxcox, 1e-14, spread(1e-3, 1e3), uniform(-2, 2, 11) + [0.0])
    case("boxcox1p", lambda x, p: boxcox(1 + x, p), 1e-14, spread(1e-9, 1e3), uniform(-2, 2, 11) + [0.0])
    case("inv_boxcox", inv_boxcox, 1e-14, uniform(-0.4, 0.4), uniform(-2, 2, 11) + [0.0])
    case("inv_boxcox1p", lambda y, p: inv_boxcox(y, p) - 1, 1e-14, spread(1e-9, 0.3), uniform(-2, 2, 11) + [0.0])
    case("pseudo_huber", lambda d, r: d * d * (mp.sqrt(1 + (r / d)**2) - 1), 1e-15 * 2, spread(1e-3, 1e3),
         spread(1e-9, 1e9))
    case("radian", lambda d, m, s: (d + m / 60 + s / 3600) * mp.pi / 180, 1e-15, uniform(-90, 90), uniform(0, 60),
         uniform(0, 60))
    angles = uniform(-720, 720) + [30.0, -60.0, 45.0, 135.0, 1e15, 1234567.0]
    case("sindg", lambda x: mp.sin(mp.radians(x)), 5e-16, angles)
    case("cosdg", lambda x: mp.cos(mp.radians(x)), 5e-16, angles)
    case("tandg", lambda x: mp.tan(mp.radians(x)), 1e-15, angles)
    case("cotdg", lambda x: mp.cot(mp.radians(x)), 1e-15, angles)
    case("agm", mp.agm, 2e-15, spread(1e-300, 1e300), spread(1e-300, 1e300))
    case("diric", lambda x, n: mp.sin(n * x / 2) / (n * mp.sin(x / 2)), 1e-13, uniform(0.1, 6), [1., 2., 3., 7.] * 3)
    edge("boxcox", (-1., 2.), (0., 2.), (0., -1.), (-1., 0.), (inf, 0.5), (nan, 1.), (0., 0.))
    edge("inv_boxcox", (-5., 0.5), (-2., 0.5), (inf, 0.5), (inf, 0.))
    edge("pseudo_huber", (-1., 2.), (0., 2.), (1., inf), (inf, 1.), (1., nan))
    edge("agm", (-1., -2.), (-1., 2.), (0., inf), (1., inf), (0., 0.), (-1., -inf), (nan, 1.), (0., 1.))
    edge("tandg", (90.,), (270.,), (-90.,), (45.,), (180.,), (0.,))
    edge("diric", (0., 4.), (2 * np.pi, 4.), (2 * np.pi, 3.), (1., 0.), (1., 2.5), (inf, 3.))


def inverse_cases():
    case("betaincc", betaincc, 1e-13, spread(0.01, 200), spread(0.01, 200), uniform(0, 1))
    a, p = spread(0.01, 1e4, 16), uniform(0, 1, 8) + spread(1e-200, 1, 8)
    case("gammaincinv", lambda a, p: solved(lambda x: mp.log(gammainc(a, x) / p), near("gammaincinv", a, p)),
         1e-13, a, p)
    case("gammainccinv",
         lambda a, p: solved(lambda x: mp.log(gammaincc(a, x) / p), near("gammainccinv", a, p)), 1e-13, a, p)
    a, b, p = spread(0.4, 1e3, 16), spread(0.4, 1e3, 16), uniform(0, 1, 8) + spread(1e-100, 1, 8)
    case("betaincinv",
         lambda a, b, p: solved(lambda x: mp.log(betainc(a, b, x) / p),
                                near("betaincinv", a, b, p)), 1e-12, a, b, p)
    case("betainccinv",
         lambda a, b, p: 1 - solved(lambda y: mp.log(betainc(b, a, y) / p),
                                    near("betaincinv", b, a, p)), 1e-12, a, b, p)
    for name in ("gammaincinv", "gammainccinv"):
        edge(name, (2., 0.), (2., 1.), (2., -0.1), (2., 1.1), (nan, 0.5), (2., nan), (-1., 0.5), (0., 0.5))
    for name in ("betaincinv", "betainccinv"):
        edge(name, (2., 3., 0.), (2., 3., 1.), (2., 3., -0.1), (2., 3., 1.1), (nan, 1., 0.5), (-1., 1., 0.5))


def t_part(df, t):
    r = betainc(df / 2, mp.mpf(0.5), df / (df + t * t)) / 2
    return r if t < 0 else 1 - r


def distribution_cases():
    k, n = [float(v) for v in (0, 1, 3, 7, 20, 90)] * 2, [float(v) for v in (2, 5, 9, 30, 33, 100)] * 2
    p = uniform(0, 1)
    case("bdtr", lambda k, n, p: betainc(n - k, k + 1, 1 - p), 1e-13, k, n, p)
    case("bdtrc", lambda k, n, p: betainc(k + 1, n - k, p), 1e-13, k, n, p)
    case("nbdtr", lambda k, n, p: betainc(n, k + 1, p), 1e-13, k, n, p)
    case("nbdtrc", lambda k, n, p: betaincc(n, k + 1, p), 1e-13, k, n, p)
    m = spread(0.1, 100)
    case("pdtr", lambda k, m: gammaincc(k + 1, m), 2e-14, k, m)
    case("pdtrc", lambda k, m: gammainc(k + 1, m), 2e-14, k, m)
    v, x = spread(0.5, 50), spread(0.1, 100)
    case("chdtr", lambda v, x: gammainc(v / 2, x / 2), 2e-14, v, x)
    case("chdtrc", lambda v, x: gammaincc(v / 2, x / 2), 2e-14, v, x)
    case("gdtr", lambda a, b, x: gammainc(b, a * x), 1e-13, uniform(0.2, 3), v, x)
    case("gdtrc", lambda a, b, x: gammaincc(b, a * x), 1e-13, uniform(0.2, 3), v, x)
    d = spread(0.5, 50)
    case("fdtr", lambda n, d, x: betainc(n / 2, d / 2, n * x / (d + n * x)), 1e-13, v, d, spread(1e-3, 1e3))
    case("fdtrc", lambda n, d, x: betainc(d / 2, n / 2, d / (d + n * x)), 1e-13, v, d, spread(1e-3, 1e3))
    t = uniform(-9, 9, 8) + [-1e-3, 1e-12, -1e5, 40.0]
    case("stdtr", t_part, 1e-13, v, t)
    q = uniform(0, 1, 8) + [1e-9, 0.5 + 1e-7, 0.4999999, 1e-3]
    case("stdtrit", lambda df, p: solved(lambda t: t_part(df, t) - p, near("stdtrit", df, p)), 1e-12, v, q)
    case("chdtri", lambda v, p: solved(lambda x: mp.log(gammaincc(v / 2, x / 2) / p), near("chdtri", v, p)),
         1e-13, v, q)
    case("pdtri", lambda k, p: solved(lambda m: mp.log(gammaincc(k + 1, m) / p), near("pdtri", k, p)), 1e-13,
         k, q)
    case("gdtrix", lambda a, b, p: solved(lambda x: mp.log(gammainc(b, a * x) / p),
                                          near("gdtrix", a, b, p)), 1e-13, m, v, q)
    case("fdtri", lambda n, d, p: solved(lambda x: mp.log(betainc(n / 2, d / 2, n * x / (d + n * x)) / p),
                                         near("fdtri", n, d, p)), 1e-12, v, d, q)
    case("bdtri", lambda k, n, y: solved(lambda p: mp.log(betainc(n - k, k + 1, 1 - p) / y),
                                         near("bdtri", k, n, y)), 1e-12, k, n, q)
    case("nbdtri", lambda k, n, y: solved(lambda p: mp.log(betainc(n, k + 1, p) / y),
                                          near("nbdtri", k, n, y)), 1e-12, k, n, q)
    distribution_edges()


def distribution_edges():
    rows = [(-1., 3, 0.5), (3., 3, 0.5), (1., 3, 2.0), (4., 3, 0.5), (1.5, 3, 0.25), (1., 3, 0.), (1., 3, 1.),
            (1., 3, nan)]
    edge("bdtr", *rows)
    edge("bdtrc", *rows)
    for name in ("chdtrc", "gdtr", "gdtrc", "fdtr", "fdtrc"):
        edge(name, *[(2.,) * (1 if name == "chdtrc" else 2) + (x,) for x in (-1., 0., inf, nan)])
    edge("pdtr", (-1., 2.), (1., -2.), (1., 0.), (2.5, 1.))
    edge("pdtrc", (-1., 2.), (1., -2.), (1., 0.), (2.5, 1.))
    edge("stdtr", (2., inf), (2., -inf), (inf, 1.), (0., 1.), (-1., 1.), (3., 0.), (3., nan))
    edge("stdtrit", (3., 0.5), (3., 0.), (3., 1.), (inf, 0.3))
    edge("chdtri", (2., 0.), (2., 1.), (2., -1.), (2., 2.))


def polynomial_cases():
    """Columns of a first argument that is whole."""
    n = [0, 1, 2, 3, 7, 12, 30]
    x, far = uniform(-1, 1, 7), uniform(0.1, 30, 7)
    a, b = uniform(-0.9, 3, 7), uniform(0.1, 3, 7)
    case("eval_legendre", mp.legendre, 1e-13, n, x)
    case("eval_sh_legendre", lambda n, x: mp.legendre(n, 2 * x - 1), 1e-13, n, b)
    case("eval_chebyt", mp.chebyt, 1e-13, n, x)
    case("eval_chebyu", mp.chebyu, 1e-13, n, x)
    case("eval_chebyc", lambda n, x: 2 * mp.chebyt(n, x / 2), 1e-13, n, b)
    case("eval_chebys", lambda n, x: mp.chebyu(n, x / 2), 1e-13, n, b)
    case("eval_sh_chebyt", lambda n, x: mp.chebyt(n, 2 * x - 1), 1e-13, n, b)
    case("eval_sh_chebyu", lambda n, x: mp.chebyu(n, 2 * x - 1), 1e-13, n, b)
    case("eval_hermite", mp.hermite, 1e-13, n, b)
    case("eval_hermitenorm", lambda n, x: mp.hermite(n, x / mp.sqrt(2)) * mp.mpf(2)**(-mp.mpf(n) / 2), 1e-13, n, b)
    case("eval_laguerre", lambda n, x: mp.laguerre(n, 0, x), 1e-12, n, far)
    case("eval_genlaguerre", mp.laguerre, 1e-12, n, a, far)
    case("eval_gegenbauer", mp.gegenbauer, 1e-13, n, b, x)
    case("eval_jacobi", mp.jacobi, 1e-12, n, a, b, x)
    case("eval_sh_jacobi", lambda n, p, q, x: mp.jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n),
         1e-12, n,
         [v + 3 for v in b], b, x)


def counting_cases():
    n = [float(v) for v in (0, 1, 2, 3, 9, 30, 77, 170)]
    case("factorial2", mp.fac2, 4e-15, n)
    case("factorialk", lambda n, k: mp.fprod(mp.mpf(v) for v in range(int(n), 0, -int(k))), 3e-14,
         n + n, [3.] * 8 + [5.] * 8)
    edge("factorial2", (-1,), (-2,), (-3,))


def rule(name, n, a, b, total, *args):
    """Nodes and weights by Newton's steps from SciPy's nodes with 40 digits."""
    nodes, weights = getattr(special, "roots_" + name)(n, *args)[0], []
    exact_nodes = []
    for x in nodes:
        x = mp.mpf(float(x))
        for _ in range(5):
            p, q, dp, dq, s = 1 / mp.sqrt(total), mp.mpf(0), mp.mpf(0), mp.mpf(0), mp.mpf(0)
            for k in range(n):
                s += p * p
                d, low, up = x - a(k), b(k) if k else 0, b(k + 1)
                p, q, dp, dq = (d * p - low * q) / up, p, (p + d * dp - low * dq) / up, dp
            x -= p / dp
        exact_nodes.append(float(x) if abs(x) > 1e-30 else 0.0)
        weights.append(float(1 / s))
    rules.append({"name": "roots_" + name, "n": n, "args": list(args), "nodes": exact_nodes, "weights": weights})


def rules_of_gauss():
    mpf, zero = mp.mpf, lambda k: mp.mpf(0)
    for n in (1, 2, 5, 40):
        rule("legendre", n, zero, lambda k: k / mp.sqrt(4 * mpf(k)**2 - 1), mpf(2))
        rule("hermite", n, zero, lambda k: mp.sqrt(mpf(k) / 2), mp.sqrt(mp.pi))
        rule("hermitenorm", n, zero, lambda k: mp.sqrt(mpf(k)), mp.sqrt(2 * mp.pi))
        rule("laguerre", n, lambda k: mpf(2 * k + 1), lambda k: mpf(k), mpf(1))
        rule("genlaguerre", n, lambda k: 2 * k + mpf(1.5), lambda k: mp.sqrt(k * (k + mpf(0.5))), mp.gamma(1.5), 0.5)
        rule("chebyt", n, zero, lambda k: mp.sqrt(mpf(1 + (k == 1)) / 4), mp.pi)
        rule("chebyu", n, zero, lambda k: mpf(0.5), mp.pi / 2)
        s = mpf(0.75)
        rule("jacobi", n, lambda k: (mpf(0.25)**2 - mpf(0.5)**2) / ((2 * k + s) * (2 * k + s + 2)),
             lambda k: 2 / (2 * k + s) * mp.sqrt(k * (k + mpf(0.5)) * (k + mpf(0.25)) * (k + s) / ((2 * k + s)**2 - 1)),
             2**(s + 1) * mp.beta(1.5, 1.25), 0.5, 0.25)


def bessel_cases():
    x = spread(1e-9, 2) + uniform(0.5, 3, 6) + uniform(3, 8, 8) + uniform(8, 60, 8) + spread(60, 1e5, 6)
    for n in (0, 1):
        size = (lambda n: lambda x: mp.bessely(n, x))(n)
        case("y%d" % n, size, 2e-13, x)
        case("k%d" % n, (lambda n: lambda x: mp.besselk(n, x))(n), 3e-15 * 2, [v for v in x if v < 500])
        case("k%de" % n, (lambda n: lambda x: mp.besselk(n, x) * mp.exp(x))(n), 3e-15, x)
    orders = [0, 1, 2, 5, 10, 30, -3] * 2
    z = uniform(0.1, 5, 7) + uniform(5, 100, 7)
    case("yn", mp.bessely, 1e-12, orders, z)
    case("kn", mp.besselk, 2e-14, orders, z)
    case("spherical_jn", lambda n, z: mp.sqrt(mp.pi / 2 / z) * mp.besselj(n + mp.mpf(0.5), z), 1e-12,
         [abs(v) for v in orders], z)
    case("spherical_yn", lambda n, z: mp.sqrt(mp.pi / 2 / z) * mp.bessely(n + mp.mpf(0.5), z), 1e-12,
         [abs(v) for v in orders], z)
    case("jvp", lambda v, z: (mp.besselj(v - 1, z) - mp.besselj(v + 1, z)) / 2, 1e-12, uniform(0.5, 6), z[:12])
    case("ivp", lambda v, z: (mp.besseli(v - 1, z) + mp.besseli(v + 1, z)) / 2, 2e-14, uniform(0.5, 6), z[:12])
    case("yvp", lambda v, z: (mp.bessely(v - 1, z) - mp.bessely(v + 1, z)) / 2, 1e-12, orders, z)
    case("kvp", lambda v, z: -(mp.besselk(v - 1, z) + mp.besselk(v + 1, z)) / 2, 2e-14, orders, z)
    for name in ("y0", "y1", "k0", "k1", "k0e", "k1e"):
        edge(name, (0.,), (-1.,), (inf if "k" in name else nan,), (nan,), (1e-320,))


def integral_cases():
    n = [0, 1, 2, 3, 7, 30, 100] * 3
    case("expn", mp.expint, 2e-14, n, spread(1e-9, 2, 7) + uniform(0.5, 5, 7) + spread(2, 600, 7))
    x = [s * v for s in (1, -1) for v in spread(1e-9, 1, 8) + uniform(0, 6, 8) + spread(5, 1e9, 8)]
    case("dawsn", lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x) if abs(x) < 1e3 else
         1 / (2 * x) + 1 / (4 * x**3) + 3 / (8 * x**5), 2e-15, x)
    case("erfi", mp.erfi, 2e-13, [v for v in x if abs(v) < 26])
    case("spence", lambda x: mp.re(mp.polylog(2, 1 - x)), 4e-15,
         spread(1e-9, 1, 8) + uniform(0, 4, 8) + spread(4, 1e9, 8))
    for name, parts in (("sici", (mp.si, lambda x: mp.ci(abs(x)))), ("shichi", (mp.shi, lambda x: mp.chi(abs(x)))),
                        ("fresnel", (mp.fresnels, mp.fresnelc))):
        some = [v for v in x if abs(v) < (600 if name == "shichi" else 1e6)]
        for i in (0, 1):
            case("%s %d" % (name, i + 1), parts[i], 2e-13 if name != "fresnel" else 2e-14, some)
    edge("dawsn", (0.,), (inf,), (-inf,), (nan,))
    edge("erfi", (0.,), (inf,), (-inf,), (nan,), (30.,))
    edge("spence", (0.,), (1.,), (-1.,), (nan,), (2.,))


def elliptic_cases():
    x, y, z = spread(1e-9, 1e9), spread(1e-9, 1e9), spread(1e-9, 1e9)
    case("elliprf", mp.elliprf, 1e-15, x + [0.0, 1e-200], y + [2.0, 1.0], z + [3.0, 1e200])
    case("elliprd", mp.elliprd, 1e-15, x + [0.0], y + [2.0], z + [3.0])
    case("elliprc", lambda x, y: mp.re(mp.elliprc(x, y)), 1e-15, x + x, y + [-v for v in z])
    phi, m = uniform(-12, 12) + spread(1e-9, 1.57), uniform(-3, 1) + [1 - v for v in spread(1e-12, 0.5)]
    case("ellipkinc", mp.ellipf, 2e-15, phi, m)
    case("ellipeinc", mp.ellipe, 2e-15, phi, m)
    case("ellipkm1", lambda p: mp.ellipk(1 - p), 2e-15, spread(1e-30, 10))
    u, m = uniform(-9, 9), uniform(0, 1, 6) + [1 - v for v in spread(1e-6, 0.1, 6)]
    for i, name in enumerate(("sn", "cn", "dn")):
        case("ellipj %d" % (i + 1), (lambda f: lambda u, m: mp.ellipfun(f, u, m=m))(name), 1e-12, u, m)
    case("lambertw", lambda z: mp.re(mp.lambertw(z)), 5e-15, spread(1e-12, 1e300) + [-v for v in spread(1e-12, 0.36787)]
         + [v - float(mp.exp(-1)) for v in spread(1e-13, 0.1)])
    edge("elliprf", (0., 0., 1.), (-1., 1., 2.), (inf, 1., 2.), (nan, 1., 2.), (0., 1., 1.))
    edge("elliprd", (0., 0., 1.), (-1., 1., 2.), (1., 2., 0.), (nan, 1., 2.), (inf, 1., 2.))
    edge("elliprc", (1., 0.), (-1., 1.), (nan, 1.), (0., 1.), (1., inf))
    edge("ellipkinc", (2., 1.), (1., 1.5), (nan, 0.5), (0., 0.5), (-1., 1.))
    edge("ellipeinc", (2., 1.), (1., 1.5), (nan, 0.5), (0., 0.5), (-1., 1.))
    edge("ellipkm1", (0.,), (-1.,), (nan,), (1.,))


def order_cases():
    x = spread(1e-12, 1, 14) + uniform(0.5, 30, 14) + spread(30, 650, 8)
    v = (uniform(0, 1, 4) + uniform(0, 40, 5) + [-2.5, 3.0, 0.0, 0.5, 1.0]) * 2 + uniform(0, 60, 8)
    case("kv", mp.besselk, 1e-13, v, x)
    case("kve", lambda v, x: mp.besselk(v, x) * mp.exp(x), 1e-13, v + [0.3, 99.5, 1.5], x + [1e5, 1e4, 1e30])
    case("ive", lambda v, x: mp.besseli(v, x) * mp.exp(-x), 1e-13, uniform(0, 60, 30), x[14:] + spread(650, 1e6, 8))
    case("jve", mp.besselj, 1e-12, uniform(0, 6), uniform(0, 20))
    n = [0, 1, 2, 5, 10, 30, 3] * 2
    z = uniform(0.1, 5, 7) + uniform(5, 100, 7)
    case("spherical_in", lambda n, z: mp.sqrt(mp.pi / 2 / z) * mp.besseli(n + mp.mpf(0.5), z), 2e-14, n, z)
    case("spherical_kn", lambda n, z: mp.sqrt(mp.pi / 2 / z) * mp.besselk(n + mp.mpf(0.5), z), 2e-14, n, z)
    above, below = spread(1e-9, 1, 6) + uniform(0.5, 6, 8) + spread(6, 90, 6), uniform(-20, 0, 10) + uniform(-1.5, 0, 4)
    for i, f in enumerate((mp.airyai, lambda x: mp.airyai(x, derivative=1), mp.airybi,
                           lambda x: mp.airybi(x, derivative=1))):
        size = (lambda f, s: lambda x: f(x) * mp.exp(s * mp.mpf(2) / 3 * x * mp.sqrt(x)))(f, 1 if i < 2 else -1)
        case("airy %d" % (i + 1), f, 1e-12, above + below)
        case("airye %d" % (i + 1), size, 2e-14, above)
    for name in ("kv", "kve"):
        edge(name, (0., 0.), (1.5, -1.), (nan, 1.), (1.5, nan), (2.5, 0.))
    edge("ive", (0., 0.), (2., -3.), (3., -3.), (1.5, -1.), (nan, 1.))


def quotient_cases():
    """Quotients of gamma functions beside poles, of large and of tiny arguments; what many degrees of freedom are."""
    case("poch", mp.rf, 2e-13, [1e10, -700., 1e20, -3., 1e8, 1e15, -1e-10, -5.5, 0.1, 100., 1e5, -2.] + uniform(-20, 20)
         + spread(1e-8, 1e10), [-.5, 50., 1e-3, -1., 3., 2., 2., 8., 150., .25, -3., -7.] + uniform(-20, 20)
         + uniform(-9, 9))
    case("perm", lambda n, k: mp.gamma(n + 1) / mp.gamma(n - k + 1), 1e-13, [v + 9 for v in spread(1e-3, 1e12)],
         [float(v) for v in rng.randint(0, 9, 12)])
    case("binom", mp.binomial, 1e-14, spread(1e-12, 40) + [-v for v in spread(1e-12, 0.99)],
         [float(v) for v in rng.randint(1, 40, 12)] + [float(round(v)) for v in spread(1, 1e5)])
    case("zeta", mp.zeta, 1e-14, [-v for v in spread(1e-300, 0.5)] + uniform(-1.9, 1))
    df, t = spread(5e4, 1e17), uniform(-9, 4)

    def part(df, t):
        c = mp.exp(mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2)) / mp.sqrt(df * mp.pi)
        return c * mp.quad(lambda x: mp.exp(-(df + 1) / 2 * mp.log1p(x * x / df)), list(range(-36, math.ceil(t))) + [t])

    p = [float(part(mp.mpf(a), mp.mpf(b))) for a, b in zip(df, t)]
    case("stdtr", part, 2e-13, df, t)
    case("stdtrit", lambda n, q: mp.findroot(lambda x: mp.log(part(n, x) / q), special.stdtrit(1e4, float(q))), 1e-12,
         df, p)
    edge("gammainc", (2., 1e300), (0.5, 1e16), (1e7, 1e12))
    edge("gammaincc", (2., 1e300), (0.5, 1e16), (1e7, 1e12))
    edge("poch", (-3., 6.5), (2., 0.), (-2., 2.), (-2., 3.), (nan, 1.), (1., nan), (0., 0.), (3., -3.))
    edge("stdtr", (1e300, -2.), (1e20, 30.))
    edge("pseudo_huber", (nan, 2.), (2., nan))


def hypergeometric_cases():
    x = spread(1e-6, 1e4, 8) + [-v for v in spread(1e-6, 1e4, 8)]
    case("hyp0f1", mp.hyp0f1, 5e-14, uniform(-5, 12, 16), x)
    a, b = uniform(-3, 8, 16), uniform(0.1, 9, 16)
    case("hyp1f1", mp.hyp1f1, 1e-12, a + [-3., 2., -4., 1.5], b + [2.5, 2., -6., 0.5],
         uniform(-30, 30, 8) + spread(30, 400, 4) + [-v for v in spread(30, 400, 4)] + [7., 300., 2., 0.])
    z = uniform(-1, 1, 8) + [1 - v for v in spread(1e-9, 0.1, 4)] + [-v for v in spread(1, 1e3, 4)]
    case("hyp2f1", mp.hyp2f1, 1e-12, a, uniform(-3, 8, 16), b, z)
    whole = [float(v) for v in rng.randint(1, 6, 16)], [float(v) for v in rng.randint(1, 6, 16)]
    case("hyp2f1", mp.hyp2f1, 1e-12, *whole, [float(v) / 2 for v in rng.randint(1, 20, 16)], z)
    case("hyp2f1", mp.hyp2f1, 1e-13, [-2., -3., 1., .5], [1., 4., 1., .25], [3., -5., 3.5, 1.5], [5., .7, 1., 1.])
    edge("hyp0f1", (1.5, 0.), (nan, 1.), (1.5, nan))
    edge("hyp1f1", (1.5, 2.5, 0.), (nan, 1., 1.), (1., 2., nan), (1., -5., 2.), (-3., -5., 2.))
    edge("hyp2f1", (1.5, 1., 2.5, 0.), (nan, 1., 1., .5), (1., 2., 3., nan), (1., 2., 3., 1.), (2., 1., -4., .5),
         (-2., 1., -4., .5))
    x = uniform(-5, 5, 12) + spread(1e-6, 1e6, 8)
    sigma, gamma = spread(1e-3, 10, 20), spread(1e-6, 10, 20)

    def voigt(x, sigma, gamma):
        z = mp.mpc(x, gamma) / (sigma * mp.sqrt(2))
        return mp.re(mp.exp(-z * z) * mp.erfc(-1j * z)) / (sigma * mp.sqrt(2 * mp.pi))

    with mp.workdps(60):
        case("voigt_profile", lambda x, s, g: voigt(x, s, g) if (x * x + g * g) < 400 * s * s else
             mp.quad(lambda t: mp.npdf(t, 0, s) * g / mp.pi / ((x - t)**2 + g * g), [-9 * s, 0, 9 * s]), 1e-13,
             x, sigma, gamma)
    edge("voigt_profile", (0.3, 0., 1.), (2., 0., 1.), (0., 1., 0.), (1., 1., 0.), (0., 0., 0.), (1., 0., 0.),
         (nan, 1., 1.), (1e200, 1., 1.), (inf, 1., 1.), (1., inf, 1.), (1., 1., inf), (1., 1e-300, 1.))


def lost_cases():
    """Where a difference of what is nearly equal, or an end of the doubles, took digits."""
    case("poch", mp.rf, 1e-15, [-1e-10, -1e-10, -1e-300, 1e-300, -3 + 1e-10, -1.0000000001, 1e-12, -6.999999999],
         [1., 2., 1., 3., 2., 1., 8., 8.])
    case("spence", lambda x: mp.re(mp.polylog(2, 1 - x)), 2e-15,
         [1 + 1e-9, 1 - 1e-9, 1 + 1e-13, 1.0001, 1.99, 2.01, 1.7e308])
    v = [0.5, 2.5, 0., 1.]
    case("ive", lambda v, x: 1 / mp.sqrt(2 * mp.pi * x), 1e-15, v, [1e301, 1e305, 1.7e308, 2e300])
    case("kve", lambda v, x: mp.sqrt(mp.pi / 2 / x), 1e-15, v, [1e301, 1e305, 1.7e308, 2e300])
    small = spread(1e-30, 1e-6, 6) + [1e-300, 3e-6]

    def rest(b, a, y):
        return mp.betainc(mp.mpf(b), mp.mpf(a), 0, mp.mpf(y), regularized=True)

    with mp.workdps(340):
        case("betaincc", lambda a, b, x: rest(b, a, 1 - x), 5e-15, small, spread(1, 50, 8), uniform(0, 0.9, 8))
        case("fdtrc", lambda n, d, x: rest(d / 2, n / 2, d / (d + n * x)), 5e-15, small, spread(2, 50, 8),
             spread(0.1, 9, 8))
        case("fdtr", lambda n, d, x: 1 - rest(d / 2, n / 2, d / (d + n * x)), 5e-15, spread(2, 50, 8), small,
             [1 / v for v in spread(0.1, 9, 8)])

    def below(n, d, x):
        """By t = -log(1 - x): the integrand is a power times an exponential times what is nearly 1."""
        a, b = n / 2, d / 2
        u = b * mp.log1p(n * x / d)

        def f(t):
            return mp.exp((a - 1) * mp.log(-b * mp.expm1(-t / b)) - t)
        size = a * mp.log(b) + mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
        return mp.quad(f, [0, u / 4, u / 2, 3 * u / 4, u]) / mp.exp(size)

    n, d, x = [25., 3., 7.5, 2., 100., 12.], [1e8, 1e15, 3e4, 1e20, 1e6, 1e12], [1.2, 0.1, 0.8, 2.5, 1.05, 0.5]
    case("fdtr", below, 1e-13, n, d, x)
    case("fdtrc", lambda d, n, x: below(n, d, 1 / x), 1e-13, d, n, [1 / v for v in x])


def second_cases():
    v, x = uniform(0, 60, 12) + [0., 1., 7., 2. + 1e-7, 0.5], spread(1e-6, 1, 4) + uniform(1, 90, 8)
    x = x + [3., 1e-9, 20., 5., 2.]
    v, x = v + uniform(0, 3, 4) + [60., 45., 0.3, 0.7], x + spread(90, 1e6, 4) + [630., 400., 1e-12, 1e-200]
    case("yv", mp.bessely, 1e-12, v + [-0.3, -2.5, -3., -40.2], x + [2., 4., 1., 30.])
    edge("yv", (0., 0.), (2.5, 0.), (1., -1.), (1., nan), (nan, 1.), (60., 1e-9), rtol=1e-12)


bessel_cases()
integral_cases()
rules = []
polynomial_cases()
counting_cases()
rules_of_gauss()
agm_cases()
inverse_cases()
distribution_cases()
elliptic_cases()
order_cases()
quotient_cases()
hypergeometric_cases()
lost_cases()
second_cases()
with open(os.path.join(ROOT, "special.json"), "w") as out:
    out.write("{")
    for key, table in (("exact", exact), ("edges", edges)):
        out.write('%s"%s": {\n' % ("" if key == "exact" else ",\n", key))
        lines = ['"%s": [%s]' % (name, ",\n  ".join(json.dumps(c) for c in table[name])) for name in sorted(table)]
        out.write(",\n".join(lines) + "}")
    out.write(',\n"rules": [\n%s]}\n' % ",\n".join(json.dumps(r) for r in rules))
print(sum(len(v) for v in exact.values()), "lists of exact values,", sum(len(v) for v in edges.values()), "of edges")
