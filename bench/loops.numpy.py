"""What loops.lua times, in NumPy into arrays that are there already where NumPy can: nanoseconds an element."""

import sys
import time

import numpy as np

most = float(sys.argv[1]) if len(sys.argv) > 1 else 1e7
only = sys.argv[2] if len(sys.argv) > 2 else ""


def mixed(a, b, o, t):
    np.tanh(a, out=o)
    np.negative(b, out=t)
    np.exp(t, out=t)
    np.multiply(o, t, out=o)
    np.abs(a, out=t)
    np.log1p(t, out=t)
    np.add(o, t, out=o)


def product(a, b, o, t):
    np.multiply(a, b, out=o)
    return np.tanh(o, out=o).sum()


def square(a, b, o, t):
    np.multiply(a, a, out=o)
    np.multiply(b, b, out=t)
    np.add(o, t, out=o)
    np.multiply(a, b, out=t)
    np.multiply(t, 2, out=t)
    np.add(o, t, out=o)


def two(a, b, o, t):
    np.multiply(a, 2, out=o)
    np.multiply(b, 3, out=t)
    np.add(o, t, out=o)


def power(a, b, o, t):
    np.power(b, 10, out=o)
    np.multiply(a, 2, out=t)
    np.add(o, t, out=o)


def softmax(m, g, o, t):
    np.subtract(m, m.max(1, keepdims=True), out=o)
    np.exp(o, out=o)
    np.divide(o, o.sum(1, keepdims=True), out=o)


def layer_norm(m, g, o, t):
    np.subtract(m, m.mean(1, keepdims=True), out=o)
    np.multiply(o, o, out=t)
    np.divide(o, np.sqrt(t.mean(1, keepdims=True) + m.dtype.type(1e-5)), out=o)


def log_sum_exp(m, g, o, t):
    np.subtract(m, m.max(1, keepdims=True), out=o)
    np.exp(o, out=o)
    return np.log(o.sum(1))


f8, f4 = "float64", "float32"
CASES = [
    ("a+1", "v", f8, lambda a, b, o, t: np.add(a, 1, out=o)),
    ("2a+3b", "v", f8, two),
    ("a^2+b^2+2ab", "v", f8, square),
    ("2a+b^10", "v", f8, power),
    ("tanh(a)exp(-b)+log1p(|a|)", "v", f8, mixed),
    ("tanh(a)exp(-b)+log1p(|a|) f32", "v", f4, mixed),
    ("sum(tanh(ab))", "v", f8, product),
    ("sum(tanh(ab)) f32", "v", f4, product),
    ("expm1(a)", "v", f8, lambda a, b, o, t: np.expm1(a, out=o)),
    ("softmax rows", "m", f8, softmax),
    ("softmax rows f32", "m", f4, softmax),
    ("layer norm rows", "m", f8, layer_norm),
    ("layer norm rows f32", "m", f4, layer_norm),
    ("log-sum-exp rows", "m", f8, log_sum_exp),
    ("argmax rows", "m", f8, lambda m, g, o, t: m.argmax(1)),
    ("m+g, rows of 10", "m", f8, lambda m, g, o, t: np.add(m, g, out=o), 10),
    ("tanh(m+g), rows of 10", "m", f8, lambda m, g, o, t: np.tanh(np.add(m, g, out=o), out=o), 10),
    ("m*sum of row, rows of 3", "m", f8, lambda m, g, o, t: np.multiply(m, m.sum(1, keepdims=True), out=o), 3),
    ("softmax, rows of 10", "m", f8, softmax, 10),
]
rng = np.random.RandomState(1)


def data(kind, dtype, n, columns):
    columns = columns or max(1, int(n**0.5))
    shape = (n,) if kind == "v" else (max(1, n // columns), columns)
    a = rng.uniform(-1, 1, shape).astype(dtype)
    b = rng.uniform(-1, 1, shape if kind == "v" else (columns,)).astype(dtype)
    return a, b, np.zeros_like(a), np.zeros_like(a)


for name, kind, dtype, f, *columns in CASES:
    if only not in name:
        continue
    line = "%-32s" % name
    for n in (10**3, 10**4, 10**5, 10**6, 10**7):
        if n > most:
            continue
        args = data(kind, dtype, n, columns[0] if columns else None)
        calls, best = max(1, min(2000, int(2e6 / n))), float("inf")
        for _ in range(3 if n > 1e6 else 5):
            t = time.process_time()
            for _ in range(calls):
                f(*args)
            best = min(best, (time.process_time() - t) / calls)
        line += "%10.3f" % (best / n * 1e9)
    print(line, flush=True)
