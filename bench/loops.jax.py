"""What loops.lua times, in JAX on one thread: nanoseconds an element. loops.jax.py [most elements] [part of a name]"""

import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_ENABLE_X64"] = "1"
import jax
import jax.numpy as np

most = float(sys.argv[1]) if len(sys.argv) > 1 else 1e7
only = sys.argv[2] if len(sys.argv) > 2 else ""


def layer_norm(x):
    y = x - x.mean(1, keepdims=True)
    return y / np.sqrt((y * y).mean(1, keepdims=True) + 1e-5)


def centred(x):
    y = np.tanh(x - x.mean())
    return np.exp(y * (1 / y.sum())) - y


def log_sum_exp(x):
    return np.log(np.exp(x - x.max(1, keepdims=True)).sum(1))


softmax, logsoftmax = jax.nn.softmax, jax.nn.log_softmax
mixed = lambda a, b: np.tanh(a) * np.exp(-b) + np.log1p(np.abs(a))
product = lambda a, b: np.tanh(a * b).sum()
f8, f4 = "float64", "float32"
CASES = [
    ("a+1", "a", f8, lambda a: a + 1),
    ("2a+3b", "ab", f8, lambda a, b: 2 * a + 3 * b),
    ("a^2+b^2+2ab", "ab", f8, lambda a, b: a**2 + b**2 + 2 * a * b),
    ("2a+b^10", "ab", f8, lambda a, b: 2 * a + b**10),
    ("tanh(a)exp(-b)+log1p(|a|)", "ab", f8, mixed),
    ("tanh(a)exp(-b)+log1p(|a|) f32", "ab", f4, mixed),
    ("sum(tanh(ab))", "ab", f8, product),
    ("sum(tanh(ab)) f32", "ab", f4, product),
    ("sigmoid(a)", "a", f8, jax.nn.sigmoid),
    ("expm1(a)", "a", f8, np.expm1),
    ("chain with two sums", "a", f8, centred),
    ("softmax rows", "m", f8, softmax),
    ("softmax rows f32", "m", f4, softmax),
    ("logsoftmax rows", "m", f8, logsoftmax),
    ("layer norm rows", "m", f8, layer_norm),
    ("layer norm rows f32", "m", f4, layer_norm),
    ("log-sum-exp rows", "m", f8, log_sum_exp),
    ("argmax rows", "m", f8, lambda m: m.argmax(1)),
    ("grad of softmax rows", "m", f8, jax.grad(lambda m: (softmax(m) ** 2).sum())),
    ("grad of layer norm", "m", f8, jax.grad(lambda m: np.sin(layer_norm(m)).sum())),
    ("m+g, rows of 10", "mg", f8, lambda m, g: m + g, 10),
    ("tanh(m+g), rows of 10", "mg", f8, lambda m, g: np.tanh(m + g), 10),
    ("m*sum of row, rows of 3", "m", f8, lambda m: m * m.sum(1, keepdims=True), 3),
    ("softmax, rows of 10", "m", f8, softmax, 10),
]


def data(kind, dtype, n, columns):
    columns = columns or max(1, int(n**0.5))
    shape = {"m": (max(1, n // columns), columns), "g": (columns,)}.get(kind, (n,))
    key = jax.random.PRNGKey(1)
    return jax.random.uniform(key, shape, dtype, -1, 1)


def nanoseconds(f, args, n):
    f(*args).block_until_ready()
    calls, best = max(1, min(2000, int(2e6 / n))), float("inf")
    for _ in range(3 if n > 1e6 else 5):
        t = time.process_time()
        for _ in range(calls):
            r = f(*args)
        r.block_until_ready()
        best = min(best, (time.process_time() - t) / calls)
    return best / n * 1e9


for name, kinds, dtype, fun, *columns in CASES:
    if only not in name:
        continue
    f, line = jax.jit(fun), "%-32s" % name
    for n in (10**3, 10**4, 10**5, 10**6, 10**7):
        if n <= most:
            args = [data(k, dtype, n, columns[0] if columns else None) for k in kinds]
            line += "%10.3f" % nanoseconds(f, args, n)
    print(line, flush=True)
