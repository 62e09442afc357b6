#!/usr/bin/env python3
"""Writes spec/data/layers.json: NumPy's pad and linspace; a convolution over time, rows and columns and a two-level
softmax, both written out by their definitions. Run with NumPy: scripts/make-layer-data.py

Fields: pad: {w: pad_width, mode, y}, of the matrix `x`; pad_values, pad_ints: single cases; linspace: {a: [start, stop,
num, endpoint], y}; conv: s and f, cases {m: border modes, y}; softmax: the arguments, `all` outputs, `some` of targets.
"""
import json

import numpy as np

rng = np.random.RandomState(5)
X = np.arange(1, 7.0).reshape(2, 3)


def pads():
    widths = (1, (2, 1), ((1, 2), (3, 4)), ((0, 0), (7, 0)))
    modes = ("constant", "edge", "reflect", "symmetric", "wrap", "mean", "maximum", "minimum")
    return [{"w": w, "mode": m, "y": np.pad(X, w, mode=m).tolist()} for w in widths for m in modes]


def linspaces():
    cases = ((0, 1, 5, True), (0, 1, 5, False), (2.5, -1, 7, True), (3, 3, 4, True), (1, 9, 1, True), (1, 9, 0, True),
             (-2, 7, 10, False))
    return [{"a": list(c), "y": np.linspace(*c[:3], endpoint=c[3]).tolist()} for c in cases]


def conv(s, f, modes):
    size = (f.shape[1], f.shape[3], f.shape[4])
    p = [{"valid": 0, "full": n - 1, "half": n // 2}[m] for m, n in zip(modes, size)]
    s = np.pad(s, ((0, 0), (p[0], p[0]), (0, 0), (p[1], p[1]), (p[2], p[2])))
    shape = (s.shape[0], s.shape[1] - size[0] + 1, f.shape[0], s.shape[3] - size[1] + 1, s.shape[4] - size[2] + 1)
    out = np.zeros(shape)
    for n, t, k, i, j in np.ndindex(*shape):
        part = s[n, t:t + size[0], :, i:i + size[1], j:j + size[2]]
        out[n, t, k, i, j] = (part * f[k][::-1, :, ::-1, ::-1]).sum()
    return np.round(out, 12)


def convolutions():
    s, f = np.round(rng.randn(2, 3, 2, 3, 4), 2), np.round(rng.randn(2, 2, 2, 2, 3), 2)
    modes = [("valid",) * 3, ("full",) * 3, ("half",) * 3, ("full", "valid", "valid"), ("half", "full", "full")]
    return {"s": s.tolist(), "f": f.tolist(), "cases": [{"m": m, "y": conv(s, f, m).tolist()} for m in modes]}


def softmax(z):
    e = np.exp(z)
    return e / e.sum(-1, keepdims=True)


def two_levels():
    batch, features, classes, per_class, outputs, target = 4, 3, 3, 2, 5, [0, 4, 3, 1]
    v = {name: np.round(rng.randn(*shape), 2) for name, shape in (
        ("x", (batch, features)), ("W1", (features, classes)), ("b1", (classes,)),
        ("W2", (classes, features, per_class)), ("b2", (classes, per_class)))}
    first = softmax(v["x"] @ v["W1"] + v["b1"])
    inside = [first[:, c:c + 1] * softmax(v["x"] @ v["W2"][c] + v["b2"][c]) for c in range(classes)]
    every = np.concatenate(inside, 1)
    r = {name: a.tolist() for name, a in v.items()}
    return {**r, "target": target, "all": every[:, :outputs].tolist(), "some": every[np.arange(batch), target].tolist()}


with open("spec/data/layers.json", "w") as out:
    json.dump({
        "pad": pads(),
        "pad_values": np.pad(X, ((1, 2), (3, 4)), constant_values=((1.5, 2.5), (3.5, 4.5))).tolist(),
        "pad_ints": np.pad(np.array([1, 2, 4, 8]), 2, mode="mean").tolist(),
        "linspace": linspaces(),
        "linspace_ints": np.linspace(-3, 4, 6, dtype="int64").tolist(),
        "linspace_arrays": np.linspace(np.array([0.0, 1.0]), np.array([1.0, 5.0]), 3).tolist(),
        "conv": convolutions(),
        "softmax": two_levels(),
    }, out)
    out.write("\n")
