#!/usr/bin/env python3
"""What NumPy answers where arrays meet it: writes spec/data/numpy.json, which spec/numpy_spec.lua runs.

    python3 scripts/make-numpy-data.py        (NumPy 2; what is committed comes from 2.4.6)

The first entry holds the inputs by name; inputs that end in _s are strided views, made in the spec from the entry
without it. Every other entry is [Lua, dtype, shape, data]; dtype "raises" where NumPy raises. A fifth entry is how many
units in the last place are allowed. Left out is what differs on purpose (docs/arrays.md) and half precision.
"""
import json
import os
import warnings

import numpy as np

from numpy_json import DTYPES, one

warnings.simplefilter("ignore")
np.seterr(all="ignore")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data")
nan, inf = float("nan"), float("inf")
INTS = [d for d in DTYPES if "int" in d]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]


# ---- inputs ---------------------------------------------------------------------------------------------------------
def values(d):
    """Twelve values of a dtype, its extremes and special ones among them."""
    if d == "bool":
        return np.array([0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0], bool)
    if "int" in d:
        i = np.iinfo(d)
        return np.array([i.max, i.min, 0, 1, 7, i.max - 1, 3, 100, i.min + 1, 2, 5, 64], d)
    if d in FLOATS:
        return np.array([1.5, -2.25, 0.0, -0.0, inf, -inf, nan, 1e30, -7.5, 0.5, 2.5, 1e-30], d)
    z = [complex(1.5, -2), complex(-0.0, 0.0), complex(0.0, -0.0), complex(inf, 1), complex(1, nan), complex(-inf, inf),
         complex(-3, 4), complex(0, 2.5), complex(1e30, 1e-30), complex(nan, 0.0), complex(-7, -0.0), complex(2, 2)]
    return np.array(z, d)


def mild(d):
    """Values of ordinary size, 2 x 3 x 4, for sums and products."""
    k = np.arange(24)
    v = (k * 7 + 3) % 11
    if d == "bool":
        return (v > 4).reshape(2, 3, 4)
    if d in FLOATS:
        return (v / 4 - 1).astype(d).reshape(2, 3, 4)
    if d in COMPLEX:
        return (v / 4 - 1 + 1j * ((k * 5) % 7 - 3)).astype(d).reshape(2, 3, 4)
    return (v - (3 if d[0] == "i" else 0)).astype(d).reshape(2, 3, 4)


METHODS = ["lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
           "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"]
X = {}
for d in DTYPES:
    X["v_" + d] = values(d)              # a vector of special values
    X["m_" + d] = mild(d)                # 2 x 3 x 4
    X["w_" + d] = np.roll(values(d), 5)  # the same in another order
    X["o_" + d] = mild(d)[0, 1, 2:3]     # one element
    X["e_" + d] = np.zeros((0, 3), d)    # no rows
    X["m_%s_s" % d] = mild(d)[:, ::-2, ::3]
    n = values(d).copy()
    n[n == 0] = 3
    X["n_" + d] = np.roll(n, 5)          # no zeros
    X["p_" + d] = np.abs(mild(d).real).astype(d) if d != "bool" else mild(d)  # not negative
    X["x_" + d] = np.sort(values(d))
    X["c_" + d] = mild(d).ravel()[:5].copy()
    X["q_" + d] = mild(d).ravel()[:4].reshape(2, 2)
    X["u_" + d] = mild(d)[:1, :, None, 1:2]


def lua(v):
    """A Python value as Lua."""
    if isinstance(v, str) and v.startswith("@"):
        return v[1:]
    if isinstance(v, str):
        return "'%s'" % v
    if isinstance(v, bool):
        return "true" if v else "false"
    if v is None:
        return "nil"
    if isinstance(v, (tuple, list)):
        return "{" + ", ".join(lua(e) for e in v) + "}"
    if isinstance(v, complex):
        return "nd.complex(%s, %s)" % (lua(v.real), lua(v.imag))
    if isinstance(v, float) and v != v:
        return "nd.nan"
    if isinstance(v, float) and v in (inf, -inf):
        return "nd.inf" if v > 0 else "-nd.inf"
    return repr(v)


def python(v):
    return X[v[1:]] if isinstance(v, str) and v.startswith("@") else \
        [python(e) for e in v] if isinstance(v, list) else v


# ---- cases ----------------------------------------------------------------------------------------------------------
cases, seen = [], set()


def short(a):
    if a.dtype in (np.dtype("float32"), np.dtype("complex64")):
        real = (lambda x: one(float(str(np.float32(x)))))
        return [real(v) if a.dtype.kind == "f" else [real(v.real), real(v.imag)] for v in a.ravel()]
    return [one(v) for v in a.ravel()]


def add(text, answer, ulps=0, other=None):
    """answer: a function without arguments."""
    if text in seen:
        return
    seen.add(text)
    try:
        r = answer()
    except Exception as e:
        cases.append([text, "raises", [], [type(e).__name__]])
        return
    results = r if isinstance(r, tuple) else (r,)
    for i, v in enumerate(results):
        v = np.asarray(v)
        if v.dtype in (np.dtype("float16"), np.dtype(object)):
            return
        t = text if len(results) == 1 else "(select(%d, %s))" % (i + 1, text)
        cases.append([t, str(v.dtype), list(v.shape), short(v)] + ([ulps] if ulps else []))


def call(name, *args, np_name=None, ulps=0, fn=None, **kw):
    f = fn or getattr(np, np_name or name)
    words = {k: v for k, v in kw.items()}
    table = "{" + ", ".join("%s = %s" % (k, lua(v)) for k, v in words.items()) + "}" if words else None
    text = "nd.%s(%s)" % (name, ", ".join([lua(a) for a in args] + ([table] if table else [])))
    pykw = {k: (np.dtype(v) if k == "dtype" else v) for k, v in words.items()}
    add(text, lambda: f(*[python(a) for a in args], **pykw), ulps)


# ---- elementwise ----------------------------------------------------------------------------------------------------
FEW = ["bool", "int8", "int64", "uint8", "uint64", "float32", "float64", "complex64", "complex128"]
NOT_COMPLEX = ("floor", "ceil", "trunc", "rint", "round", "fix")
EXACT1 = ["abs", "negative", "square", "floor", "ceil", "trunc", "rint", "isnan", "isinf", "isfinite", "conj", "real",
          "imag", "invert", "sign", "logical_not", "round", "fix", "sqrt"]
