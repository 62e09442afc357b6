"""The lines of tensors.lua in NumPy."""
import numpy as np
from common import number

rng = np.random.RandomState(1)
table = np.arange(0, 1, 0.001)


def inc(x, i):
    y = x.copy()
    np.add.at(y, i, 1.0)
    return y


CASES = [
    ("sort", lambda d: np.sort(d["x"])),
    ("sort int64", lambda d: np.sort(d["i"])),
    ("sort float32", lambda d: np.sort(d["s"])),
    ("argsort", lambda d: np.argsort(d["x"])),
    ("topk 10", lambda d: np.sort(np.partition(d["x"], -10)[-10:])[::-1]),
    ("unique", lambda d: np.unique(d["few"])),
    ("searchsorted", lambda d: np.searchsorted(table, d["x"])),
    ("cumsum", lambda d: np.cumsum(d["x"])),
    ("cumsum axis 0", lambda d: np.cumsum(d["m"], 0)),
    ("cumsum axis 1", lambda d: np.cumsum(d["m"], 1)),
    ("diff", lambda d: np.diff(d["x"])),
    ("take", lambda d: d["x"][d["i"]]),
    ("take rows", lambda d: d["m"][d["r"]]),
    ("take columns", lambda d: np.take(d["m"], d["r"], 1)),
    ("m[i, j]", lambda d: d["m"][d["pair"], d["pair"]]),
    ("x[mask]", lambda d: d["x"][d["x"] > 0.5]),
    ("nonzero", lambda d: np.flatnonzero(d["x"] > 0.5)),
    ("inc repeated", lambda d: inc(d["x"], d["i"])),
    ("sum", lambda d: d["x"].sum()),
    ("sum axis 0", lambda d: d["m"].sum(0)),
    ("sum axis 1", lambda d: d["m"].sum(1)),
    ("sum axis 0 of m.T", lambda d: d["m"].T.sum(0)),
    ("sum float32", lambda d: d["s"].sum()),
    ("sum axis 1 of m.T", lambda d: d["m"].T.sum(1)),
    ("sum axis 1 of 3", lambda d: d["t"].sum(1)),
    ("sum axes 0, 2 of 3", lambda d: d["t"].sum((0, 2))),
    ("mean axis 1", lambda d: d["m"].mean(1)),
    ("prod axis 1", lambda d: d["m"].prod(1)),
    ("max axis 1 of m.T", lambda d: d["m"].T.max(1)),
    ("any axis 1", lambda d: (d["m"] > 2.0).any(1)),
    ("max axis 0", lambda d: d["m"].max(0)),
    ("max axis 1", lambda d: d["m"].max(1)),
    ("argmax axis 0", lambda d: d["m"].argmax(0)),
    ("argmax axis 1", lambda d: d["m"].argmax(1)),
]


def data(n):
    r = max(1, int(n**0.5))
    d = dict(x=rng.rand(n), m=rng.rand(r, r), i=rng.randint(0, n, n), r=rng.randint(0, r, r))
    d["few"], d["pair"] = np.floor(d["x"] * 100), rng.randint(0, r, n)
    c = max(1, int(n ** (1 / 3) + 1e-9))
    d["s"], d["t"] = d["x"].astype("float32"), rng.rand(c, c, c)
    return d


def prepare(peer, name, n):
    f, d = dict(CASES)[name], data(int(n))
    return f, (d,), number(f(d))
