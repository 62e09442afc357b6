"""The peers of compile.lua: each figure is a process of its own (this file as a program)."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
from common import Skip, graph_library, jax_double, torch_single

LIMIT = int(os.environ.get("BENCH_LIMIT", "120"))


def environment(cache):
    e = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=cache, NUMBA_CACHE_DIR=cache, BENCH_CACHE=cache)
    for name in ("THEANO_FLAGS", "PYTENSOR_FLAGS"):
        e[name] = e.get(name, "") + ",base_compiledir=" + cache
    return e


def run(peer, what, state, cache):
    if state == "cold":
        shutil.rmtree(cache, ignore_errors=True)
    os.makedirs(cache, exist_ok=True)
    start = time.perf_counter()
    try:
        done = subprocess.run([sys.executable, __file__, peer, what, state], env=environment(cache), timeout=LIMIT,
                              capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        raise Skip("not compiled within %d s" % LIMIT)
    if done.returncode:
        raise Skip(done.stderr.strip().split("\n")[-1])
    return time.perf_counter() - start if what == "small script" else float(done.stdout.split()[-1])


def prepare(peer, what, state):
    cache = os.path.join(tempfile.mkdtemp(), "cache")

    def measured():
        return run(peer, what, state, cache)

    measured.measure = True
    measured()  # fills the cache, or finds that it takes too long
    return measured, (), None


def small(peer):
    x = np.arange(10.0)
    if peer == "jax":
        jax = jax_double()
        r = jax.jit(lambda x: (x * 2 + 1).sum())(x)
    elif peer == "torch-compile":
        torch = torch_single()
        r = torch.compile(lambda x: (x * 2 + 1).sum())(torch.from_numpy(x))
    else:
        th, pt, _, mode = graph_library(peer)
        v = pt.dvector("x")
        r = th.function([v], pt.sum(v * 2 + 1), mode=mode)(x)
    assert float(r) == 100


def chain(peer, n):
    c, v = np.random.RandomState(0).uniform(0.1, 0.5, n), np.arange(10.0)

    def links(x, tanh):
        for k in c:
            x = tanh(x) * float(k) + x
        return x

    if peer == "jax":
        jax = jax_double()
        x = jax.numpy.array(v)
        return lambda: jax.jit(lambda x: links(x, jax.numpy.tanh))(x).block_until_ready()
    if peer == "torch-compile":
        torch = torch_single()
        x = torch.from_numpy(v)
        return lambda: torch.compile(lambda x: links(x, torch.tanh), fullgraph=True)(x)
    th, pt, _, mode = graph_library(peer)

    def whole():
        x = pt.dvector("x")
        return th.function([x], links(x, pt.tanh), mode=mode)(v)

    return whole


def rnn(peer, n):
    """A recurrent network written out: so many turns, their gradient and updates."""
    rng, x = np.random.RandomState(0), np.ones((n, 16, 32), "float32")
    p = [rng.normal(0, 0.05, s).astype("float32") for s in ((32, 64), (64, 64), (64,))]

    def cost(p, x, zeros, dot, tanh):
        h = zeros
        for t in range(n):
            h = tanh(dot(x[t], p[0]) + dot(h, p[1]) + p[2])
        return (h * h).mean()

    zeros = np.zeros((16, 64), "float32")
    if peer == "jax":
        import jax
        jnp = jax.numpy

        def step(p, x):
            c, g = jax.value_and_grad(lambda p: cost(p, x, jnp.asarray(zeros), jnp.dot, jnp.tanh))(p)
            return c, [a - np.float32(0.01) * b for a, b in zip(p, g)]

        return lambda: jax.block_until_ready(jax.jit(step)([jnp.asarray(a) for a in p], jnp.asarray(x)))
    if peer == "torch-compile":
        import torch
        p, x, zeros = [torch.from_numpy(a).requires_grad_() for a in p], torch.from_numpy(x), torch.from_numpy(zeros)

        def whole():
            c = torch.compile(lambda: cost(p, x, zeros, torch.matmul, torch.tanh), fullgraph=True)()
            c.backward()
            with torch.no_grad():
                for a in p:
                    a -= 0.01 * a.grad

        return whole
    th, pt, _, mode = graph_library(peer)

    def graph():
        v, w = pt.ftensor3("x"), [th.shared(a) for a in p]
        c = cost(w, v, pt.as_tensor_variable(zeros), pt.dot, pt.tanh)
        up = [(a, a - np.float32(0.01) * g) for a, g in zip(w, th.grad(c, w) if hasattr(th, "grad") else pt.grad(c, w))]
        return th.function([v], c, updates=up, mode=mode)(x)

    return graph


def once(peer, what, state):
    if peer == "jax":
        jax = jax_double()
        jax.config.update("jax_compilation_cache_dir", os.environ["BENCH_CACHE"])
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.numpy.zeros(3).block_until_ready()
    elif peer == "torch-compile":
        torch_single()
    else:
        graph_library(peer)
    if what == "mlp":
        import net

        def f():
            return net.prepare(peer, "mlp", "float32", "60")
    elif what.startswith("rnn"):
        f = rnn(peer, int(what.split()[-1]))
    else:
        f = chain(peer, int(what.split()[-1]))
    seconds = None
    for _ in range(2 if state == "again" else 1):
        start = time.perf_counter()
        f()
        seconds = time.perf_counter() - start
    print(seconds)


if __name__ == "__main__":
    sys.setrecursionlimit(200000)
    if sys.argv[2] == "small script":
        small(sys.argv[1])
    else:
        once(*sys.argv[1:])