NEAR1 = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
         "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "deg2rad", "rad2deg", "angle"]
for d in DTYPES:
    for name in EXACT1:
        if d in COMPLEX and name in NOT_COMPLEX or d in ("int16", "uint16", "bool") and name in ("rint", "conj"):
            continue
        call(name, "@v_" + d, ulps=0 if d not in COMPLEX else 4)
    for name in NEAR1 if d in FEW and d not in COMPLEX else []:
        call(name, "@v_" + d, ulps=8)
    for form in ("e_", "o_"):
        for name in ("abs", "negative", "sign", "exp", "sqrt", "isnan", "round", "logical_not") if d in FEW else []:
            if d not in COMPLEX or name not in NOT_COMPLEX:
                call(name, "@" + form + d, ulps=8)

# Complex numbers with parts of every kind. Of expm1 and inv NumPy's are not those of C99.
PARTS = [0.0, -0.0, 1.5, -2.0, inf, -inf, nan, 1e300]
X["g_complex128"] = np.array([complex(a, b) for a in PARTS for b in PARTS])
PARTS = [0.0, 1.5, -2.0, -inf, nan]
X["h_complex128"] = np.array([complex(a, b) for a in PARTS for b in PARTS])
for name in ("exp", "log", "log2", "log10", "sqrt", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh",
             "tanh", "arcsinh", "arccosh", "arctanh", "abs", "angle", "sign"):
    call(name, "@g_complex128", ulps=256)
for name in ("add", "subtract", "multiply", "true_divide", "power"):
    f = getattr(np, name)
    add("nd.%s(h_complex128:reshape(-1, 1), h_complex128)" % name,
        lambda: f(X["h_complex128"].reshape(-1, 1), X["h_complex128"]), 64)

BINARY = ["add", "subtract", "multiply", "true_divide", "floor_divide", "remainder", "power", "maximum", "minimum",
          "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or",
          "bitwise_xor", "left_shift", "right_shift", "logical_and", "logical_or", "logical_xor", "arctan2", "divmod"]
ORDERED = ("less", "less_equal", "greater", "greater_equal")
PAIRS = [(d, d) for d in DTYPES] + [
    ("int8", "uint8"), ("uint8", "int16"), ("int64", "uint64"), ("uint64", "int8"), ("bool", "int8"), ("int8", "bool"),
    ("int8", "float32"), ("int32", "float32"), ("float32", "float64"), ("int64", "float32"), ("uint16", "int32"),
    ("float32", "complex64"), ("float64", "complex64"), ("int64", "complex64"), ("bool", "float32"),
    ("bool", "complex64"), ("uint32", "int64"), ("uint32", "int32")]
for name in BINARY:
    for a, b in PAIRS:
        near = 16 if name in ("arctan2", "power") or a in COMPLEX or b in COMPLEX else 0
        if name in ORDERED and (a in COMPLEX or b in COMPLEX):
            continue
        if name in ("floor_divide", "remainder", "divmod") and not (a in FLOATS or b in FLOATS):
            call(name, "@v_" + a, "@n_" + b, ulps=near)  # no zeros: they raise here
            continue
        if name == "power" and a in FLOATS and b in COMPLEX:
            call(name, "@m_" + a, "@m_" + b, ulps=near)
            continue
        if name in ("power", "left_shift", "right_shift") and "int" in b:
            call(name, "@m_" + a, "@p_" + b, ulps=near)
            continue
        call(name, "@v_" + a, "@w_" + b, ulps=near)

# A number beside an array: weak (NEP 50), but an integer that does not fit widens the array (NumPy 2 raises).
NUMBERS = [2, 0.7, -3, 300, complex(0.5, 2)]


def widened(d, k):
    if not isinstance(k, int) or "int" not in d or np.iinfo(d).min <= k <= np.iinfo(d).max:
        return d
    return "uint16" if d == "uint8" and k > 0 else str(np.promote_types(d, "int16" if k == 300 else "int8"))


for d in DTYPES:
    for name in ("add", "multiply", "true_divide", "maximum", "less", "power", "floor_divide", "remainder", "equal"):
        for k in NUMBERS:
            if name == "power" and isinstance(k, int) and (k < 0 or k > 99 and d in COMPLEX):
                continue
            if name in ORDERED and (d in COMPLEX or isinstance(k, complex)) or d == "uint64" and k == -3:
                continue
            near = 16 if name == "power" or d in COMPLEX or isinstance(k, complex) else 0
            f, x = getattr(np, name), X["m_" + d]
            x = x.astype("float64" if name == "true_divide" and "int" in d else widened(d, k))
            call(name, "@m_" + d, k, ulps=near, fn=lambda a, b: f(x, b))
            if name not in ("power", "floor_divide", "remainder") or d in FLOATS:
                call(name, k, "@m_" + d, ulps=near, fn=lambda a, b: f(a, x))
    call("where", "@m_bool", "@m_" + d, 2)
    call("where", "@m_bool", 0.5, "@m_" + d)
    if d not in COMPLEX:
        call("clip", "@m_" + d, 1, 3)
        call("clip", "@m_" + d, 0.5, 1.5)

# ---- sums over axes -------------------------------------------------------------------------------------------------
AXES = [None, 0, -1, (0, 2), (), (1,), (-1, 0)]


def axis_words(axis):
    return [{}, {"axis": "@T.none"}] if axis is None else [{"axis": axis}]


def reduced(name, d, ulps=0, forms=("m_", "e_", "v_"), axes=AXES, **more):
    f = getattr(np, name)
    for form in forms:
        x = X[form + d]
        for axis in axes:
            for keep in ({}, {"keepdims": True}):
                if axis is not None and any(not -x.ndim <= k < x.ndim for k in np.atleast_1d(axis).astype(int)):
                    continue
                kw = dict(more, **keep)
                if axis is not None:
                    kw["axis"] = axis
                call(name, "@" + form + d, ulps=ulps, **kw)
                if form == "m_" and axis in (0, (0, 2)):
                    call(name, "@m_%s_s" % d, ulps=ulps, **kw)


