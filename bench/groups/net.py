"""The steps of net.lua with each peer's own means; every peer starts from the same numbers."""
import numpy as np
from common import Skip, graph_library, jax_double, torch_single, torch_training

RATE = 0.01


def start(model, dtype, batch):
    rng = np.random.RandomState(0)
    x, y = rng.rand(batch, 784).astype(dtype), rng.randint(0, 10, batch)
    bound = 1 / np.sqrt(784)
    sizes = [(784, 500), (500, 10)] if model == "mlp" else [(784, 10)]
    params = []
    for size in sizes:
        params += [rng.uniform(-bound, bound, size).astype(dtype), np.zeros(size[1], dtype)]
    return x, y, params


def softmax_loss(z, y, rows, rate):
    """Loss of the logits z, which become rate/n times their gradient."""
    z -= z.max(1, keepdims=True)
    np.exp(z, out=z)
    z /= z.sum(1, keepdims=True)
    loss = -np.log(z[rows, y]).mean()
    z[rows, y] -= 1
    z *= rate
    return loss


def with_numpy(x, y, params, into_weights):
    dtype, batch = x.dtype, len(x)
    rows, rate = np.arange(batch), x.dtype.type(RATE / batch)
    W, b = params[:2]
    z = np.empty((batch, 10), dtype)
    if into_weights:
        from scipy.linalg import blas

        gemm = blas.sgemm if dtype == "float32" else blas.dgemm

        def descend(weight, left, right):  # weight.T is Fortran's
            gemm(-1.0, right.T, left.T, beta=1.0, c=weight.T, trans_b=1, overwrite_c=1)
    else:
        room = {id(p): np.empty_like(p) for p in params}

        def descend(weight, left, right):
            weight -= np.dot(left.T, right, out=room[id(weight)])

    def logreg():
        np.dot(x, W, out=z)
        np.add(z, b, out=z)
        loss = softmax_loss(z, y, rows, rate)
        descend(W, x, z)
        np.subtract(b, z.sum(0), out=b)
        return loss

    if len(params) == 2:
        return logreg
    V, c = params[2:]
    h, gh, slope = (np.empty((batch, 500), dtype) for _ in range(3))

    def mlp():
        np.dot(x, W, out=h)
        np.add(h, b, out=h)
        np.tanh(h, out=h)
        np.dot(h, V, out=z)
        np.add(z, c, out=z)
        loss = softmax_loss(z, y, rows, rate)
        np.dot(z, V.T, out=gh)
        np.multiply(h, h, out=slope)
        np.subtract(1, slope, out=slope)
        np.multiply(gh, slope, out=gh)
        descend(V, h, z)
        np.subtract(c, z.sum(0), out=c)
        descend(W, x, gh)
        np.subtract(b, gh.sum(0), out=b)
        return loss

    return mlp


def with_torch(x, y, params, compiled):
    torch = torch_single()
    X, Y = torch.from_numpy(x), torch.from_numpy(y)
    P = [torch.from_numpy(p) for p in params]

    def loss(P):
        h = X
        if len(P) == 4:
            h = torch.tanh(torch.addmm(P[1], X, P[0]))
        return torch.nn.functional.cross_entropy(torch.addmm(P[-1], h, P[-2]), Y)

    return torch_training(torch, loss, P, RATE, compiled)


def with_jax(x, y, params):
    jax = jax_double()
    jnp = jax.numpy
    X, Y, rate = jnp.array(x), jnp.array(y), x.dtype.type(RATE)

    def loss(P, x, y):
        h = jnp.tanh(x @ P[0] + P[1]) if len(P) == 4 else x
        z = jax.nn.log_softmax(h @ P[-2] + P[-1])
        return -jnp.mean(z[jnp.arange(len(y)), y])

    def whole(P, x, y):
        value, g = jax.value_and_grad(loss)(P, x, y)
        return [p - rate * d for p, d in zip(P, g)], value

    fast, state = jax.jit(whole, donate_argnums=0), [[jnp.array(p) for p in params]]

    def step():
        state[0], value = fast(state[0], X, Y)
        return value.block_until_ready()

    return step


def with_graph(peer, x, y, params):
    th, pt, softmax, mode = graph_library(peer)
    X, Y, P = th.shared(x), th.shared(y), [th.shared(p) for p in params]
    h = pt.tanh(pt.dot(X, P[0]) + P[1]) if len(P) == 4 else X
    p = softmax(pt.dot(h, P[-2]) + P[-1])
    cost = -pt.mean(pt.log(p)[pt.arange(Y.shape[0]), Y])
    rate = x.dtype.type(RATE)
    updates = [(q, q - rate * d) for q, d in zip(P, th.grad(cost, P))]
    return th.function([], cost, updates=updates, mode=mode)


def prepare(peer, model, dtype, batch):
    x, y, params = start(model, dtype, int(batch))
    if peer == "numpy":
        f = with_numpy(x, y, params, False)
    elif peer == "numpy-gemm":
        f = with_numpy(x, y, params, True)
    elif peer in ("torch", "torch-compile"):
        f = with_torch(x, y, params, peer == "torch-compile")
    elif peer == "jax":
        f = with_jax(x, y, params)
    elif peer in ("pytensor-c", "pytensor-numba", "theano"):
        f = with_graph(peer, x, y, params)
    else:
        raise Skip("no training step")
    return f, (), f()
