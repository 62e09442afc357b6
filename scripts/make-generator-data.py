#!/usr/bin/env python3
"""Writes spec/data/generator.json: what NumPy's Generator(PCG64(seed)) draws. Needs NumPy 1.25 or newer.

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