SOME = [None, 0, (0, 2), ()]
for d in FEW:
    reduced("sum", d, 64)
    reduced("prod", d, 64, axes=SOME, forms=("m_", "e_") if d in COMPLEX else ("m_", "e_", "v_"))
    reduced("mean", d, 64, forms=("m_", "e_") if d == "int64" else ("m_", "e_", "v_"))  # its extremes cancel
    for name in ("var", "std"):
        reduced(name, d, 256, axes=SOME)
        reduced(name, d, 256, axes=SOME, ddof=1)
        reduced(name, d, 256, forms=("m_",), axes=[None, (0, 2)], ddof=2)
    if d not in COMPLEX:
        for name in ("max", "min", "nanmax", "nanmin"):
            reduced(name, d)
        reduced("ptp", d, axes=SOME)
    for name in ("any", "all", "count_nonzero"):
        reduced(name, d)
    for name in ("nansum", "nanmean"):
        reduced(name, d, 64, axes=SOME, forms=("m_", "e_") if d == "int64" else ("m_", "e_", "v_"))
    for name in ("median", "average"):
        if d not in COMPLEX:
            forms = ("m_", "v_") if d in FLOATS else ("m_",)
            reduced(name, d, 64, forms=forms, axes=[None, 0, -1] if name == "median" else SOME)
    for name in ("argmax", "argmin"):
        if d not in COMPLEX:
            for form in ("m_", "v_"):
                for axis in (None, 0, -1):
                    kw = {} if axis is None else {"axis": axis}
                    if form == "v_" and axis == 0:
                        continue
                    call(name, "@" + form + d, **kw)
                    call(name, "@" + form + d, keepdims=True, **kw)
    for name in ("cumsum", "cumprod"):
        for form in ("m_", "e_", "v_", "o_"):
            for axis in (None, 0, -1):
                call(name, "@" + form + d, ulps=64, **({} if axis is None else {"axis": axis}))
    for kw in [{"dtype": k} for k in ("float32", "float64", "int64", "int8", "complex128")]:
        if d in COMPLEX and kw["dtype"] not in COMPLEX:
            continue
        for name in ("sum", "prod", "mean"):
            if name == "mean" and "int" in kw["dtype"]:
                continue
            call(name, "@m_" + d, ulps=64, axis=0, **kw)

# ---- order ----------------------------------------------------------------------------------------------------------
for d in FEW:
    if d in COMPLEX:
        continue
    for form in ("v_", "m_", "e_", "o_"):  # zeros of both signs in any order
        call("sort", "@" + form + d, ulps=1)
        call("sort", "@" + form + d, axis=0, ulps=1)
        call("sort", "@" + form + d, axis="@T.none", fn=lambda a, axis: np.sort(a, axis=None), ulps=1)
        call("argsort", "@" + form + d, fn=lambda a, **k: np.argsort(a, kind="stable", **k))
        call("unique", "@" + form + d, ulps=1)
        call("diff", "@" + form + d)
    call("searchsorted", "@x_" + d, "@v_" + d)
    call("searchsorted", "@x_" + d, "@v_" + d, side="right")
    call("isin", "@m_" + d, "@o_" + d)
    call("digitize", "@m_" + d, [0, 2, 5])
    if "int" in d:
        add("nd.bincount(p_%s:ravel())" % d, lambda: np.bincount(X["p_" + d].ravel().astype("int64")))

# ---- joining, products ----------------------------------------------------------------------------------------------
for a, b in PAIRS:
    A, B = "@v_" + a, "@m_" + b
    call("concatenate", [A, "@v_" + b])
    call("append", A, B)
    call("stack", [A, "@v_" + b])
    call("outer", "@o_" + a, "@o_" + b, ulps=16)
    call("convolve", "@c_" + a, "@o_" + b, ulps=16)
    call("convolve", "@c_" + a, "@c_" + b, ulps=16)
    call("convolve", "@c_" + a, "@c_" + b, "same", ulps=16)
    call("convolve", "@c_" + a, "@c_" + b, "valid", ulps=16)
    call("dot", "@c_" + a, "@c_" + b, ulps=64)
    call("inner", "@c_" + a, "@c_" + b, ulps=64)
    call("vdot", "@c_" + a, "@c_" + b, ulps=64)
    call("kron", "@c_" + a, "@o_" + b, ulps=16)
    call("matmul", "@q_" + a, "@q_" + b, ulps=64)
    call("matmul", "@q_" + a, "@q_" + b, ulps=64)
    call("kron", "@q_" + a, "@q_" + b, ulps=16)
    call("kron", "@m_" + a, "@c_" + b, ulps=16)
    call("tensordot", "@m_" + a, "@q_" + b, [[0], [1]], ulps=64)

# ---- making ---------------------------------------------------------------------------------------------------------
BIG = 2**62
for k in (0, 1, -1, 5, -5, BIG, -BIG, 2**63 - 1, -2**63):
    fit = max(-1000, min(1000, k))
    for n, m in ((3, 4), (0, 0), (0, 3), (2, 0), (1, 1)):
        add("nd.eye(%d, %d, %s)" % (n, m, lua(k) if k > -2**63 else "math.mininteger"), lambda: np.eye(n, m, fit))
        add("nd.tri(%d, %d, %s)" % (n, m, lua(k) if k > -2**63 else "math.mininteger"), lambda: np.tri(n, m, fit))
    for x in ("m_float64", "q_int8", "e_float64", "q_bool", "q_complex64"):
        for name in ("tril", "triu"):
            add("nd.%s(%s, %s)" % (name, x, lua(k) if k > -2**63 else "math.mininteger"),
                lambda: getattr(np, name)(X[x], fit))
