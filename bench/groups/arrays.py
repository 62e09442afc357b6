"""The lines of arrays.calls in NumPy."""
import os
import re
import tempfile

import numpy as np

CALLS = {}
for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrays.calls")):
    if not line.startswith("#") and line.strip():
        field = [part.strip() for part in line.split("|")]
        CALLS[field[0]] = field[2] if len(field) > 2 and field[2] else field[1]


def python(text):
    """A plain call in Lua as Python has it: keywords, lists."""
    text = re.sub(r"\{(\w+ = [^{}]*(?:\{[^{}]*\})?[^{}]*)\}\)$", r"\1)", text)
    text = re.sub(r"\bnd\.", "np.", text).replace("{", "[").replace("}", "]")
    return re.sub(r"\b(\w+) = ", r"\1=", text)


def put(a, key, value):
    a[key] = value


def files(d, n):
    base = tempfile.mktemp()
    d.update(path=base + ".npy", path2=base + ".npz", bytes_path=base + ".bytes", text_path=base + ".txt")
    d["text_path2"] = base + ".2.txt"
    if n <= 100000:
        np.save(d["path"], d["x"])
        d["x"].tofile(d["bytes_path"])
    if n <= 1000:
        np.savetxt(d["text_path"], d["x"])


def operands(n):
    rng = np.random.RandomState(1)
    rows = max(1, int(n**0.5))
    d = dict(n=n, rows=rows, half=n // 2, x=rng.rand(n), y=rng.rand(n), z=rng.randn(n))
    x, y = d["x"], d["y"]
    d.update(p=x + 0.5, p1=x + 1, s=d["z"].astype("float32"), few=np.floor(x * 100))
    d["i"], d["k"], d["r"] = rng.randint(0, n, n), rng.randint(0, 100, n), rng.randint(0, rows, rows)
    d.update(t=np.where(y < 0.1, np.nan, x), c=x + y * 1j, b=x > 0.5, d=y > 0.5, none=x > 2)
    d.update(bits=d["b"].astype("int64"), u=d["k"].astype("uint8"), sorted=np.sort(x))
    d["m"], d["q"], d["row"] = rng.rand(rows, rows), rng.rand(rows, rows), rng.rand(rows)
    d.update(mb=d["m"] > 0.01, order=np.argsort(d["m"], axis=1))
    side = max(1, int(n ** (1 / 3) + 1e-9))
    d["tri"], d["three"] = rng.rand(side, side, side), rng.rand(max(1, n // 3), 3)
    d["depth"] = rng.rand(1, max(1, n // 4), 4)
    d.update(a=rng.rand(10), edges=np.linspace(0, 1, 100), few_places=np.arange(0, 100, 7))
    d.update(w=x.copy(), wm=d["m"].copy(), text=x.tobytes(), list=x.tolist() if n <= 100000 else [])
    d["words"] = " ".join(map(repr, d["list"])) if n <= 1000 else ""
    d.update(set=put, generated=lambda values: (v for v in values), uf=np, starts=np.arange(0, n, 10))
    files(d, n)
    return d


def amount(v):
    if isinstance(v, dict):
        return 0.0
    if isinstance(v, (tuple, list)):
        return sum(amount(each) for each in v)
    a = np.asarray(v)
    if a.dtype.kind not in "biufc":
        return 0.0
    a = a.real.astype(np.float64)
    return float(a[np.isfinite(a)].sum())


LAST = {}


def prepare(peer, name, n):
    if LAST.get("n") != int(n):
        LAST.clear()
        LAST.update(operands(int(n)))
    scope = {}
    exec("def made(np, %s):\n    return lambda: %s" % (", ".join(LAST), python(CALLS[name])), scope)
    f = scope["made"](np, **LAST)
    return f, (), amount(f())
