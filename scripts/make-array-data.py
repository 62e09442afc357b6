#!/usr/bin/env python3
"""Reference answers of NumPy for arrays: writes spec/data/random_streams.json, array_print.json,
array_index.json, array_functions.json and files/.

    python3 scripts/make-array-data.py        (NumPy 1.23 or later, safetensors; what is committed comes from 1.23.5)

A case of random_streams.json: "call" is Lua on a fresh RandomState(seed) named r, "numpy" what was evaluated here.
A case of array_print.json: "expr" is Lua, "numpy" Python, "text" what str() gives under "options".
"""
import json
import os
import warnings

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data")
warnings.simplefilter("ignore")


def write(name, cases):
    with open(os.path.join(ROOT, name), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


def plain(v):
    if v.dtype.kind == "f":
        return [x if np.isfinite(x) else "nan" if x != x else "inf" if x > 0 else "-inf" for x in v.ravel().tolist()]
    if v.dtype == np.uint64:
        return [str(x) if x >= 2**63 else x for x in v.ravel().tolist()]
    return v.ravel().tolist()


# ---- random streams: Lua text and Python text, the same where None -------------------------------------------------
RANDOM = [
    ("r:beta(0.3, 0.7, 5)", None), ("r:beta(1e-8, 1e-8, 5)", None), ("r:beta(2, 0.5, 5)", None),
    ("r:beta(1e-200, 1e-200, 5)", None),
    ("r:binomial(10, 0.3, 5)", None),
    ("r:binomial(1000, 0.9, 5)", None),
    ("r:binomial(10^12, 1e-3, 5)", "r.binomial(10**12, 1e-3, 5)"),
    ("r:binomial({5, 50, 500}, {{0.1}, {0.7}})", "r.binomial([5, 50, 500], [[0.1], [0.7]])"),
    ("r:binomial(0, 0.5, 3)", None),
    ("r:chisquare(0.5, 5)", None), ("r:chisquare(7, 5)", None), ("r:exponential(2.5, 5)", None), ("r:f(3, 8, 5)", None),
    ("r:gamma(0.01, 3, 5)", None),
    ("r:gamma(1, 2, 5)", None),
    ("r:gamma({0.5, 1, 40}, {{1}, {2}})", "r.gamma([0.5, 1, 40], [[1], [2]])"),
    ("r:geometric(0.01, 5)", None), ("r:geometric(0.9, 5)", None), ("r:gumbel(1, 2, 5)", None),
    ("r:hypergeometric(50, 70, 8, 5)", None),
    ("r:hypergeometric(500, 70, 300, 5)", None),
    ("r:hypergeometric(7, 900, 500, 5)", None),
    ("r:laplace(0, 3, 5)", None),
    ("r:logistic(1, 2, 5)", None),
    ("r:lognormal(0.5, 0.7, 5)", None),
    ("r:logseries(0.9, 8)", None),
    ("r:negative_binomial(3.5, 0.2, 5)", None), ("r:noncentral_chisquare(0.5, 3, 5)", None),
    ("r:noncentral_chisquare(5, 3, 5)", None),
    ("r:noncentral_chisquare(5, 0, 5)", None),
    ("r:noncentral_f(3, 4, 2, 5)", None),
    ("r:normal({0, 10}, {{1}, {2}})", "r.normal([0, 10], [[1], [2]])"),
    ("r:pareto(3, 5)", None),
    ("r:poisson(3.3, 5)", None),
    ("r:poisson(1e9, 5)", None), ("r:poisson({0, 1, 100})", "r.poisson([0, 1, 100])"), ("r:power(0.4, 5)", None),
    ("r:random_sample({2, 2})", "r.random_sample((2, 2))"), ("r:rayleigh(2, 5)", None), ("r:standard_cauchy(5)", None),
    ("r:standard_exponential(5)", None), ("r:standard_gamma(4.5, 5)", None), ("r:standard_normal(5)", None),
    ("r:standard_t(2.5, 5)", None),
    ("r:tomaxint(4)", None),
    ("r:triangular(-1, 0, 3, 5)", None),
    ("r:uniform(-2, 5, 5)", None),
    ("r:vonmises(1, 4, 5)", None),
    ("r:vonmises(-2, 1e-9, 5)", None),
    ("r:vonmises(0, 1e-6, 5)", None),
    ("r:wald(2, 3, 5)", None),
    ("r:weibull(1.5, 5)", None), ("r:weibull(0, 2)", None), ("r:zipf(1.5, 5)", None), ("r:zipf(4, 5)", None),
    ("r:randint(0, 2, 40, 'bool')", "r.randint(0, 2, 40, 'bool')"),
    ("r:randint(-128, 128, 9, 'int8')", "r.randint(-128, 128, 9, 'int8')"),
    ("r:randint(3, 250, 9, 'uint8')", "r.randint(3, 250, 9, 'uint8')"),
    ("r:randint(-9, 30000, 9, 'int16')", "r.randint(-9, 30000, 9, 'int16')"),
    ("r:randint(0, 65536, 9, 'uint16')", "r.randint(0, 65536, 9, 'uint16')"),
    ("r:randint(-(1 << 31), 1 << 31, 5, 'int32')", "r.randint(-2**31, 2**31, 5, 'int32')"),
    ("r:randint(7, 1 << 32, 5, 'uint32')", "r.randint(7, 2**32, 5, 'uint32')"),
    ("r:randint(math.mininteger, 2.0^63, 5)", "r.randint(-2**63, 2**63, 5)"),
    ("r:randint(0, 2.0^64, 5, 'uint64')", "r.randint(0, 2**64, 5, 'uint64')"), ("r:randint(5, 6, 3)", None),
    ("r:randint({0, 5, -10}, {{20}, {300}})", "r.randint([0, 5, -10], [[20], [300]])"),
    ("r:randint({0, 5, 10}, {{20}, {100}}, nil, 'int8')", "r.randint([0, 5, 10], [[20], [100]], dtype='int8')"),
    ("r:random_integers(1, 6, 9)", None), ("r:random_integers(4, nil, 9)", "r.random_integers(4, size=9)"),
    ("r:choice(9, {2, 3})", "r.choice(9, (2, 3))"), ("r:choice(20, 6, false)", "r.choice(20, 6, False)"),
    ("r:choice(5, 9, true, {0.1, 0, 0.4, 0.3, 0.2})", "r.choice(5, 9, True, [0.1, 0, 0.4, 0.3, 0.2])"),
    ("r:choice(5, 4, false, {0.1, 0, 0.4, 0.3, 0.2})", "r.choice(5, 4, False, [0.1, 0, 0.4, 0.3, 0.2])"),
    ("r:choice({1.5, 2.5, 9.5}, 5)", "r.choice([1.5, 2.5, 9.5], 5)"), ("r:permutation(12)", None),
    ("r:permutation(nd.arange(12):reshape(6, 2))", "r.permutation(np.arange(12).reshape(6, 2))"),
    ("r:permutation({1.5, 2.5, 3.5, 4.5})", "r.permutation([1.5, 2.5, 3.5, 4.5])"),
    ("r:multinomial(100, {0.2, 0.3, 0.5}, {2, 2})", "r.multinomial(100, [0.2, 0.3, 0.5], (2, 2))"),
    ("r:multinomial(20, {0.5, 0.5, 0, 0})", "r.multinomial(20, [0.5, 0.5, 0, 0])"),
    ("r:dirichlet({0.5, 2, 3}, 2)", "r.dirichlet([0.5, 2, 3], 2)"), ("r:rand(2, 3)", None), ("r:randn(3, 3)", None),
]


def random_streams():
    cases = []
    for i, (call, text) in enumerate(RANDOM):
        text = text or call.replace("r:", "r.")
        r = np.random.RandomState(seed := 1000 + i)
        outputs = []
        for _ in range(2):
            v = np.asarray(eval(text))
            outputs.append({"dtype": str(v.dtype), "shape": list(v.shape), "data": plain(v)})
        cases.append({"seed": seed, "call": call, "numpy": text, "outputs": outputs})
    write("random_streams.json", cases)


# ---- printed arrays ------------------------------------------------------------------------------------------------
PLAIN = {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 75, "suppress": False}
PRINTED = [
    ([1.5, 2, -3], "float64", {}), ([[1, 2], [3, 40]], "int64", {}), ([True, False], "bool", {}),
    ([1 + 2j, 3], "complex128", {}), ([1e-8j, 3e9 - 1j, complex("nan")], "complex128", {}),
    ([complex("inf"), 1 - 0.5j], "complex64", {}), ([float("nan"), float("inf"), -float("inf")], "float64", {}),
    ([float("nan"), 1e10, -5], "float32", {}), ([1e10, 1.0], "float64", {}), ([0.1, 1 / 3], "float32", {}),
    ([1e-5, 1.0], "float64", {}), ([1e-320, 1e300], "float64", {}), ([-0.0, 0.0], "float64", {}),
    ([0.1, 0.25, 1e5], "float64", {"precision": 3}), ([123456.789, 1e-3], "float64", {"suppress": True}),
    ([1e9, 1e-9], "float64", {"suppress": True}), ([1e-12, 1.0], "float64", {"suppress": True, "precision": 4}),
    ([0.5, 1.25, 2.675], "float64", {"precision": 0}), ([1 / 3, 2 / 3], "float64", {"precision": 20}),
    ([2**63, 2**64 - 1, 0], "uint64", {}), ([-128, 127], "int8", {}), (list(range(30)), "int16", {}),
    (list(range(30)), "float64", {"linewidth": 20}), (list(range(10)), "int64", {"threshold": 5}),
    (list(range(10)), "float64", {"threshold": 5, "edgeitems": 1}), ([0.001 * i for i in range(40)], "float64", {}),
    ([], "float64", {}), ([], "int32", {}), ([[], []], "float64", {}), (1 / 3, "float64", {}), (5, "int32", {}),
    (1 - 2j, "complex64", {}), (True, "bool", {}), ([[[1.5], [2.5]], [[3.25], [4]]], "float32", {}),
    ([[list(range(12))] * 3] * 5, "int64", {"threshold": 20, "edgeitems": 2, "linewidth": 40}),
    ([[1e-3 * 7**i for i in range(9)]] * 9, "float32", {"threshold": 20}), ([100000000.0], "float64", {}),
    ([99999999.0], "float64", {}), ([0.0001, 0.1], "float64", {}), ([1.0, 1000.0], "float64", {}),
    ([1.0, 1001.0], "float64", {}), ([16777216.0, 0.5], "float32", {}), ([1e6, 2e6], "float32", {}),
    ([999999.0, 2.5], "float32", {}), ([999.5, 1.0], "float16", {}), ([1000.0, 1.0], "float16", {}),
    (1e6, "float32", {}), (1000.0, "float16", {}), (1e15, "float64", {}), (1e6 + 2j, "complex64", {}),
    ([0.0001, 0.01], "float32", {}), ([1e-5, 0.5], "float64", {"floatmode": "unique", "suppress": True}),
    (5, "int16", {"sign": "+"}), ([True], "bool", {"sign": " "}), ([5, 7], "uint8", {"sign": " "}),
]
OPTIONS = [{"floatmode": "fixed"}, {"floatmode": "unique"}, {"floatmode": "maxprec_equal", "precision": 3},
           {"sign": "+"}, {"sign": " ", "floatmode": "fixed", "precision": 2}, {"nanstr": "missing", "infstr": "oo"},
           {"floatmode": "fixed", "precision": 30}, {"sign": "+", "nanstr": "n", "floatmode": "unique"}]


def random_arrays():
    rng = np.random.RandomState(11)
    for i in range(64):
        dtype = ["float16", "float32", "float64", "complex64", "int32"][i % 5]
        v = np.round(rng.randn(4) * 10.0 ** rng.randint(-6, 9), rng.randint(0, 9))
        if i % 3 == 0 and dtype != "int32":
            v[rng.randint(4)] = [np.nan, np.inf, -np.inf, -0.0][rng.randint(4)]
        yield (v.astype("float64") + (1j * v[::-1] if dtype[0] == "c" else 0)).astype(dtype), OPTIONS[i % 8]


def literal(v):
    if isinstance(v, list):
        return [literal(x) for x in v]
    if isinstance(v, complex):
        return [literal(v.real), literal(v.imag)]
    if isinstance(v, float) and not np.isfinite(v):
        return "nan" if v != v else "inf" if v > 0 else "-inf"
    return str(v) if isinstance(v, int) and v >= 2**63 else v


def printed():
    cases = []
    given = [(np.array(value, dtype), options) for value, dtype, options in PRINTED]
    for a, options in given + list(random_arrays()):
        with np.printoptions(**{**PLAIN, **options}):
            cases.append({"dtype": str(a.dtype), "shape": list(a.shape), "data": literal(a.ravel().tolist()),
                          "options": options, "str": str(a), "repr": repr(a)})
    write("array_print.json", cases)


# ---- indexing: random subscripts, read and assigned ----------------------------------------------------------------
def lua(v):
    if isinstance(v, list):
        return "{" + ", ".join(lua(x) for x in v) + "}"
    return str(v).lower() if isinstance(v, bool) else str(v)


def array_text(a):
    if not a.size:
        return "nd.zeros(%s, '%s')" % (lua(list(a.shape)), a.dtype)
    return "nd.array(%s, '%s'):reshape(%s)" % (lua(a.ravel().tolist()), a.dtype, lua(list(a.shape)))


def entry(rng, shape, axis):
    """One entry of a subscript: Python value, Lua text, axes it takes."""
    n, kind = shape[axis], rng.randint(11)
    if kind <= 1 and n:
        i = int(rng.randint(-n, n))
        return i, str(i), 1
    if kind <= 4:
        ends = [None if rng.rand() < 0.4 else int(rng.randint(-n - 2, n + 3)) for _ in range(2)]
        ends.append(None if rng.rand() < 0.4 else int(rng.choice([-3, -2, -1, 1, 2, 3])))
        return slice(*ends), "T.slice(%s)" % ", ".join("nil" if x is None else str(x) for x in ends), 1
    if kind == 5:
        return None, "T.newaxis", 0
    if kind <= 8 and n:
        i = rng.randint(-n, n, [(2,), (3,), (2, 1), (1, 3)][rng.randint(4)])
        return i, array_text(i), 1
    if kind == 10 and axis + 2 <= len(shape):
        m = rng.rand(*shape[axis:axis + 2]) < 0.5
        return m, array_text(m), 2
    m = rng.rand(n) < 0.5
    return m, array_text(m), 1


def indexing():
    rng = np.random.RandomState(5)
    cases = []
    while len(cases) < 160:
        shape = tuple(int(x) for x in rng.choice([1, 2, 3, 4, 5], rng.randint(1, 5)))
        a = np.arange(int(np.prod(shape))).reshape(shape)
        text = "nd.arange(%d):reshape(%s)" % (a.size, lua(list(shape)))
        if rng.rand() < 0.3:
            a, text = a.T, text + ".T"
        at, sub, texts = 0, [], []
        while at < a.ndim and rng.rand() < 0.85:
            if Ellipsis not in [x if x is Ellipsis else 0 for x in sub] and rng.rand() < 0.1:
                sub.append(Ellipsis)
                texts.append("'...'")
                at += int(rng.randint(0, a.ndim - at + 1))
                continue
            value, t, taken = entry(rng, a.shape, at)
            sub.append(value)
            texts.append(t)
            at += taken
        if not sub:
            continue
        try:
            got = np.asarray(a[tuple(sub)])
        except IndexError:
            continue
        b = a.copy()
        value = -1 - np.arange(got.size).reshape(got.shape) if rng.rand() < 0.6 else np.array(-7)
        b[tuple(sub)] = value
        cases.append({"array": text, "sub": "{" + ", ".join(texts) + "}", "value": array_text(value),
                      "got": {"dtype": "int64", "shape": list(got.shape), "data": got.ravel().tolist()},
                      "set": {"dtype": "int64", "shape": list(b.shape), "data": b.ravel().tolist()}})
    write("array_index.json", cases)


# ---- functions: Lua text, Python text (the same where None) -------------------------------------------------------
A = "nd.array({{3, 1, 2}, {6, 5, 4}, {9, 8, 8}, {0, 7, 1}}, 'float64')"
F = "nd.array({{1.5, nd.nan, -2}, {nd.nan, nd.nan, 4}})"
FUNCTIONS = [
    ("nd.vstack({nd.arange(3), nd.arange(3) * 2})", None),
    ("nd.vstack({A, A['1:']})", None),
    ("nd.hstack({nd.arange(3), nd.arange(2)})", None),
    ("nd.hstack({A, A['..., :1']})", "np.hstack([A, A[..., :1]])"),
    ("nd.dstack({A, A})", None),
    ("nd.dstack({nd.arange(3), nd.arange(3)})", None),
    ("nd.column_stack({nd.arange(4), A})", None),
    ("nd.flip(A)", None),
    ("nd.flip(A, 1)", None),
    ("nd.flip(A, {0, -1})", "np.flip(A, (0, -1))"),
    ("nd.fliplr(A)", None),
    ("nd.flipud(A)", None),
    ("nd.rot90(A)", None),
    ("nd.rot90(A, 2)", None),
    ("nd.rot90(A, -1)", None),
    ("nd.expand_dims(A, 1)", None),
    ("nd.expand_dims(A, {0, -1})", "np.expand_dims(A, (0, -1))"),
    ("nd.atleast_3d(A)", None),
    ("nd.atleast_3d(nd.arange(3))", None),
    ("nd.atleast_2d(5)", None),
    ("nd.broadcast_to(nd.arange(3), {2, 3})", None),
    ("nd.split(A, 2)[2]", "np.split(A, 2)[1]"),
    ("nd.split(A, {1, 3})[2]", "np.split(A, [1, 3])[1]"),
    ("nd.split(A, 3, 1)[3]", "np.split(A, 3, 1)[2]"),
    ("nd.array_split(A, 3)[2]", "np.array_split(A, 3)[1]"),
    ("nd.hsplit(A, {2})[1]", "np.hsplit(A, [2])[0]"),
    ("nd.append(A, {{1, 1, 1}}, 0)", None),
    ("nd.append({1, 2}, {{3.5}})", None),
    ("nd.delete(A, 1, 0)", None),
    ("nd.delete(A, {0, -1}, 1)", None),
    ("nd.delete(A, {2, 5})", None),
    ("nd.insert(A, 1, 7, 0)", None),
    ("nd.insert(A, -1, {4, 3, 2, 1}, 1)", None),
    ("nd.insert({1, 2, 3}, 3, {8, 9})", None),
    ("nd.identity(3)", None),
    ("nd.vander({1, 2, 3}, 4)", None),
    ("nd.vander({1, 2, 3}, 3, true)", "np.vander([1, 2, 3], 3, True)"),
    ("nd.indices({2, 3})", "np.indices((2, 3))"),
    ("nd.diagflat({{1, 2}, {3, 4}}, 1)", None),
    ("nd.logspace(0, 3, 5)", None),
    ("nd.linspace(1, 2, 7, {endpoint = false})", "np.linspace(1, 2, 7, endpoint=False)"),
    ("nd.linspace(0, 10, {num = 4, dtype = 'int64'})", "np.linspace(0, 10, 4, dtype='int64')"),
    ("nd.meshgrid({1, 2, 3}, {4, 5})", "np.meshgrid([1, 2, 3], [4, 5])[0]"),
    ("select(3, nd.meshgrid({1, 2, 3}, {4, 5}, {6, 7}, {indexing = 'ij'}))",
     "np.meshgrid([1, 2, 3], [4, 5], [6, 7], indexing='ij')[2]"),
    ("nd.median(A)", None),
    ("nd.median(A, 0)", None),
    ("nd.median(A, {axis = 1})", "np.median(A, axis=1)"),
    ("nd.median(F, 1)", None),
    ("nd.median(A:astype('int32'), 1)", "np.median(A.astype('int32'), 1)"),
    ("nd.percentile(A, 37.5)", None),
    ("nd.percentile(A, {0, 10, 99, 100}, 0)", None),
    ("nd.percentile(F, 30, 0)", None),
    ("nd.quantile(A, 0.7, {axis = 1})", "np.quantile(A, 0.7, axis=1)"),
    ("nd.average(A, 1, {1, 2, 0.5})", None),
    ("nd.average(A, 0)", None),
    ("nd.corrcoef(A)", None),
    ("nd.histogram(A)", "np.histogram(A)[0]"),
    ("select(2, nd.histogram(A, 4))", "np.histogram(A, 4)[1]"),
    ("nd.histogram(A, 4, {1, 8})", "np.histogram(A, 4, (1, 8))[0]"),
    ("nd.histogram(A, {0, 1, 5, 9})", "np.histogram(A, [0, 1, 5, 9])[0]"),
    ("nd.histogram(A, {bins = 3, density = true})", "np.histogram(A, 3, density=True)[0]"),
    ("nd.histogram(A, {bins = 3, weights = A})", "np.histogram(A, 3, weights=A)[0]"),
    ("nd.histogram({2, 2})", "np.histogram([2, 2])[0]"),
    ("nd.histogram(nd.zeros(0))", "np.histogram(np.zeros(0))[0]"),
    ("nd.isfinite(F)", None),
    ("nd.isfinite({1.0, nd.inf, -nd.inf})", None),
    ("nd.nan_to_num(F)", None),
    ("nd.nan_to_num({nd.inf, -nd.inf, nd.nan}, 1)", None),
    ("nd.nansum(F)", None),
    ("nd.nansum(F, 0)", None),
    ("nd.nanmean(F, 1)", None),
    ("nd.nanmax(F, 0)", None),
    ("nd.nanmin(F)", None),
    ("nd.nanmax(nd.arange(3))", None),
    ("nd.logical_and(A, nd.eye(4, 3))", None),
    ("nd.logical_or(A, 0)", None),
    ("nd.logical_xor(A, 1)", None),
    ("nd.logical_not(A)", None),
    ("nd.isin(A, {1, 8, 20})", None),
    ("nd.isin(A, nd.zeros(0))", None),
    ("nd.intersect1d(A, {8, 8, 1, 30})", None),
    ("nd.union1d({3, 1}, {2, 3})", None),
    ("nd.setdiff1d(A, {1, 2, 3})", None),
    ("nd.argwhere(nd.greater(A, 5))", None),
    ("nd.where(nd.greater(A, 5))", "np.where(np.greater(A, 5))[0]"),
    ("nd.extract(nd.less(A, 3), A)", None),
    ("nd.digitize(A, {1, 4, 8})", None),
    ("nd.digitize(A, {1, 4, 8}, true)", "np.digitize(A, [1, 4, 8], True)"),
    ("nd.digitize(A, {8, 4, 1})", None),
    ("nd.interp({0, 1, 1.5, 2.25, 9}, {1, 2, 4}, {10, 20, 0})", None),
    ("nd.interp(3, {1}, {7})", None),
    ("nd.take_along_axis(A, nd.argsort(A, 1), 1)", None),
    ("nd.take_along_axis(A, nd.argsort(A, 0)[':1'], 0)", None),
    ("nd.ediff1d(A)", None),
    ("nd.trapz(A)", "trapezoid(A)"),
    ("nd.trapz(A, {0, 1, 4})", "trapezoid(A, [0, 1, 4])"),
    ("nd.polyval({1, -2, 3}, A)", None),
    ("nd.convolve({1, 2, 3}, {0, 1, 0.5})", None),
    ("nd.convolve({1, 2, 3, 4}, {1, 1}, 'same')", None),
    ("nd.convolve({1, 2}, {1, 1, 2, 5}, 'valid')", None),
    ("nd.einsum('ij,jk->ik', A, A.T)", None),
    ("nd.einsum('ij,kj', A, A)", None),
    ("nd.einsum('ii', A['1:'])", None),
    ("nd.einsum('ii->i', A['1:'])", None),
    ("nd.einsum('ij->ji', A)", None),
    ("nd.einsum('ij->', A)", None),
    ("nd.einsum('ij,ij->i', A, A)", None),
    ("nd.einsum('i,j->ij', nd.arange(3), nd.arange(2))", None),
    ("nd.einsum('ij,jk,kl->il', A, A.T, A)", None),
    ("nd.einsum('bij,bjk->bik', nd.dstack({A, A}), nd.dstack({A, A}):swapaxes(1, 2))",
     "np.einsum('bij,bjk->bik', np.dstack([A, A]), np.dstack([A, A]).swapaxes(1, 2))"),
    ("nd.einsum('iij->j', nd.arange(12):reshape(2, 2, 3))", "np.einsum('iij->j', np.arange(12).reshape(2, 2, 3))"),
    ("nd.matmul(A.T, A)", None),
    ("nd.matmul(nd.arange(24.0):reshape(2, 3, 4), A)", "np.matmul(np.arange(24.0).reshape(2, 3, 4), A)"),
    ("nd.matmul(nd.arange(48.0):reshape(2, 2, 3, 4), nd.arange(8.0):reshape(2, 1, 4, 1))",
     "np.matmul(np.arange(48.0).reshape(2, 2, 3, 4), np.arange(8.0).reshape(2, 1, 4, 1))"),
    ("nd.matmul(nd.arange(24.0):reshape(2, 3, 4), {1, 2, 3, 4})",
     "np.matmul(np.arange(24.0).reshape(2, 3, 4), [1, 2, 3, 4])"),
    ("nd.inner(A, A['1:'])", None),
    ("nd.inner({1, 2}, {3, 4})", None),
    ("nd.vdot(A, A)", None),
    ("nd.kron(A, {{1, 2}})", None),
    ("nd.kron({1, 10}, {5, 6, 7})", None),
    ("nd.cross(A, A['::-1'])", None),
    ("nd.sign(A - 4)", None),
    ("nd.multiply(A, 2)", None),
    ("nd.remainder(A, 4)", None),
    ("nd.around(A / 4)", None),
    ("nd.fix(A / -4)", None),
    ("nd.rint({0.5, 1.5, -2.5})", None),
    ("nd.amax(A, 0)", None),
]


def python_of(text):
    text = text.replace("nd.", "np.").replace("['1:']", "[1:]").replace("[':1']", "[:1]").replace("['::-1']", "[::-1]")
    return text.replace("{", "[").replace("}", "]").replace(":astype", ".astype")


def functions():
    env = {"np": np, "trapezoid": getattr(np, "trapezoid", None) or np.trapz,
           "A": eval(python_of(A)), "F": eval(python_of(F))}
    cases = []
    for call, text in FUNCTIONS:
        v = np.asarray(eval(text or python_of(call), env))
        cases.append({"call": call, "output": {"dtype": str(v.dtype), "shape": list(v.shape), "data": plain(v)}})
    write("array_functions.json", [{"A": A, "F": F}] + cases)


# ---- files ---------------------------------------------------------------------------------------------------------
def files():
    """Every dtype counts 0 1 2 3 4 5 (bool: odd or even; complex: k - 1j) in shape (2, 3)."""
    def path(name):
        return os.path.join(ROOT, "files", name)
    os.makedirs(path(""), exist_ok=True)
    kinds = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
             "complex64", "complex128"]
    count = np.arange(6).reshape(2, 3)
    arrays = {k: (count % 2 == 1 if k == "bool" else count - 1j if k[0] == "c" else count).astype(k) for k in kinds}
    np.savez(path("dtypes.npz"), **arrays)
    np.savez_compressed(path("deflated.npz"), **arrays)
    np.savez(path("big_endian.npz"), **{k: a.astype(a.dtype.newbyteorder(">")) for k, a in arrays.items()})
    np.savez(path("fortran.npz"), **{k: np.asfortranarray(a) for k, a in arrays.items()})
    np.savez(path("shapes.npz"), scalar=np.float64(2.5), empty=np.zeros((0, 3), "float32"),
             five=np.ones((1,) * 5, "int8"))
    np.save(path("plain.npy"), arrays["float64"])
    np.save(path("transposed.npy"), arrays["float64"].T)
    for version in ((2, 0), (3, 0)):
        with open(path("version%d.npy" % version[0]), "wb") as f:
            np.lib.format.write_array(f, arrays["int16"], version)
    np.save(path("objects.npy"), np.array([None, 1]), allow_pickle=True)
    np.save(path("record.npy"), np.zeros(2, [("a", "f4"), ("b", "i2")]))
    with open(path("text.npy"), "wb") as f:
        np.save(f, np.array(["ab", "c"]))
    np.savetxt(path("plain.txt"), count / 3, header="a b\nc")
    np.savetxt(path("format.csv"), count / 3 - 1, fmt="%.6g", delimiter=",")
    np.savetxt(path("complex.txt"), arrays["complex128"])
    try:
        from safetensors.numpy import save_file
    except ImportError:
        print("safetensors is not installed: reference.safetensors stays as it is")
        return
    named = {k: a for k, a in arrays.items() if k[0] != "c"}
    named["q\"\\\n\u00e9"] = np.array(2.5, "float32")
    save_file(named, path("reference.safetensors"), {"note": "a \"quoted\"\tline\n\u00e9"})


if __name__ == "__main__":
    random_streams()
    printed()
    indexing()
    functions()
    files()