for text, f in [
    ("nd.arange(5)", lambda: np.arange(5)), ("nd.arange(0)", lambda: np.arange(0)),
    ("nd.arange(5.0)", lambda: np.arange(5.0)), ("nd.arange(3, 0)", lambda: np.arange(3, 0)),
    ("nd.arange(1, 10, 3)", lambda: np.arange(1, 10, 3)), ("nd.arange(10, 1, -4)", lambda: np.arange(10, 1, -4)),
    ("nd.linspace(0, 1, 0)", lambda: np.linspace(0, 1, 0)), ("nd.linspace(0, 1, 1)", lambda: np.linspace(0, 1, 1)),
    ("nd.linspace(2, 3, {num = 4, dtype = 'float32'})", lambda: np.linspace(2, 3, 4, dtype="float32")),
    ("nd.zeros({})", lambda: np.zeros(())), ("nd.full({2}, 7)", lambda: np.full((2,), 7)),
    ("nd.full({2}, 0.7)", lambda: np.full((2,), 0.7)),
    ("nd.full({2}, nd.complex(1, 2))", lambda: np.full((2,), 1 + 2j)),
    ("nd.full_like(m_int8, 3.7)", lambda: np.full_like(X["m_int8"], 3.7)),
    ("nd.identity(0)", lambda: np.identity(0)), ("nd.eye(0)", lambda: np.eye(0)),
    ("nd.array({nd.complex(1, 2), 3, 0.5})", lambda: np.array([1 + 2j, 3, 0.5])),
    ("nd.array({true, 2})", lambda: np.array([True, 2])), ("nd.array({})", lambda: np.array([])),
    ("nd.vander({1, 2, 3})", lambda: np.vander([1, 2, 3])), ("nd.vander({1.5, 2}, 0)", lambda: np.vander([1.5, 2], 0)),
    ("nd.diag({1, 2}, 1)", lambda: np.diag([1, 2], 1)),
    ("nd.diagflat(q_int8, -1)", lambda: np.diagflat(X["q_int8"], -1)),
]:
    add(text, f)

# ---- shapes ---------------------------------------------------------------------------------------------------------
for d in ("float64", "int8", "bool", "complex64"):
    m = X["m_" + d]
    for kw in [{}] + [{"axis": k} for k in (0, (0, 2), -1, (), 1, (0, 1), 7)]:
        call("squeeze", "@u_" + d, **kw)
        text = "u_%s:squeeze(%s)" % (d, "{axis = %s}" % lua(kw["axis"]) if kw else "")
        add(text, lambda: X["u_" + d].squeeze(**kw))
    for kw in ({}, {"axis": 0}, {"axis": (0, 2)}, {"axis": ()}):
        call("flip", "@m_" + d, **kw)
    for axis in (None, 0, 1, -1):
        kw = {} if axis is None else {"axis": axis}
        call("roll", "@m_" + d, 2, **kw)
        call("repeat_", "@m_" + d, 2, np_name="repeat", **kw)
        call("take", "@m_" + d, [0, 1], **kw)
    call("roll", "@m_" + d, -BIG)
    call("expand_dims", "@m_" + d, (0, -1))
    call("swapaxes", "@m_" + d, 0, -1)
    call("moveaxis", "@m_" + d, 0, -1)
    call("transpose", "@m_" + d)
    call("ravel", "@m_%s_s" % d)
    call("broadcast_to", "@o_" + d, (3, 1))
    call("tile", "@o_" + d, (2, 2))
    call("tile", "@m_" + d, 2)
    call("rot90", "@q_" + d, 1)
    add("nd.stack(nd.split(v_%s, 3))" % d, lambda: np.stack(np.split(X["v_" + d], 3)))
    call("atleast_3d", "@v_" + d)
    call("nonzero", "@v_" + d)
    call("flatnonzero", "@m_" + d)
    call("argwhere", "@m_" + d)
    add("nd.array(5)[nd.array(true)]", lambda: np.array(5)[np.array(True)])
    add("m_%s[nd.array(true)]" % d, lambda: m[np.array(True)])
    add("m_%s[nd.array(false)]" % d, lambda: m[np.array(False)])
    add("m_%s[{nd.array(true), 1}]" % d, lambda: m[np.array(True), 1])
    call("trace", "@q_" + d)
    add("nd.cross(c_%s['0:3'], c_%s['1:4'])" % (d, d), lambda: np.cross(X["c_" + d][:3], X["c_" + d][1:4]), 16)

for d in FLOATS + ["int64", "int8", "bool"]:
    call("interp", [0.5, 1.5, 9], [0, 1, 2], [3.0, 4.0, 8.0])
    if d != "bool":
        call("quantile", "@m_" + d, 0.3, ulps=16)
        call("quantile", "@m_" + d, 0.5, axis=(0, 2), keepdims=True, ulps=16)
        for method in METHODS:
            call("quantile", "@m_" + d, 0.3, axis=1, method=method, ulps=16)
            call("percentile", "@v_" + d if "int" in d else "@m_" + d, [0, 12.5, 50, 100], method=method, ulps=16)
        call("percentile", "@m_" + d, [10, 50], axis=0, ulps=16)
        call("trapz", "@m_" + d, np_name="trapezoid", ulps=16)
        call("ediff1d", "@v_" + d)
    call("cov", "@q_" + d, ulps=64)
    add("nd.corrcoef(m_%s[0])" % d, lambda: np.corrcoef(X["m_" + d][0]), 4096)
    call("nan_to_num", "@v_" + d)
    call("polyval", [1, 2, 3], "@m_" + d, ulps=16)
    call("allclose", "@m_" + d, "@m_" + d)

# ---- functions that are compositions here ----------------------------------------------------------------------------
MORE1 = ["signbit", "spacing", "isposinf", "isneginf", "iscomplex", "isreal", "positive", "reciprocal", "fabs", "modf",
         "cbrt", "sinc", "acos", "asinh", "atan"]
MORE2 = ["copysign", "nextafter", "hypot", "logaddexp", "logaddexp2", "fmax", "fmin", "fmod", "heaviside", "gcd", "lcm",
         "float_power"]
HALF = ("bool", "int8", "uint8")  # their functions with float results are float16 in NumPy
for d in FEW:
    for name in MORE1:
        if d in COMPLEX and name not in ("iscomplex", "isreal", "positive", "sinc"):
            continue
        form = "n_" if name == "reciprocal" else "m_" if name == "sinc" else "v_"
        near = 1024 if name == "sinc" else 8 if name in ("cbrt", "acos", "asinh", "atan") else 0
        call(name, "@" + form + d, ulps=near)
        for form in ("e_", "o_", "m_%s_s"):
            if name in ("signbit", "cbrt", "modf", "positive"):
                call(name, "@" + (form % d if "%" in form else form + d), ulps=8)
    if "int" in d:
        call("ldexp", "@m_float32", "@m_" + d) if d != "uint64" else None
