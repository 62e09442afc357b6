"""The peers of memory.lua: each figure is a process of its own (this file as a program)."""
import ctypes
import gc
import subprocess
import sys

import modern
import numpy as np
from common import Skip, graph_library, jax_double, torch_single

BATCH, SIZES = 2000, (784, 2000, 2000, 10)


def prepare(peer, *words):
    if words[0] != "MLP":
        modern.check(peer, words[0])

    def measured():
        done = subprocess.run([sys.executable, __file__, peer, *words], capture_output=True, text=True)
        if done.returncode:
            raise Skip(done.stderr.strip().split("\n")[-1])
        return float(done.stdout.split()[-1])

    measured.measure = True
    measured()
    return measured, (), None


def status(key):
    for line in open("/proc/self/status"):
        if line.startswith(key):
            return int(line.split()[1]) / 1024


def start():
    params = []
    for a, b in zip(SIZES, SIZES[1:]):
        params += [np.full((a, b), 0.001, "float32"), np.zeros(b, "float32")]
    return np.ones((BATCH, 784), "float32"), np.zeros(BATCH, "int64"), params


def layers(x, P, dot, tanh):
    for i in range(0, len(P), 2):
        x = dot(x, P[i]) + P[i + 1]
        if i < len(P) - 2:
            x = tanh(x)
    return x


def jax_step(x, y, params):
    jax = jax_double()
    jnp = jax.numpy
    X, Y, P = jnp.array(x), jnp.array(y), [jnp.array(p) for p in params]

    def loss(P, x, y):
        z = jax.nn.log_softmax(layers(x, P, jnp.dot, jnp.tanh))
        return -jnp.mean(z[jnp.arange(BATCH), y])

    def whole(P, x, y):
        value, g = jax.value_and_grad(loss)(P, x, y)
        return [p - np.float32(0.01) * d for p, d in zip(P, g)], value

    fast, state = jax.jit(whole, donate_argnums=0).lower(P, X, Y).compile(), [P]
    del P

    def step():
        state[0], value = fast(state[0], X, Y)
        value.block_until_ready()

    return step


def torch_step(x, y, params):
    torch = torch_single()
    X, Y, P = torch.from_numpy(x), torch.from_numpy(y), [torch.from_numpy(p).requires_grad_() for p in params]

    def step():
        value = torch.nn.functional.cross_entropy(layers(X, P, torch.matmul, torch.tanh), Y)
        g = torch.autograd.grad(value, P)
        with torch.no_grad():
            torch._foreach_add_(P, g, alpha=-0.01)

    return step


def graph_step(peer, x, y, params):
    th, pt, softmax, mode = graph_library(peer)
    X, Y, P = th.shared(x), th.shared(y), [th.shared(p) for p in params]
    cost = -pt.mean(pt.log(softmax(layers(X, P, pt.dot, pt.tanh)))[pt.arange(Y.shape[0]), Y])
    updates = [(p, p - np.float32(0.01) * g) for p, g in zip(P, th.grad(cost, P))]
    return th.function([], cost, updates=updates, mode=mode)


if __name__ == "__main__":
    make = {"jax": jax_step, "torch": torch_step}
    peer, words = sys.argv[1], sys.argv[2:]
    if words[0] == "MLP":
        x, y, params = start()
        step = make[peer](x, y, params) if peer in make else graph_step(peer, x, y, params)
    else:
        step = modern.build(peer, *words)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what its compiler used and freed would hide what a step takes
    before = status("VmRSS")
    open("/proc/self/clear_refs", "w").write("5")
    for _ in range(3):
        step()
    print("%.1f" % (status("VmHWM") - before))
