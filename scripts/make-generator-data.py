#!/usr/bin/env python3
"""Writes spec/data/generator.json: what NumPy's Generator(PCG64(seed)) draws. Needs NumPy 2.4 or newer (wald).

Each case: seed (an integer or a list), call (Lua, of a generator g and nd), outputs: the results of two calls one after
the other."""
import json

import numpy as np

# The call in Lua, the same in Python.
CALLS = [
    ("g:random(5)", lambda g: g.random(5)),
    ("g:random({ 2, 3 }, 'float32')", lambda g: g.random((2, 3), dtype="float32")),
    ("g:standard_normal(300)", lambda g: g.standard_normal(300)),
    ("g:standard_normal(300, 'float32')", lambda g: g.standard_normal(300, dtype="float32")),
    ("g:standard_exponential(300)", lambda g: g.standard_exponential(300)),
    ("g:standard_exponential(300, 'float32')", lambda g: g.standard_exponential(300, dtype="float32")),
    ("g:uniform(-2, 3, { 2, 2 })", lambda g: g.uniform(-2, 3, (2, 2))),
    ("g:uniform({ 0, 10 }, { 1, 20 })", lambda g: g.uniform([0, 10], [1, 20])),
    ("g:normal(4, 2, 5)", lambda g: g.normal(4, 2, 5)),
    ("g:normal({ 1, 2, 3 }, 0.5)", lambda g: g.normal([1, 2, 3], 0.5)),
    ("g:exponential(2.5, 4)", lambda g: g.exponential(2.5, 4)),
    ("g:integers(10, { size = 9 })", lambda g: g.integers(10, size=9)),
    ("g:integers(-5, 5, 9, 'int8')", lambda g: g.integers(-5, 5, 9, dtype="int8")),
    ("g:integers(0, 256, 9, 'uint8')", lambda g: g.integers(0, 256, 9, dtype="uint8")),
    ("g:integers(0, 1000, 9, 'int16')", lambda g: g.integers(0, 1000, 9, dtype="int16")),
    ("g:integers(0, 60000, 9, 'uint16')", lambda g: g.integers(0, 60000, 9, dtype="uint16")),
    ("g:integers(0, 65536, 9, 'uint16')", lambda g: g.integers(0, 65536, 9, dtype="uint16")),
    ("g:integers(-100000, 100000, 9, 'int32')", lambda g: g.integers(-100000, 100000, 9, dtype="int32")),
    ("g:integers(0, 1 << 32, 5, 'uint32')", lambda g: g.integers(0, 1 << 32, 5, dtype="uint32")),
    ("g:integers(0, 1 << 40, 5)", lambda g: g.integers(0, 1 << 40, 5)),
    ("g:integers(0, 3 << 61, 5, 'uint64')", lambda g: g.integers(0, 3 << 61, 5, dtype="uint64")),
    ("g:integers(0, 2, 40, 'bool')", lambda g: g.integers(0, 2, 40, dtype="bool")),
    ("g:integers{ low = 1, high = 6, size = 8, endpoint = true }", lambda g: g.integers(1, 6, 8, endpoint=True)),
    ("g:integers({ 0, 5, 10 }, { 2, 7, 1000000 })", lambda g: g.integers([0, 5, 10], [2, 7, 1000000])),
    ("g:beta(2, 3, 20)", lambda g: g.beta(2, 3, 20)),
    ("g:beta(0.4, 0.7, 20)", lambda g: g.beta(0.4, 0.7, 20)),
    ("g:binomial(10, 0.3, 20)", lambda g: g.binomial(10, 0.3, 20)),
    ("g:binomial({ 1000, 50 }, { 0.4, 0.9 }, { 9, 2 })", lambda g: g.binomial([1000, 50], [0.4, 0.9], (9, 2))),
    ("g:chisquare(3, 20)", lambda g: g.chisquare(3, 20)),
    ("g:dirichlet({ 1, 2, 3 }, 5)", lambda g: g.dirichlet([1, 2, 3], 5)),
    ("g:dirichlet({ .05, .02, .03 }, { 2, 3 })", lambda g: g.dirichlet([.05, .02, .03], (2, 3))),
    ("g:f(4, 7, 20)", lambda g: g.f(4, 7, 20)),
    ("g:gamma(2.5, 3, 20)", lambda g: g.gamma(2.5, 3, 20)),
    ("g:gamma({ 0.3, 1, 4 })", lambda g: g.gamma([0.3, 1, 4])),
    ("g:geometric(0.1, 20)", lambda g: g.geometric(0.1, 20)),
    ("g:geometric(0.6, 20)", lambda g: g.geometric(0.6, 20)),
    ("g:gumbel(1, 2, 20)", lambda g: g.gumbel(1, 2, 20)),
    ("g:hypergeometric(15, 30, 5, 20)", lambda g: g.hypergeometric(15, 30, 5, 20)),
    ("g:hypergeometric(30, 15, 41, 20)", lambda g: g.hypergeometric(30, 15, 41, 20)),
    ("g:hypergeometric(100, 300, 60, 20)", lambda g: g.hypergeometric(100, 300, 60, 20)),
    ("g:hypergeometric(300, 100, 350, 20)", lambda g: g.hypergeometric(300, 100, 350, 20)),
    ("g:laplace(1, 2, 20)", lambda g: g.laplace(1, 2, 20)),
    ("g:logistic(1, 2, 20)", lambda g: g.logistic(1, 2, 20)),
    ("g:lognormal(0.5, 0.25, 20)", lambda g: g.lognormal(0.5, 0.25, 20)),
    ("g:logseries(0.7, 40)", lambda g: g.logseries(0.7, 40)),
    ("g:multinomial(20, { .2, .3, .5 }, 4)", lambda g: g.multinomial(20, [.2, .3, .5], 4)),
    ("nd.round(g:multivariate_normal({ 1, 2 }, { { 2, .5 }, { .5, 1 } }, { 3, 2 }, 'cholesky'), 12)",
     lambda g: g.multivariate_normal([1, 2], [[2, .5], [.5, 1]], (3, 2), method="cholesky").round(12)),
    ("g:multivariate_hypergeometric({ 16, 8, 4 }, 6, 5)", lambda g: g.multivariate_hypergeometric([16, 8, 4], 6, 5)),
    ("g:multivariate_hypergeometric({ 300, 0, 500, 70 }, 600, { 2, 3 })",
     lambda g: g.multivariate_hypergeometric([300, 0, 500, 70], 600, (2, 3))),
    ("g:multivariate_hypergeometric({ 16, 8, 4 }, 6, { size = 5, method = 'count' })",
     lambda g: g.multivariate_hypergeometric([16, 8, 4], 6, 5, method="count")),
    ("g:multivariate_hypergeometric({ 30, 0, 50, 7 }, 60, { 2, 3 }, 'count')",
     lambda g: g.multivariate_hypergeometric([30, 0, 50, 7], 60, (2, 3), method="count")),
    ("g:multivariate_hypergeometric({ 3, 4 }, 7)", lambda g: g.multivariate_hypergeometric([3, 4], 7)),
    ("g:negative_binomial(4, 0.3, 20)", lambda g: g.negative_binomial(4, 0.3, 20)),
    ("g:noncentral_chisquare(3, 2, 20)", lambda g: g.noncentral_chisquare(3, 2, 20)),
    ("g:noncentral_chisquare(0.5, 2, 20)", lambda g: g.noncentral_chisquare(0.5, 2, 20)),
    ("g:noncentral_f(3, 9, 2, 20)", lambda g: g.noncentral_f(3, 9, 2, 20)),
    ("g:pareto(3, 20)", lambda g: g.pareto(3, 20)),
    ("g:poisson(3, 20)", lambda g: g.poisson(3, 20)),
    ("g:poisson({ 0.5, 20, 1000 }, { 5, 3 })", lambda g: g.poisson([0.5, 20, 1000], (5, 3))),
    ("g:power(3, 20)", lambda g: g.power(3, 20)),
    ("g:rayleigh(2, 20)", lambda g: g.rayleigh(2, 20)),
    ("g:standard_cauchy(20)", lambda g: g.standard_cauchy(20)),
    ("g:standard_gamma(0.7, 20)", lambda g: g.standard_gamma(0.7, 20)),
    ("g:standard_t(4, 20)", lambda g: g.standard_t(4, 20)),
    ("g:triangular(-1, 0.5, 3, 20)", lambda g: g.triangular(-1, 0.5, 3, 20)),
    ("g:vonmises(1, 4, 20)", lambda g: g.vonmises(1, 4, 20)),
    ("g:vonmises(3, 2e6, 20)", lambda g: g.vonmises(3, 2e6, 20)),
    ("g:wald(2.7, 3.1, 20)", lambda g: g.wald(2.7, 3.1, 20)),
    ("g:weibull(1.5, 20)", lambda g: g.weibull(1.5, 20)),
    ("g:zipf(2.5, 40)", lambda g: g.zipf(2.5, 40)),
    ("g:permuted(nd.arange(12):reshape(3, 4), 1)", lambda g: g.permuted(np.arange(12).reshape(3, 4), axis=1)),
    ("g:permuted(nd.arange(24):reshape(2, 3, 4), 0)", lambda g: g.permuted(np.arange(24).reshape(2, 3, 4), axis=0)),
    ("g:permuted(nd.arange(12):reshape(3, 4))", lambda g: g.permuted(np.arange(12).reshape(3, 4))),
    ("g:permutation(9)", lambda g: g.permutation(9)),
    ("g:permutation(nd.arange(12):reshape(4, 3))", lambda g: g.permutation(np.arange(12).reshape(4, 3))),
    ("g:permutation(nd.arange(12):reshape(4, 3), 1)", lambda g: g.permutation(np.arange(12).reshape(4, 3), 1)),
    ("g:choice(7, 6)", lambda g: g.choice(7, 6)),
    ("g:choice(7, 5, false)", lambda g: g.choice(7, 5, replace=False)),
    ("g:choice(7, { size = 5, replace = false, shuffle = false })",
     lambda g: g.choice(7, 5, replace=False, shuffle=False)),
    ("g:choice(20000, 1500, false)", lambda g: g.choice(20000, 1500, replace=False)),
    ("g:choice(20000, 20, false)", lambda g: g.choice(20000, 20, replace=False)),
    ("g:choice(4, { 2, 3 }, { p = { .1, .2, .3, .4 } })", lambda g: g.choice(4, (2, 3), p=[.1, .2, .3, .4])),
    ("g:choice(4, 3, false, { .1, .2, .3, .4 })", lambda g: g.choice(4, 3, replace=False, p=[.1, .2, .3, .4])),
    ("nd.array({ g:bytes(7):byte(1, -1) }, 'uint8')", lambda g: np.frombuffer(g.bytes(7), dtype="uint8")),
    ("nd.concatenate{ g:random(3, 'float32'):astype('float64'), g:random(2) }",
     lambda g: np.concatenate([g.random(3, dtype="float32").astype("float64"), g.random(2)])),
    ("g.bit_generator:random_raw(3)", lambda g: g.bit_generator.random_raw(3)),
    ("g:spawn(2)[2]:random(2)", lambda g: g.spawn(2)[1].random(2)),
]


def plain(value):
    a = np.asarray(value)
    data = a.ravel().tolist()
    if a.dtype == np.uint64:
        data = [str(v) for v in data]
    if a.dtype == np.float32:
        data = [float(np.format_float_positional(v, unique=True)) for v in a.ravel()]
    return {"dtype": str(a.dtype), "shape": list(a.shape), "data": data}


def cases():
    for seed in (0, 1, 12345, [1, 2, 3], 2**63 - 25):
        for call, run in CALLS:
            if seed not in (0, 12345) and not call.startswith(("g:random", "g:integers(10", "g:permutation(9")):
                continue
            g = np.random.Generator(np.random.PCG64(seed))
            yield {"seed": seed, "call": call, "outputs": [plain(run(g)) for _ in range(2)]}


with open("spec/data/generator.json", "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases()) + "\n]\n")