for a, b in PAIRS:
    for name in MORE2:
        if a in COMPLEX or b in COMPLEX:
            continue
        if name == "fmod" and not (a in FLOATS or b in FLOATS):
            call(name, "@v_" + a, "@n_" + b)
        elif name in ("gcd", "lcm"):
            if "int" in a and "int" in b and "64" not in a + b:
                call(name, "@m_" + a, "@m_" + b)
                if name == "gcd":
                    add("nd.gcd(c_%s, n_%s['3:8'])" % (a, b), lambda: np.gcd(X["c_" + a], X["n_" + b][3:8]))
        elif name in ("nextafter", "heaviside", "logaddexp", "logaddexp2", "float_power") and (a in HALF or b in HALF):
            call(name, "@m_" + a, "@p_" + b, ulps=32)
        else:
            near = 0 if name in ("copysign", "nextafter", "fmax", "fmin", "fmod") else 32
            call(name, "@v_" + a, "@w_" + b, ulps=near)
for d in FLOATS:
    call("fmax", "@v_" + d, 0.5)
    call("hypot", "@m_" + d, 2, ulps=4)
    call("hypot", "@e_" + d, "@e_" + d)
call("hypot", 3, 4)
call("signbit", -0.0)
call("gcd", 12, 18)
call("heaviside", 0.0, 0.5)

# ---- dtypes, parts, points in several dimensions, polynomials
for d in FEW:
    if d not in COMPLEX:
        call("frexp", "@v_" + d) if d in FLOATS else None
        add("nd.histogramdd(m_%s:reshape(12, 2), 3)" % d, lambda: np.histogramdd(X["m_" + d].reshape(12, 2), 3)[0]) \
            if d != "bool" and "64" not in d else None
    if "int" in d or d == "bool":
        call("bitwise_count", "@v_" + d) if d != "bool" else None
    call("sort_complex", "@m_" + d)
    add("nd.apply_over_axes(nd.sum, m_%s, {0, 2})" % d, lambda: np.apply_over_axes(np.sum, X["m_" + d], (0, 2)), 16)
    call("rollaxis", "@m_" + d, 2)
    call("rot90", "@m_" + d, 1, (1, 2))
    call("vecdot", "@m_" + d, "@m_" + d, ulps=16)
    add("nd.diag_indices_from(m_%s['0, :, :3'])" % d, lambda: np.diag_indices_from(X["m_" + d][0, :, :3])[0])
call("polydiv", [3.0, 5.0, 2.0], [2.0, 1.0])
call("polydiv", [1, -3, 2], [1, -1])
call("polydiv", [1.0, 2.0], [1.0, 2.0, 3.0])
for p in ([1, -6, 11, -6], [1, 0, 1], [0, 0, 2, -4, 0], [3.2, 2, 1], [5], [0, 0], [1, 2, 3, 4, 5, 6]):
    add("nd.sort(nd.abs(nd.roots(%s)))" % lua(p), lambda: np.sort(np.abs(np.roots(p))), 4096)
add("nd.real_if_close(nd.array({nd.complex(2.1, 4e-14), nd.complex(5.2, 3e-15)}), 1000)",
    lambda: np.real_if_close([2.1 + 4e-14j, 5.2 + 3e-15j], tol=1000))
add("nd.real_if_close(nd.array({nd.complex(2.1, 4e-13), nd.complex(5.2, 3e-15)}), 1000)",
    lambda: np.real_if_close([2.1 + 4e-13j, 5.2 + 3e-15j], tol=1000))
add("nd.mask_indices(3, nd.triu)", lambda: np.mask_indices(3, np.triu)[0])
add("nd.histogramdd(nd.array({{0.1, 2.0}, {0.5, 1.0}, {0.9, 3.0}}), {bins = {2, {0, 2, 4}}, density = true})",
    lambda: np.histogramdd(np.array([[0.1, 2.0], [0.5, 1.0], [0.9, 3.0]]), bins=[2, [0, 2, 4]], density=True)[0], 8)
add("nd.fromstring('1, 2,3.5', {sep = ','})", lambda: np.fromstring("1, 2,3.5", sep=","))
add("nd.fromiter({1, 2, 3}, 'float32')", lambda: np.fromiter([1, 2, 3], "float32"))

