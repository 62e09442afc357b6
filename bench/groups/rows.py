"""The rows of rows.lua."""
import numpy as np
from common import Skip, graph_library, jax_double, torch_single, waits

SMALL = 1e-5


def with_numpy(name, x, v):
    o, t, small = np.empty_like(x), np.empty_like(x), x.dtype.type(SMALL)

    def softmax(x):
        np.subtract(x, x.max(1, keepdims=True), out=o)
        np.exp(o, out=o)
        return np.divide(o, o.sum(1, keepdims=True), out=o)

    def norm(x):
        np.subtract(x, x.mean(1, keepdims=True), out=o)
        np.multiply(o, o, out=t)
        return np.divide(o, np.sqrt(t.mean(1, keepdims=True) + small), out=o)

    def sums(x):
        most = x.max(1, keepdims=True)
        np.subtract(x, most, out=o)
        return np.log(np.exp(o, out=o).sum(1)) + most[:, 0]

    def logarithm(x):
        np.subtract(x, x.max(1, keepdims=True), out=o)
        return np.subtract(o, np.log(np.exp(o, out=t).sum(1, keepdims=True)), out=o)

    f = {
        "softmax": softmax,
        "layer norm": norm,
        "argmax": lambda x: x.argmax(1),
        "logsoftmax": logarithm,
        "log-sum-exp": sums,
        "tanh(x+v)": lambda x: np.tanh(np.add(x, v, out=o), out=o),
        "x*sum of row": lambda x: np.multiply(x, x.sum(1, keepdims=True), out=o),
    }
    if name not in f:
        raise Skip("no gradients")
    return f[name]


def with_torch(name, v, compiled):
    torch = torch_single()
    norm = lambda x: torch.nn.functional.layer_norm(x, x.shape[1:], eps=SMALL)
    softmax = lambda x: torch.softmax(x, 1)
    v = torch.from_numpy(v)

    def derived(cost):
        def f(x):
            return torch.func.grad(lambda x: cost(x).sum())(x)

        return f

    f = {
        "softmax": softmax,
        "layer norm": norm,
        "argmax": lambda x: torch.argmax(x, 1),
        "logsoftmax": lambda x: torch.log_softmax(x, 1),
        "log-sum-exp": lambda x: torch.logsumexp(x, 1),
        "gradient of softmax": derived(lambda x: softmax(x) ** 2),
        "gradient of layer norm": derived(lambda x: torch.sin(norm(x))),
        "tanh(x+v)": lambda x: torch.tanh(x + v),
        "x*sum of row": lambda x: x * x.sum(1, keepdim=True),
    }[name]
    return torch.compile(f, dynamic=False) if compiled else f


def with_jax(name, v):
    jax = jax_double()
    jnp = jax.numpy
    v = jnp.array(v)

    def norm(x):
        c = x - jnp.mean(x, 1, keepdims=True)
        return c / jnp.sqrt(jnp.mean(c * c, 1, keepdims=True) + x.dtype.type(SMALL))

    softmax = lambda x: jax.nn.softmax(x, 1)
    f = {
        "softmax": softmax,
        "layer norm": norm,
        "argmax": lambda x: jnp.argmax(x, 1),
        "logsoftmax": lambda x: jax.nn.log_softmax(x, 1),
        "log-sum-exp": lambda x: jax.nn.logsumexp(x, 1),
        "gradient of softmax": jax.grad(lambda x: (softmax(x) ** 2).sum()),
        "gradient of layer norm": jax.grad(lambda x: jnp.sin(norm(x)).sum()),
        "tanh(x+v)": lambda x: jnp.tanh(x + v),
        "x*sum of row": lambda x: x * x.sum(1, keepdims=True),
    }[name]
    return waits(jax.jit(f))


def with_graph(peer, name, v):
    th, pt, softmax, mode = graph_library(peer)
    x, w = pt.matrix("x", dtype=str(v.dtype)), pt.vector("w", dtype=str(v.dtype))

    def norm(x):
        c = x - pt.mean(x, axis=1, keepdims=True)
        return c / pt.sqrt(pt.mean(c * c, axis=1, keepdims=True) + v.dtype.type(SMALL))

    def sums(x):
        most = pt.max(x, axis=1)
        return pt.log(pt.exp(x - most.dimshuffle(0, "x")).sum(axis=1)) + most

    y = {
        "softmax": softmax,
        "layer norm": norm,
        "argmax": lambda x: pt.argmax(x, axis=1),
        "logsoftmax": lambda x: pt.log(softmax(x)),
        "log-sum-exp": sums,
        "gradient of softmax": lambda x: th.grad((softmax(x) ** 2).sum(), x),
        "gradient of layer norm": lambda x: th.grad(pt.sin(norm(x)).sum(), x),
        "tanh(x+v)": lambda x: pt.tanh(x + w),
        "x*sum of row": lambda x: x * x.sum(axis=1, keepdims=True),
    }[name](x)
    inputs = [x, w] if "v" in name else [x]
    f = th.function([th.In(i, borrow=True) for i in inputs], th.Out(y, borrow=True), mode=mode)
    f.trust_input = True
    return (lambda x: f(x, v)) if "v" in name else f


def prepare(peer, name, shape, dtype):
    rng, (rows, columns) = np.random.RandomState(2), map(int, shape.split("x"))
    x, v = rng.rand(rows, columns).astype(dtype), rng.rand(columns).astype(dtype)
    if peer == "numpy":
        f = with_numpy(name, x, v)
    elif peer in ("torch", "torch-compile"):
        import torch

        f, x = with_torch(name, v, peer == "torch-compile"), torch.from_numpy(x)
    elif peer == "jax":
        f = with_jax(name, v)
        x = jax_double().numpy.array(x)
    else:
        f = with_graph(peer, name, v)
    r = np.asarray(f(x)).astype("float64")
    return f, (x,), (r * r).sum() + r.flat[0]
