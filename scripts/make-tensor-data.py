#!/usr/bin/env python3
"""Writes spec/data/tensor.json: NumPy's answers for indexing, ordering, searching, running sums, diagonals, positions.

    python3 scripts/make-tensor-data.py         (needs NumPy; running the specs does not)

The file is {"exprs": [Lua expression, ..], "sets": [{"dtype", "inputs": {name: array}, "wants": [[array, ..], ..]}]}:
every expression (a list of results) on every set of inputs; null where NumPy refuses. An array is {dtype, shape, data}:
NaN and infinities are texts, complex numbers pairs, integers above 2**63-1 decimal texts. Inputs: x (3, 4), v a
vector, i and j
index vectors, k an index matrix, n a mask of x, r a mask of its rows, s sorted like v, y a second (3, 4).
"""
import json
import os

import numpy as np

from numpy_json import DTYPES, inf, plain

np.seterr(all="ignore")


def setat(x, where, value):
    z = x.copy()
    z[where] = value
    return z


def incat(x, where, value):
    z = x.copy()
    np.add.at(z, where, value)
    return z


def fill(x, value, offset=0):
    z = x.copy()
    for a in range(z.shape[0]):
        if 0 <= a + offset < z.shape[1]:
            z[a, a + offset] = value
    return z


def cum(f, x, axis=None):
    return f(x, axis=axis, dtype=x.dtype)


def topk(x, k, axis=-1):
    order = np.argsort(x, axis=axis, kind="stable")
    if k > 0:  # equal elements: the earlier ones first
        flipped = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
        order = x.shape[axis] - 1 - flipped
    at = np.take(order, range(abs(k)), axis=axis)
    return np.take_along_axis(x, at, axis), at