for d in ("int64", "uint8", "float32", "float64", "bool", "complex64"):
    m = "@m_" + d
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean", "median",
                 "linear_ramp"):
        if d == "complex64" and mode in ("maximum", "minimum", "median", "mean", "linear_ramp") or \
                d == "bool" and mode in ("mean", "median", "linear_ramp"):
            continue
        for width in (2, (1, 3), ((0, 1), (2, 0), (5, 9))):
            call("pad", m, width, mode=mode, ulps=16)
        call("pad", "@m_%s_s" % d, 1, mode=mode, ulps=16)
        call("pad", "@o_" + d, 2, mode=mode, ulps=16)
    call("pad", m, 1, constant_values=((1, 2), (3, 4), (5, 6)))
    call("pad", "@e_" + d, 1)
    call("pad", "@e_" + d, 1, mode="edge")
    if d in FLOATS + ["int64"]:
        call("pad", m, 3, mode="linear_ramp", end_values=(-2, 5), ulps=64)
        call("pad", m, 2, mode="mean", stat_length=2, ulps=16)
        call("pad", m, 2, mode="maximum", stat_length=1)
    for name in ("matrix_transpose", "resize", "trim_zeros", "unstack"):
        if name == "resize":
            call(name, "@c_" + d, (3, 4))
            call(name, "@e_" + d, (2, 2))
        elif name == "trim_zeros":
            call(name, "@c_" + d)
            call(name, [0, 0, 1, 0, 2, 0], "f")
        elif name == "unstack":
            add("nd.stack(nd.unstack(m_%s, 1))" % d, lambda: np.stack(np.unstack(X["m_" + d], axis=1)))
        else:
            call(name, m)
    add("(function() local a = m_%s:copy() nd.place(a, nd.gt(nd.arange(24):reshape(2, 3, 4), 5), {1, 0}) "
        "return a end)()" % d, lambda: (lambda a: (np.place(a, np.arange(24).reshape(2, 3, 4) > 5, [1, 0]), a)[1])(
            X["m_" + d].copy()))
    add("(function() local a = m_%s:copy() nd.putmask(a, nd.gt(nd.arange(24):reshape(2, 3, 4), 5), {1, 0, 1}) return a "
        "end)()" % d, lambda: (lambda a: (np.putmask(a, np.arange(24).reshape(2, 3, 4) > 5, [1, 0, 1]), a)[1])(
            X["m_" + d].copy()))
    add("(function() local a = m_%s:copy() nd.put(a, {0, -1, 5}, {1, 0}) return a end)()" % d,
        lambda: (lambda a: (np.put(a, [0, -1, 5], [1, 0]), a)[1])(X["m_" + d].copy()))
    if d in ("int64", "float64"):  # what a function gives without dimensions is a Lua value
        add("nd.apply_along_axis(function(v) return v:sum() end, 1, m_%s)" % d,
            lambda: np.apply_along_axis(lambda v: v.sum(), 1, X["m_" + d]), 16)
    add("nd.apply_along_axis(function(v) return nd.outer(v, v) end, 1, m_%s)" % d,
        lambda: np.apply_along_axis(lambda v: np.outer(v, v), 1, X["m_" + d]), 16)
    add("nd.block({{q_%s, q_%s}, {c_%s['1:5']}})" % (d, d, d),
        lambda: np.block([[X["q_" + d], X["q_" + d]], [X["c_" + d][1:5]]]))
    call("roll", m, (1, 2), axis=(0, 2))
    call("roll", m, 1, axis=(1, 2))
    if d != "bool":
        for kw in ({}, {"axis": 2}, {"axis": (1, 2)}):
            call("gradient", m, ulps=64, **kw)
        call("gradient", "@c_" + d, [0, 1, 3, 4, 9], edge_order=2, ulps=256)
        call("gradient", "@c_" + d, 0.5, ulps=16)
    for name in ("polyadd", "polysub", "polymul"):
        if d == "bool" and name != "polyadd":
            continue
        call(name, "@c_" + d, "@o_" + d, ulps=16)
    if d not in ("bool",):
        call("polyder", "@c_" + d, ulps=16)
        call("polyder", "@c_" + d, 2, ulps=16)
        call("polyint", "@c_" + d, ulps=16)
    for mode in ("valid", "same", "full"):
        call("correlate", "@c_" + d, "@o_" + d, mode, ulps=16)
        call("correlate", "@c_" + d, "@c_" + d, mode, ulps=64)
        add("nd.correlate(c_%s['0:2'], c_%s, '%s')" % (d, d, mode),
            lambda: np.correlate(X["c_" + d][:2], X["c_" + d], mode), 64)
        add("nd.correlate(c_%s['0:3'], c_%s['0:4'], '%s')" % (d, d, mode),
            lambda: np.correlate(X["c_" + d][:3], X["c_" + d][:4], mode), 64)
    call("vecdot", m, m, ulps=64)
    add("nd.matvec(m_%s, m_%s[{0, 0}])" % (d, d), lambda: np.matvec(X["m_" + d], X["m_" + d][0, 0]), 64)
    add("nd.vecmat(m_%s[{':', 0, '0:3'}], m_%s)" % (d, d), lambda: np.vecmat(X["m_" + d][:, 0, :3], X["m_" + d]), 64)
    if d not in COMPLEX:
        add("nd.lexsort({v_%s, w_%s})" % (d, d), lambda: np.lexsort((X["v_" + d], X["w_" + d])))
        call("setxor1d", "@m_" + d, "@o_" + d)
        if d != "bool":
            call("histogram2d", "@c_" + d, "@c_" + d, ulps=16)
            call("histogram2d", "@c_" + d, "@c_" + d, 3, density=True, ulps=16)
            call("histogram2d", "@c_" + d, "@c_" + d, [[-1, 0, 5], [0, 2, 4, 9]], weights=[1, 2, 3, 4, 0.5])
            call("histogram_bin_edges", "@c_" + d, 3)
        for name in ("nanprod", "nancumsum", "nancumprod", "nanvar", "nanstd", "nanmedian"):
            for kw in ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 2)}):
                if "cum" in name and kw.get("axis") == (0, 2) or d == "bool" and name == "nanmedian":
                    continue
                call(name, "@m_" + d, ulps=256, **kw)
    if "int" in d or d == "bool":
        for axis in (None, 0, -1):
            kw = {} if axis is None else {"axis": axis}
            call("packbits", m, **kw)
            call("packbits", m, bitorder="little", **kw)
            if d == "uint8":
                call("unpackbits", m, **kw)
                call("unpackbits", m, count=5, bitorder="little", **kw)
X["k_float64"] = np.array([[1.5, nan, 3, -2], [nan, nan, 0.5, 7], [4, 1, nan, 2.5]])
X["k_float32"] = X["k_float64"].astype("float32")
for d in FLOATS:
    k = "@k_" + d
    for kw in ({}, {"axis": 0}, {"axis": 1}, {"axis": 0, "keepdims": True}):
        for name in ("nanprod", "nanvar", "nanstd", "nanmedian", "nanargmax", "nanargmin"):
            call(name, k, ulps=64, **kw)
        call("nanquantile", k, 0.3, ulps=64, **kw)
        call("nanpercentile", k, [10, 50], ulps=64, **kw)
    call("nanvar", k, axis=1, ddof=1, ulps=64)
    call("nanvar", k, axis=1, ddof=2, ulps=64)
    for name in ("nancumsum", "nancumprod"):
        call(name, k)
        call(name, k, axis=1)
    add("nd.nanargmax({nd.nan, nd.nan})", lambda: np.nanargmax([nan, nan]))
