#!/usr/bin/env python3
"""Writes spec/data/ops.json: what NumPy answers for every elementwise operation, dtype by dtype, on special values.

    python3 scripts/make-ops-data.py            (needs NumPy, SciPy and mpmath; running the specs does not)

The file holds `values` (the inputs of each dtype), `unary` {operation: {dtype: answers}}, `binary` the same over all
pairs of values (first operand outermost), `special` {operation: {a, b, out}} (two float64, by SciPy), `cast`
{from: {to: answers}} and `reduce` {operation: {dtype: answers}} over rows of `rows`. Functions of real numbers are
computed in float64, of complex numbers in complex128, and are met within a few units in the last place; everything else
is exact. Infinities and NaN are texts, complex numbers pairs, integers above 2**63-1 decimal texts.
"""
import json
import os

import numpy as np
from mpmath import mp
from scipy import special

np.seterr(all="ignore")
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
nan, inf = float("nan"), float("inf")


def values(dtype):
    if dtype == "bool":
        return np.array([False, True])
    if dtype in INTS:
        info = np.iinfo(dtype)
        few = [0, 1, 2, 3, 7, 100, info.max, info.max - 1] + ([-1, -2, -7, info.min] if dtype[0] == "i" else [])
        return np.array(few, dtype)
    if dtype in FLOATS:
        big = float(np.finfo(dtype).max)
        few = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, -0.7, 3.25, -7.75, 20.0, -20.0, 88.0, -88.0]
        few += [1e-5, 1e10]
        return np.array(few + [big, -big, inf, -inf, nan], dtype)
    return np.array([0, 1, -1, 1j, 2 - 3j, -0.5 + 0.25j, 1e3 + 1e-3j], dtype)


def plain(x):
    """An array as JSON."""
    def one(v):
        if isinstance(v, (np.bool_, bool)):
            return bool(v)
        if isinstance(v, np.integer):
            return int(v) if int(v) <= 2**63 - 1 else str(int(v))
        if isinstance(v, np.complexfloating):
            return [one(v.real), one(v.imag)]
        v = float(v)
        if v != v:
            return "nan"
        return ("inf" if v > 0 else "-inf") if v in (inf, -inf) else v
    return [one(v) for v in np.asarray(x).ravel()]


def half_away(x):
    return np.where(x >= 0, np.floor(np.abs(x) + 0.5), -np.floor(np.abs(x) + 0.5))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.where(x > 40, x, np.log1p(np.exp(np.minimum(x, 40))))


def erf(x):
    from math import erf as e
    return np.array([e(v) for v in np.asarray(x, "float64")])


def erfc(x):
    from math import erfc as e
    return np.array([e(v) for v in np.asarray(x, "float64")])


def exactly(f, order, at_infinity):
    """A Bessel function by mpmath: SciPy's lose digits from 1e6 on and are NaN at infinity."""
    def one(v):
        if v != v:
            return v
        if abs(v) == inf or (f is mp.besseli and abs(v) > 800):
            return -at_infinity if v < 0 and order else at_infinity
        with mp.workdps(60 if f is mp.besseli or abs(v) < 1e200 else 350):
            return float(f(order, mp.mpf(float(v))))
    return lambda x: np.array([one(v) for v in np.asarray(x, "float64")])


def exp2(x):
    return np.exp2(x) if np.isrealobj(x) else np.exp2(x.real) * np.exp(1j * np.log(2) * x.imag)


# Functions of a real number: computed in float64, met nearly.
REAL = {name: getattr(np, name) for name in (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh sqrt "
    "deg2rad rad2deg").split()}
REAL.update(exp2=exp2, sigmoid=sigmoid, softplus=softplus, erf=erf, erfc=erfc, inv=lambda x: 1 / x)

REAL["cbrt"] = np.cbrt
REAL.update(erfcx=special.erfcx, erfinv=special.erfinv, erfcinv=special.erfcinv, gamma=special.gamma,
            gammaln=special.gammaln, psi=special.psi, tri_gamma=lambda x: special.polygamma(1, x),
            j0=exactly(mp.besselj, 0, 0.0), j1=exactly(mp.besselj, 1, 0.0),
            i0=exactly(mp.besseli, 0, inf), i1=exactly(mp.besseli, 1, inf))
