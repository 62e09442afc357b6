"""The rows of rows.lua."""
import numpy as np
from common import graph_library, jax_double, torch_single, waits

SMALL = np.float32(1e-5)


def with_numpy(name, x):
    o, t = np.empty_like(x), np.empty_like(x)

    def softmax(x):
        np.subtract(x, x.max(1, keepdims=True), out=o)
        np.exp(o, out=o)
        return np.divide(o, o.sum(1, keepdims=True), out=o)

    def norm(x):
        np.subtract(x, x.mean(1, keepdims=True), out=o)
        np.multiply(o, o, out=t)
        return np.divide(o, np.sqrt(t.mean(1, keepdims=True) + SMALL), out=o)

    return {"softmax": softmax, "layer norm": norm, "argmax": lambda x: x.argmax(1)}[name]


def with_torch(name, compiled):
    torch = torch_single()
    f = {
        "softmax": lambda x: torch.softmax(x, 1),
        "layer norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[1:], eps=1e-5),
        "argmax": lambda x: torch.argmax(x, 1),
    }[name]
    return torch.compile(f, dynamic=False) if compiled else f


def with_jax(name):
    jax = jax_double()
    jnp = jax.numpy

    def norm(x):
        c = x - jnp.mean(x, 1, keepdims=True)
        return c / jnp.sqrt(jnp.mean(c * c, 1, keepdims=True) + SMALL)

    f = {"softmax": lambda x: jax.nn.softmax(x, 1), "layer norm": norm, "argmax": lambda x: jnp.argmax(x, 1)}[name]
    return waits(jax.jit(f))


def with_graph(peer, name):
    th, pt, softmax, mode = graph_library(peer)
    x = pt.fmatrix("x")

    def norm(x):
        c = x - pt.mean(x, axis=1, keepdims=True)
        return c / pt.sqrt(pt.mean(c * c, axis=1, keepdims=True) + SMALL)

    y = {"softmax": softmax, "layer norm": norm, "argmax": lambda x: pt.argmax(x, axis=1)}[name](x)
    f = th.function([th.In(x, borrow=True)], th.Out(y, borrow=True), mode=mode)
    f.trust_input = True
    return f


def prepare(peer, name, shape):
    x = np.random.RandomState(2).rand(*map(int, shape.split("x"))).astype("float32")
    if peer == "numpy":
        f = with_numpy(name, x)
    elif peer in ("torch", "torch-compile"):
        import torch

        f, x = with_torch(name, peer == "torch-compile"), torch.from_numpy(x)
    elif peer == "jax":
        f = with_jax(name)
        x = jax_double().numpy.array(x)
    else:
        f = with_graph(peer, name)
    r = np.asarray(f(x)).astype("float64")
    return f, (x,), r[0].sum() + r.sum()