for text, f in [
    ("nd.tril_indices(3)", lambda: np.tril_indices(3)), ("nd.tril_indices(3, 1, 5)", lambda: np.tril_indices(3, 1, 5)),
    ("nd.triu_indices(3, -1)", lambda: np.triu_indices(3, -1)),
    ("nd.triu_indices(4, 2)", lambda: np.triu_indices(4, 2)),
    ("nd.triu_indices_from(m_int8[0])", lambda: np.triu_indices_from(X["m_int8"][0])),
    ("nd.diag_indices(3, 3)", lambda: np.diag_indices(3, 3)), ("nd.tril_indices(0)", lambda: np.tril_indices(0)),
    ("nd.ix_({0, 2}, {1, 2, 3})", lambda: np.ix_([0, 2], [1, 2, 3])),
    ("nd.ix_({true, false, true}, {1})", lambda: np.ix_([True, False, True], [1])),
    ("m_float64[0][{nd.ix_({0, 2}, {1, 3})}]", lambda: X["m_float64"][0][np.ix_([0, 2], [1, 3])]),
    ("nd.select({nd.gt(c_int64, 2), nd.lt(c_int64, 0)}, {c_int64, c_float64}, 9)",
     lambda: np.select([X["c_int64"] > 2, X["c_int64"] < 0], [X["c_int64"], X["c_float64"]], 9)),
    ("nd.piecewise(c_float64, {nd.lt(c_float64, 0), nd.gt(c_float64, 0)}, {function(x) return -x end, 2, 7})",
     lambda: np.piecewise(X["c_float64"], [X["c_float64"] < 0, X["c_float64"] > 0], [lambda x: -x, 2, 7])),
    ("nd.broadcast_arrays(c_int8:reshape(5, 1), q_int8[0])",
     lambda: tuple(np.broadcast_arrays(X["c_int8"].reshape(5, 1), X["q_int8"][0]))),
    ("nd.array(nd.broadcast_shapes({5, 1}, {3}, 1))", lambda: np.array(np.broadcast_shapes((5, 1), (3,), 1))),
    ("nd.hamming(6)", lambda: np.hamming(6)), ("nd.hanning(6)['1:5']", lambda: np.hanning(6)[1:5]),
    ("nd.blackman(7)['1:6']", lambda: np.blackman(7)[1:6]), ("nd.kaiser(6, 3.5)", lambda: np.kaiser(6, 3.5)),
    ("nd.hanning(1)", lambda: np.hanning(1)), ("nd.hamming(0)", lambda: np.hamming(0)),
    ("nd.geomspace(1, 1000, 7)", lambda: np.geomspace(1, 1000, 7)),
    ("nd.geomspace(-8, -1, 4, false)", lambda: np.geomspace(-8, -1, 4, endpoint=False)),
    ("nd.geomspace(1, 0)", lambda: np.geomspace(1, 0)),
    ("nd.unwrap({0, 3, 6.5, -1, 12})", lambda: np.unwrap([0, 3, 6.5, -1, 12])),
    ("nd.unwrap(m_float64 * 4, {axis = 1})", lambda: np.unwrap(X["m_float64"] * 4, axis=1)),
    ("nd.unwrap({0, 3, 1, 7}, {period = 4})", lambda: np.unwrap([0, 3, 1, 7], period=4)),
    ("nd.mgrid['0:3, 1:2:0.25']", lambda: np.mgrid[0:3, 1:2:0.25]),
    ("nd.mgrid['0:1:5j']", lambda: np.mgrid[0:1:5j]), ("nd.mgrid['0:2, 0:3']", lambda: np.mgrid[0:2, 0:3]),
    ("(table.unpack(nd.ogrid['0:2, 0:3']))", lambda: np.ogrid[0:2, 0:3][0]),
    ("nd.poly({1, 2, 3})", lambda: np.poly([1, 2, 3])), ("nd.poly({0.5, -1.5})", lambda: np.poly([0.5, -1.5])),
    ("nd.polyint({3, 2, 1}, 2, {4, 5})", lambda: np.polyint([3, 2, 1], 2, [4, 5])),
    ("nd.polymul({0, 1, 2}, {0, 3})", lambda: np.polymul([0, 1, 2], [0, 3])),
    ("nd.trapz(m_float64, {axis = 1})", lambda: np.trapezoid(X["m_float64"], axis=1)),
    ("nd.trapz(m_float64, {1, 2, 4}, {axis = 1})", lambda: np.trapezoid(X["m_float64"], [1, 2, 4], axis=1)),
    ("nd.cumulative_sum(c_int8, {include_initial = true})",
     lambda: np.cumulative_sum(X["c_int8"], include_initial=True)),
    ("nd.cumulative_prod(m_float32, 1)", lambda: np.cumulative_prod(X["m_float32"], axis=1)),
]:
    add(text, f, 64)
add("nd.polyfit({0, 1, 2, 3, 4}, {1, 2, 5, 4, 9}, 2)", lambda: np.polyfit([0, 1, 2, 3, 4], [1, 2, 5, 4, 9], 2), 2**14)
add("nd.polyfit({10, 11, 12.5, 13}, {1, 2, 5, 4}, 1, {w = {1, 2, 1, 0.5}})",
    lambda: np.polyfit([10, 11, 12.5, 13], [1, 2, 5, 4], 1, w=[1, 2, 1, 0.5]), 2**14)