# Those with a complex form.
COMPLEX_FORMS = ("exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh "
                 "arctanh sqrt inv").split()
SPECIAL = {"jv": special.jv, "iv": special.iv, "gammainc": special.gammainc, "gammaincc": special.gammaincc,
           "gammal": lambda k, x: special.gammainc(k, x) * special.gamma(k),
           "gammau": lambda k, x: special.gammaincc(k, x) * special.gamma(k),
           "chi2sf": lambda x, k: np.where(k > 0, special.chdtrc(k, np.maximum(x, 0)), nan)}

# Exact ones, in the dtype of the input; for which kinds (b bool, i integers, f floats, c complex).
EXACT = {
    "neg": (np.negative, "ifc"), "sqr": (np.square, "ifc"), "abs_": (np.abs, "if"), "sgn": (np.sign, "if"),
    "ceil": (np.ceil, "f"), "floor": (np.floor, "f"), "trunc": (np.trunc, "f"), "round_half_to_even": (np.rint, "f"),
    "round_half_away_from_zero": (half_away, "f"), "isnan": (np.isnan, "bifc"), "isinf": (np.isinf, "bifc"),
    "invert": (np.invert, "bi"), "conj": (np.conj, "c"), "real": (np.real, "c"), "imag": (np.imag, "c"),
    "angle": (np.angle, "c"), "isfinite": (np.isfinite, "bifc"), "signbit": (np.signbit, "if"),
}
BINARY = {
    "add": (np.add, "bifc"), "sub": (np.subtract, "ifc"), "mul": (np.multiply, "bifc"), "maximum": (np.maximum, "bif"),
    "minimum": (np.minimum, "bif"), "lt": (np.less, "bif"), "gt": (np.greater, "bif"), "le": (np.less_equal, "bif"),
    "ge": (np.greater_equal, "bif"), "eq": (np.equal, "bifc"), "neq": (np.not_equal, "bifc"),
    "and_": (np.bitwise_and, "bi"), "or_": (np.bitwise_or, "bi"), "xor": (np.bitwise_xor, "bi"),
    "left_shift": (np.left_shift, "i"), "right_shift": (np.right_shift, "i"),
    "int_div": (np.floor_divide, "if"), "mod": (np.mod, "if"),
    "copysign": (np.copysign, "f"), "nextafter": (np.nextafter, "f"), "heaviside": (np.heaviside, "f"),
    "fmax": (np.fmax, "bif"), "fmin": (np.fmin, "bif"), "gcd": (np.gcd, "i"), "lcm": (np.lcm, "i"),
}
REAL_BINARY = {"true_div": np.true_divide, "pow": np.power, "arctan2": np.arctan2, "hypot": np.hypot,
               "logaddexp": np.logaddexp, "logaddexp2": np.logaddexp2}


def kind(dtype):
    return {"b": "b", "i": "i", "u": "i", "f": "f", "c": "c"}[np.dtype(dtype).kind]


def pairs(dtype, name):
    v = values(dtype)
    a, b = np.repeat(v, len(v)), np.tile(v, len(v))
    if name in ("int_div", "mod") and kind(dtype) == "i":  # an integer divisor of zero raises
        b = np.where(b == 0, np.array(1, dtype), b)
    return a, b


def unary():
    table = {}
    for name, f in REAL.items():
        table[name] = {d: plain(f(values(d).astype("float64"))) for d in INTS + FLOATS}
        if name in COMPLEX_FORMS:
            table[name].update({d: plain(f(values(d).astype("complex128")).astype(d)) for d in COMPLEX})
    for name, (f, kinds) in EXACT.items():
        table[name] = {d: plain(f(values(d))) for d in ["bool"] + INTS + FLOATS + COMPLEX if kind(d) in kinds}
    return table