# Lua expression -> NumPy on (x, v, i, j, k, n, r, s, y)
CASES = [
    # subscripts
    ("{x[i]}", lambda d: [d.x[d.i]]),
    ("{x[k]}", lambda d: [d.x[d.k]]),
    ("{x[{i, j}]}", lambda d: [d.x[d.i, d.j]]),
    ("{x[{T.slice(), j}]}", lambda d: [d.x[:, d.j]]),
    ("{x[{i, T.slice(1, 3)}]}", lambda d: [d.x[d.i, 1:3]]),
    ("{x[{T.addbroadcast(k['0:, 0:1'], 1), j}]}", lambda d: [d.x[d.k[:, :1], d.j]]),
    ("{x[{T.slice(nil, nil, -1), k}]}", lambda d: [d.x[::-1, d.k]]),
    ("{x[{T.newaxis, i, T.slice(), T.newaxis}]}", lambda d: [d.x[None, d.i, :, None]]),
    ("{x[{i, T.newaxis, j}]}", lambda d: [d.x[d.i, None, d.j]]),
    ("{x[{'...', j}]}", lambda d: [d.x[..., d.j]]),
    ("{x[{1, j}]}", lambda d: [d.x[1, d.j]]),
    ("{x[{i, -1}]}", lambda d: [d.x[d.i, -1]]),
    ("{x[n]}", lambda d: [d.x[d.n]]),
    ("{x[r]}", lambda d: [d.x[d.r]]),
    ("{x[{r, 2}]}", lambda d: [d.x[d.r, 2]]),
    ("{x[{r, T.slice(1, nil, 2)}]}", lambda d: [d.x[d.r, 1::2]]),
    ("{T.take(x, k)}", lambda d: [np.take(d.x, d.k)]),
    ("{T.take(x, k, {axis = 1})}", lambda d: [np.take(d.x, d.k, 1)]),
    ("{T.take(x, k + 7, {axis = 0, mode = 'wrap'})}", lambda d: [np.take(d.x, d.k + 7, 0, mode="wrap")]),
    ("{T.take(x, k - 2, {axis = 1, mode = 'clip'})}", lambda d: [np.take(d.x, d.k - 2, 1, mode="clip")]),
    ("{T.set_subtensor(x[i], y[0])}", lambda d: [setat(d.x, d.i, d.y[0])]),
    ("{T.set_subtensor(x[{i, j}], y[{0, 1}])}", lambda d: [setat(d.x, (d.i, d.j), d.y[0, 1])]),
    ("{T.set_subtensor(x[n], y[{0, 0}])}", lambda d: [setat(d.x, d.n, d.y[0, 0])]),
    ("{T.set_subtensor(x[{T.slice(), j}], T.addbroadcast(y['0:, 0:1'], 1))}",
     lambda d: [setat(d.x, (slice(None), d.j), d.y[:, :1])]),
    ("{T.inc_subtensor(x[i], y[i])}", lambda d: [incat(d.x, d.i, d.y[d.i])]),
    ("{T.inc_subtensor(x[{i, j}], y[{i, j}])}", lambda d: [incat(d.x, (d.i, d.j), d.y[d.i, d.j])]),
    ("{T.inc_subtensor(x[k], y[0])}", lambda d: [incat(d.x, d.k, d.y[0])]),
    ("{T.inc_subtensor(x[n], y[{2, 3}])}", lambda d: [incat(d.x, d.n, d.y[2, 3])]),
    ("{T.inc_subtensor(x[{r, T.slice(1)}], y[{0, T.slice(1)}])}",
     lambda d: [incat(d.x, (d.r, slice(1, None)), d.y[0, 1:])]),
    ("{x[{T.slice(2, nil, -1), T.slice(nil, nil, -2)}]}", lambda d: [d.x[2::-1, ::-2]]),
    # positions
    ("{T.nonzero(x)}", lambda d: list(np.nonzero(d.x))),
    ("{T.nonzero(x, {return_matrix = true})}", lambda d: [np.array(np.nonzero(d.x))]),
    ("{T.flatnonzero(x)}", lambda d: [np.flatnonzero(d.x)]),
    ("{T.nonzero_values(x)}", lambda d: [d.x[np.nonzero(d.x)]]),
    ("{T.compress(r, x, {axis = 0})}", lambda d: [np.compress(d.r, d.x, 0)]),
    ("{T.compress(v, v)}", lambda d: [np.compress(d.v != 0, d.v)]),
    ("{T.choose(T.cast(n, 'int8'), {x, y})}", lambda d: [np.choose(d.n.astype("int8"), [d.x, d.y])]),
    ("{T.repeat_(x, 2, {axis = 1})}", lambda d: [np.repeat(d.x, 2, 1)]),
    ("{T.repeat_(x, T.constant({2, 0, 3}), {axis = 0})}", lambda d: [np.repeat(d.x, [2, 0, 3], 0)]),
    ("{T.repeat_(v, T.arange(v.shape[0]))}", lambda d: [np.repeat(d.v, np.arange(len(d.v)))]),
    ("{T.roll(x, 2)}", lambda d: [np.roll(d.x, 2)]),
    ("{T.roll(x, -5, {axis = 1})}", lambda d: [np.roll(d.x, -5, 1)]),
    ("{T.roll(x, 1, {axis = 0})}", lambda d: [np.roll(d.x, 1, 0)]),
    ("{T.tile(x, {2, 1, 3})}", lambda d: [np.tile(d.x, (2, 1, 3))]),
    ("{T.moveaxis(y:dimshuffle(0, 'x', 1), 0, -1)}", lambda d: [np.moveaxis(d.y[:, None], 0, -1)]),
    ("{T.inverse_permutation(T.argsort(v))}", lambda d: [np.argsort(np.argsort(d.v, kind="stable"), kind="stable")]),
    # order
    ("{T.sort(x)}", lambda d: [np.sort(d.x)]),
    ("{T.sort(x, {axis = 0})}", lambda d: [np.sort(d.x, 0)]),
    ("{T.sort(x, T.none)}", lambda d: [np.sort(d.x, None)]),
    ("{T.argsort(x)}", lambda d: [np.argsort(d.x, kind="stable")]),
    ("{T.argsort(x, {axis = 0})}", lambda d: [np.argsort(d.x, 0, kind="stable")]),
    ("{T.argsort(x, T.none)}", lambda d: [np.argsort(d.x, None, kind="stable")]),
    ("{T.sort(v)}", lambda d: [np.sort(d.v)]),
    ("{T.argsort(v)}", lambda d: [np.argsort(d.v, kind="stable")]),
    ("{T.topk_and_argtopk(v, 3)}", lambda d: list(topk(d.v, 3)) if d.v.dtype.kind != "c" else None),
    ("{T.topk_and_argtopk(x, -2, {axis = 0})}", lambda d: list(topk(d.x, -2, 0)) if d.v.dtype.kind != "c" else None),
    ("{T.searchsorted(s, v)}", lambda d: [np.searchsorted(d.s, d.v)]),
    ("{T.searchsorted(s, x, {side = 'right'})}", lambda d: [np.searchsorted(d.s, d.x, "right")]),
    ("{T.searchsorted(v, x, {sorter = T.argsort(v)})}",
     lambda d: [np.searchsorted(d.v, d.x, sorter=np.argsort(d.v, kind="stable"))]),
    ("{T.unique(v, {return_index = true, return_inverse = true, return_counts = true})}",
     lambda d: list(np.unique(d.v, True, True, True))),
    ("{(T.unique(x))}", lambda d: [np.unique(d.x)]),
    ("{T.unique(x[i], {axis = 0, return_counts = true})}",
     lambda d: list(np.unique(d.x[d.i], axis=0, return_counts=True))),
    ("{T.unique(x[{T.slice(), j}], {axis = 1})}", lambda d: [np.unique(d.x[:, d.j], axis=1)]),
    # running sums
    ("{T.cumsum(x), T.cumprod(x)}", lambda d: [cum(np.cumsum, d.x), cum(np.cumprod, d.x)]),
    ("{T.cumsum(x, {axis = 0}), T.cumprod(x, {axis = 0})}",
     lambda d: [cum(np.cumsum, d.x, 0), cum(np.cumprod, d.x, 0)]),
    ("{T.cumsum(x, {axis = -1}), T.cumprod(x, {axis = -1})}",
     lambda d: [cum(np.cumsum, d.x, -1), cum(np.cumprod, d.x, -1)]),
    ("{T.diff(v)}", lambda d: [np.diff(d.v)]),
    ("{T.diff(x, {n = 2, axis = 0})}", lambda d: [np.diff(d.x, 2, 0)]),
    # diagonals and products
    ("{T.diag(v), T.diag(v, -2)}", lambda d: [np.diag(d.v), np.diag(d.v, -2)]),
    ("{T.diag(x), T.diag(x, 2), T.diag(x, -1), T.diag(x, 9)}",
     lambda d: [np.diag(d.x), np.diag(d.x, 2), np.diag(d.x, -1), np.diag(d.x, 9)]),
    ("{T.diagonal(T.stack({x, y}), {offset = 1, axis1 = 0, axis2 = 2})}",
     lambda d: [np.diagonal(np.stack([d.x, d.y]), 1, 0, 2)]),
    ("{T.fill_diagonal(x, y[{0, 1}])}", lambda d: [fill(d.x, d.y[0, 1])]),
    ("{T.fill_diagonal(x.T, y[{0, 1}])}", lambda d: [fill(d.x.T, d.y[0, 1])]),
    ("{T.fill_diagonal_offset(x, y[{0, 1}], 1), T.fill_diagonal_offset(x, y[{0, 1}], -2)}",
     lambda d: [fill(d.x, d.y[0, 1], 1), fill(d.x, d.y[0, 1], -2)]),
    ("{T.batched_dot(x:dimshuffle(0, 1, 'x'), y:dimshuffle(0, 'x', 1))}",
     lambda d: [d.x[:, :, None] * d.y[:, None, :]]),
    ("{T.batched_dot(x, y)}", lambda d: [np.einsum("bi,bi->b", d.x, d.y) if d.x.dtype != bool else (d.x & d.y).any(1)]),
    ("{T.permute_row_elements(x, T.argsort(y)), T.permute_row_elements(x, T.argsort(y), {inverse = true})}",
     lambda d: [np.take_along_axis(d.x, np.argsort(d.y, kind="stable"), 1),
                np.take_along_axis(d.x, np.argsort(np.argsort(d.y, kind="stable"), kind="stable"), 1)]),
]