# Complex numbers beside numbers with a fraction, which must not be cut to integers on the way.
def beside_fractions(d):
    z, y, s = "m_%s[0]" % d, "m_%s[1]" % d, "c_" + d
    a, b, v, where = X["m_" + d][0], X["m_" + d][1], X["c_" + d], X["m_bool"][0]
    x = np.array([0.5, 1.25, 2.75])
    for text, f in [
        ("where(m_bool[0], %s, 0.5)" % z, lambda: np.where(where, a, 0.5)),
        ("where(m_bool[0], -1.75, %s)" % z, lambda: np.where(where, -1.75, a)),
        ("select({m_bool[0]}, {%s}, 0.5)" % z, lambda: np.select([where], [a], 0.5)),
        ("full_like(%s, 0.5)" % z, lambda: np.full_like(a, 0.5)),
        ("full({2}, -1.75, '%s')" % d, lambda: np.full((2,), -1.75, d)),
        ("nan_to_num(v_%s, true, 0.5, 2.25, -1.75)" % d, lambda: np.nan_to_num(X["v_" + d], True, 0.5, 2.25, -1.75)),
        ("isclose(%s, 0.5, 0.75)" % z, lambda: np.isclose(a, 0.5, 0.75)),
        ("isclose(%s, %s, 0.1, 2.5)" % (z, y), lambda: np.isclose(a, b, 0.1, 2.5)),
        ("allclose(%s, 0.5, 0.25, 6.5)" % z, lambda: np.allclose(a, 0.5, 0.25, 6.5)),
        ("power(%s, 0.5)" % z, lambda: np.power(a, 0.5)), ("power(0.5, %s)" % z, lambda: np.power(0.5, a)),
        ("float_power(%s, 0.5)" % z, lambda: np.float_power(a, 0.5)),
        ("subtract(0.5, %s)" % z, lambda: np.subtract(0.5, a)), ("equal(%s, -0.75)" % z, lambda: np.equal(a, -0.75)),
        ("logical_and(%s, 0.5)" % z, lambda: np.logical_and(a, 0.5)),
        ("logical_xor(0.5, %s)" % z, lambda: np.logical_xor(0.5, a)),
        ("real_if_close(%s, 0.5)" % z, lambda: np.real_if_close(a, 0.5)),
        ("sinc(%s)" % z, lambda: np.sinc(a)),
        ("append(%s, 0.5)" % s, lambda: np.append(v, 0.5)), ("insert(%s, 1, 0.5)" % s, lambda: np.insert(v, 1, 0.5)),
        ("pad(%s, 1, {constant_values = 0.5})" % s, lambda: np.pad(v, 1, constant_values=0.5)),
        ("pad(%s, 2, {mode = 'linear_ramp', end_values = 0.5})" % s,
         lambda: np.pad(v, 2, "linear_ramp", end_values=0.5)),
        ("diff(%s, {prepend = 0.5, append = -1.75})" % s, lambda: np.diff(v, prepend=0.5, append=-1.75)),
        ("ediff1d(%s, 0.5, -1.75)" % s, lambda: np.ediff1d(v, v.dtype.type(0.5), v.dtype.type(-1.75))),
        ("concatenate({%s, {0.5, 1.5}})" % s, lambda: np.concatenate([v, [0.5, 1.5]])),
        ("isin(%s, {0.5, -0.25})" % s, lambda: np.isin(v, [0.5, -0.25])),
        ("convolve(%s, 0.5)" % s, lambda: np.convolve(v, 0.5)),
        ("convolve(%s, {0.5, 1.5})" % s, lambda: np.convolve(v, [0.5, 1.5])),
        ("interp({0.25, 1, 1.5, 9}, {0.5, 1.25, 2.75}, %s['0:3'])" % s, lambda: np.interp([0.25, 1, 1.5, 9], x, v[:3])),
        ("interp({0.25, 9}, {0.5, 1.25, 2.75}, %s['0:3'], 0.5, -1.75)" % s,
         lambda: np.interp([0.25, 9], x, v[:3], 0.5, -1.75)),
        ("polyval(%s, 0.5)" % s, lambda: np.polyval(v, v.dtype.type(0.5))),
        ("polyval({0.5, 1.5}, %s)" % s, lambda: np.polyval([0.5, 1.5], v)),
        ("polyint(%s, 1, 0.5)" % s, lambda: np.polyint(v.astype("complex128"), 1, 0.5)),
        ("polyadd(%s, 0.5)" % s, lambda: np.polyadd(v, 0.5)),
        ("polymul(%s, {0.5, 1.5})" % s, lambda: np.polymul(v, [0.5, 1.5])),
        ("trapezoid(%s, {dx = 0.5})" % s, lambda: np.trapezoid(v, dx=v.real.dtype.type(0.5))),
        ("trapezoid(%s, {0.5, 1, 1.5, 3, 4})" % s, lambda: np.trapezoid(v, [0.5, 1, 1.5, 3, 4])),
        ("gradient(%s, 0.5)" % s, lambda: np.gradient(v, 0.5)),
        ("linspace(%s, 0.5, 4)" % s, lambda: np.linspace(v, v.dtype.type(0.5), 4)),
        ("geomspace(n_%s['0:2'], 0.5, 4)" % d, lambda: np.geomspace(X["n_" + d][:2], 0.5, 4)),
        ("piecewise(%s, {m_bool[0], nd.logical_not(m_bool[0])}, {0.5, -1.75})" % z,
         lambda: np.piecewise(a, [where, ~where], [0.5, -1.75])),
        ("average(%s, {weights = {0.5, 1, 1.5, 2, 0.25}})" % s, lambda: np.average(v, weights=[0.5, 1, 1.5, 2, 0.25])),
        ("cross(%s['0:3'], {0.5, -1.75, 2.25})" % s, lambda: np.cross(v[:3], [0.5, -1.75, 2.25])),
        ("kron(%s, {0.5, -1.75})" % s, lambda: np.kron(v, [0.5, -1.75])),
        ("outer({0.5, -1.75}, %s)" % s, lambda: np.outer([0.5, -1.75], v)),
        ("vander(%s, 3)" % s, lambda: np.vander(v, 3)), ("union1d(%s, 0.5)" % s, lambda: np.union1d(v, 0.5)),
    ]:
        add("nd." + text, f, 64)


for d in COMPLEX:
    beside_fractions(d)
for a, b in PAIRS:
    add("({['%s'] = 1})[nd.promote_types('%s', '%s')] or nd.promote_types('%s', '%s')"
        % (np.promote_types(a, b), a, b, a, b), lambda: np.array(1))
    add("({['%s'] = 1})[nd.result_type(m_%s, '%s', 2)]" % (np.result_type(X["m_" + a], np.dtype(b), 2), a, b),
        lambda: np.array(1))



def write():
    inputs = {k: [str(v.dtype), list(v.shape), short(v)] for k, v in X.items() if not k.endswith("_s")}
    with open(os.path.join(ROOT, "numpy.json"), "w") as f:
        rows = [json.dumps(inputs)] + [json.dumps(c, separators=(",", ":")) for c in cases]
        f.write("[\n" + ",\n".join(rows) + "\n]\n")
    print(len(cases), "cases")


if __name__ == "__main__":
    write()
