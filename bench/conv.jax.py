"""conv.lua's rows in JAX (XLA for the CPU), one thread: milliseconds, the least of many calls."""
import os
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

ONLY = sys.argv[1] if len(sys.argv) > 1 else ""
rng = np.random.RandomState(1)


def array(*shape):
    return jnp.asarray(rng.randn(*shape).astype("float32"))


def clock(fn, *args, least=0.4):
    jax.block_until_ready(fn(*args))
    best, started, rounds = 1e9, time.process_time(), 0
    while rounds < 5 or (time.process_time() - started < least and rounds < 2000):
        t = time.process_time()
        jax.block_until_ready(fn(*args))
        best, rounds = min(best, time.process_time() - t), rounds + 1
    return best * 1e3


def row(name, ms, flops=None):
    print("%-44s %9.3f ms" % (name, ms) + (" %8.1f GF/s" % (flops / ms * 1e-6) if flops else ""), flush=True)


def conv2d(x, w, border="VALID"):
    return lax.conv_general_dilated(x, w, (1, 1), border, dimension_numbers=("NCHW", "OIHW", "NCHW"))


def conv(name, image, filter, border="VALID"):
    if ONLY not in name:
        return
    x, w = array(*image), array(*filter)
    f = jax.jit(lambda x, w: conv2d(x, w, border))
    y = f(x, w)
    g = array(*y.shape)
    flops = 2 * y.size * filter[1] * filter[2] * filter[3]
    fx = jax.jit(lambda x, w, g: jax.vjp(lambda x: conv2d(x, w, border), x)[1](g)[0])
    fw = jax.jit(lambda x, w, g: jax.vjp(lambda w: conv2d(x, w, border), w)[1](g)[0])
    row(name + " forward", clock(f, x, w), flops)
    row(name + " for images", clock(fx, x, w, g), flops)
    row(name + " for filters", clock(fw, x, w, g), flops)


conv("wide (60,1,256,256)x(6,1,7,7)", (60, 1, 256, 256), (6, 1, 7, 7))
conv("lenet1 (60,1,28,28)x(20,1,5,5)", (60, 1, 28, 28), (20, 1, 5, 5))
conv("lenet2 (60,20,12,12)x(50,20,5,5)", (60, 20, 12, 12), (50, 20, 5, 5))
conv("3x3 (8,64,56,56)x(64,64,3,3)", (8, 64, 56, 56), (64, 64, 3, 3), "SAME")
conv("1x1 (8,256,14,14)x(64,256,1,1)", (8, 256, 14, 14), (64, 256, 1, 1))


def pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def step(name, batch, side, convs, hidden):
    if ONLY not in name:
        return
    x, y = array(batch, 1, side, side), jnp.asarray(rng.randint(0, 10, batch))
    params, channels, n = [], 1, side
    for count, size in convs:
        params.append((array(count, channels, size, size) / np.sqrt(channels * size * size), jnp.zeros(count, "float32")))
        channels, n = count, (n - size + 1) // 2
    width = channels * n * n
    for k in hidden:
        params.append((array(width, k) / np.sqrt(width), jnp.zeros(k, "float32")))
        width = k

    def cost(params):
        h = x
        for w, b in params[: len(convs)]:
            h = jnp.tanh(pooled(conv2d(h, w)) + b[None, :, None, None])
        h = h.reshape(batch, -1)
        for i, (w, b) in enumerate(params[len(convs):]):
            h = h @ w + b
            if i < len(hidden) - 1:
                h = jnp.tanh(h)
        return -jnp.mean(jax.nn.log_softmax(h)[jnp.arange(batch), y])

    @jax.jit
    def train(params):
        c, g = jax.value_and_grad(cost)(params)
        return c, jax.tree_util.tree_map(lambda p, d: p - 0.01 * d, params, g)

    row("step %s, batch %d" % (name, batch), clock(train, params, least=1))


step("LeNet", 60, 28, [(20, 5), (50, 5)], [500, 10])
step("256x256 net", 1, 256, [(6, 7), (16, 7)], [120, 84, 10])
step("256x256 net", 60, 256, [(6, 7), (16, 7)], [120, 84, 10])