class Set:
    pass


def values(dtype, rng, shape):
    n = int(np.prod(shape))
    if dtype == "bool":
        a = rng.randint(0, 2, n).astype(bool)
    elif np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        a = rng.randint(0, 7, n).astype(dtype) - (3 if info.min < 0 else 0)
        a = a.astype(dtype)
        if n > 4:
            a[1], a[3] = info.max, info.min
    else:
        a = (np.round(rng.randn(n) * 4) / 4).astype("float64")
        if np.dtype(dtype).kind == "c":
            a = a + 1j * np.round(rng.randn(n) * 4) / 4
        elif n > 6:
            a[1], a[4], a[6] = -inf, inf, -0.0
        a = a.astype(dtype)
    return a.reshape(shape)


def make(dtype, seed, empty):
    rng, d = np.random.RandomState(seed), Set()
    rows = 0 if empty else 3
    d.x, d.y = values(dtype, rng, (3, 4)), values(dtype, rng, (3, 4))
    d.v = values(dtype, rng, (0,) if empty else (9,))
    d.s = np.sort(values(dtype, rng, (6,)))
    d.i, d.j = np.array([2, 0, -1, 2])[: 0 if empty else 4], np.array([1, -4, 3, 1])[: 0 if empty else 4]
    d.k = np.array([[0, 2, -1, 1]])[:rows] if not empty else np.zeros((0, 4), "int64")
    d.n = rng.randint(0, 2, (3, 4)).astype(bool) & (not empty)
    d.r = np.array([True, False, True]) & (not empty)
    return d


def answer(f, d):
    try:
        r = f(d)
        return None if r is None else [plain(a) for a in r]
    except (ValueError, TypeError, IndexError):
        return None


sets = []
for number, dtype in enumerate(DTYPES):
    for empty in (False, True) if dtype in ("float64", "int32") else (False,):
        d = make(dtype, 7 + number, empty)
        inputs = {name: plain(getattr(d, name)) for name in "xyvsijknr"}
        sets.append({"dtype": dtype, "inputs": inputs, "wants": [answer(f, d) for _, f in CASES]})
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data", "tensor.json")
with open(path, "w") as out:
    json.dump({"exprs": [e for e, _ in CASES], "sets": sets}, out, separators=(",", ":"))
    out.write("\n")