def binary():
    table = {}
    for name, (f, kinds) in BINARY.items():
        table[name] = {d: plain(f(*pairs(d, name))) for d in ["bool"] + INTS + FLOATS + COMPLEX if kind(d) in kinds}
    for name, f in REAL_BINARY.items():
        table[name] = {d: plain(f(*(x.astype("float64") for x in pairs(d, name)))) for d in FLOATS}
    floats = {d: (x.astype("float64") for x in pairs(d, "true_div")) for d in INTS}
    table["true_div"].update({d: plain(np.true_divide(*operands)) for d, operands in floats.items()})
    table["true_div"].update({d: plain(np.true_divide(*pairs(d, "true_div"))) for d in ["complex128"]})
    return table


def special_pairs():
    orders = [0.0, 1.0, 2.0, 0.5, 2.5, 7.0, 13.3, 40.0, 100.0]
    points = [0.0, 1e-5, 0.1, 0.9, 1.0, 3.25, 7.75, 26.0, 60.0, 150.0]
    a, b = np.repeat(orders, len(points)), np.tile(points, len(orders))
    extra = [(-1.0, 2.0), (-2.5, 3.0), (3.0, -2.0), (0.5, -2.0), (nan, 1.0), (1.0, nan)]
    a, b = np.append(a, [e[0] for e in extra]), np.append(b, [e[1] for e in extra])
    return {name: {"a": plain(a), "b": plain(b), "out": plain(f(a, b))} for name, f in SPECIAL.items()}


def cast():
    table = {}
    for a in ["bool"] + INTS + FLOATS:
        v = values(a)
        if a in FLOATS:
            v = v[np.abs(v) < 100]  # outside of the target's range the answer is the machine's
        table[a] = {"values": plain(v)}
        for b in ["bool"] + INTS + FLOATS + COMPLEX:
            if a in FLOATS and b[0] == "u":
                w = np.where(v < 0, -v, v)
                table[a]["positive"] = plain(w)
            else:
                w = v
            table[a][b] = plain(w.astype(b))
    return table


def reduce():
    rng = np.random.RandomState(5)
    rows = {}
    table = {n: {} for n in ("sum", "prod", "max", "min", "argmax", "argmin", "mean", "any", "all")}
    for d in ["bool"] + INTS + FLOATS:
        r = rng.randint(0, 2, (3, 5)) if d == "bool" else rng.randint(-3 if d[0] != "u" else 0, 4, (3, 5))
        r = r.astype(d)
        if d in FLOATS:
            r += rng.rand(3, 5).astype(d)
            r[1, 2] = nan
            r[2, 0] = inf
        rows[d] = plain(r)
        acc = {"b": "int64", "i": "int64" if d[0] != "u" else "uint64", "f": d}[kind(d)]
        table["sum"][d], table["prod"][d] = plain(r.sum(1, dtype=acc)), plain(r.prod(1, dtype=acc))
        table["max"][d], table["min"][d] = plain(r.max(1)), plain(r.min(1))
        table["argmax"][d], table["argmin"][d] = plain(r.argmax(1)), plain(r.argmin(1))
        table["mean"][d] = plain(r.astype("float64").mean(1))
        if kind(d) in "bi":
            table["any"][d], table["all"][d] = plain(r.astype(bool).any(1)), plain(r.astype(bool).all(1))
    return rows, table


def main():
    rows, reductions = reduce()
    data = {
        "numpy": np.__version__, "values": {d: plain(values(d)) for d in ["bool"] + INTS + FLOATS + COMPLEX},
        "real": sorted(REAL) + sorted(REAL_BINARY) + ["angle"], "unary": unary(), "binary": binary(), "cast": cast(),
        "special": special_pairs(), "rows": rows,
        "reduce": reductions,
    }
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data", "ops.json")
    with open(path, "w") as file:
        file.write("{\n" + ",\n".join("%s: %s" % (json.dumps(k), json.dumps(v)) for k, v in data.items()) + "\n}\n")


if __name__ == "__main__":
    main()
