#!/usr/bin/env python3
"""Reference answers of NumPy for arrays: writes spec/data/random_streams.json, array_print.json and files/.

    python3 scripts/make-array-data.py        (NumPy 1.23 or later; what is committed comes from 1.23.5)

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


# ---- random streams: Lua text and Python text, the same where None ---------------------------------------------------
RANDOM = [
    ("r:beta(0.3, 0.7, 5)", None), ("r:beta(1e-8, 1e-8, 5)", None), ("r:beta(2, 0.5, 5)", None),
    ("r:beta(1e-200, 1e-200, 5)", None),
    ("r:binomial(10, 0.3, 5)", None), ("r:binomial(1000, 0.9, 5)", None),
    ("r:binomial(10^12, 1e-3, 5)", "r.binomial(10**12, 1e-3, 5)"),
    ("r:binomial({5, 50, 500}, {{0.1}, {0.7}})", "r.binomial([5, 50, 500], [[0.1], [0.7]])"),
    ("r:binomial(0, 0.5, 3)", None),
    ("r:chisquare(0.5, 5)", None), ("r:chisquare(7, 5)", None), ("r:exponential(2.5, 5)", None), ("r:f(3, 8, 5)", None),
    ("r:gamma(0.01, 3, 5)", None), ("r:gamma(1, 2, 5)", None),
    ("r:gamma({0.5, 1, 40}, {{1}, {2}})", "r.gamma([0.5, 1, 40], [[1], [2]])"),
    ("r:geometric(0.01, 5)", None), ("r:geometric(0.9, 5)", None), ("r:gumbel(1, 2, 5)", None),
    ("r:hypergeometric(50, 70, 8, 5)", None), ("r:hypergeometric(500, 70, 300, 5)", None),
    ("r:hypergeometric(7, 900, 500, 5)", None),
    ("r:laplace(0, 3, 5)", None), ("r:logistic(1, 2, 5)", None), ("r:lognormal(0.5, 0.7, 5)", None),
    ("r:logseries(0.9, 8)", None),
    ("r:negative_binomial(3.5, 0.2, 5)", None), ("r:noncentral_chisquare(0.5, 3, 5)", None),
    ("r:noncentral_chisquare(5, 3, 5)", None), ("r:noncentral_chisquare(5, 0, 5)", None),
    ("r:noncentral_f(3, 4, 2, 5)", None),
    ("r:normal({0, 10}, {{1}, {2}})", "r.normal([0, 10], [[1], [2]])"), ("r:pareto(3, 5)", None),
    ("r:poisson(3.3, 5)", None),
    ("r:poisson(1e9, 5)", None), ("r:poisson({0, 1, 100})", "r.poisson([0, 1, 100])"), ("r:power(0.4, 5)", None),
    ("r:random_sample({2, 2})", "r.random_sample((2, 2))"), ("r:rayleigh(2, 5)", None), ("r:standard_cauchy(5)", None),
    ("r:standard_exponential(5)", None), ("r:standard_gamma(4.5, 5)", None), ("r:standard_normal(5)", None),
    ("r:standard_t(2.5, 5)", None), ("r:tomaxint(4)", None), ("r:triangular(-1, 0, 3, 5)", None),
    ("r:uniform(-2, 5, 5)", None),
    ("r:vonmises(1, 4, 5)", None), ("r:vonmises(-2, 1e-9, 5)", None), ("r:vonmises(0, 1e-6, 5)", None),
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


if __name__ == "__main__":
    random_streams()
