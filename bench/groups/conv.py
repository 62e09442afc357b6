"""The rows of conv.lua. Theano's convolutions turn filters round; peers that do not start from turned filters."""
import numpy as np
from common import Skip, graph_library, jax_double, torch_single, torch_training, waits

RATE = np.float32(0.01)
SHAPES = {
    "wide": ((60, 1, 256, 256), (6, 1, 7, 7), 0),
    "3x3 64 to 64, 56x56": ((8, 64, 56, 56), (64, 64, 3, 3), 1),
    "1x1 256 to 64, 14x14": ((8, 256, 14, 14), (64, 256, 1, 1), 0),
    "lenet1": ((60, 1, 28, 28), (20, 1, 5, 5), 0),
    "lenet2": ((60, 20, 12, 12), (50, 20, 5, 5), 0),
    "large filter 31x31": ((4, 3, 128, 128), (8, 3, 31, 31), 0),
}
NETS = {"LeNet": (28, [(20, 5), (50, 5)], [500, 10]), "256x256 net": (256, [(6, 7), (16, 7)], [120, 84, 10])}
WAYS = {"forward": None, "for images": 0, "for filters": 1}


def array(rng, shape, scale=1):
    return (rng.randn(*shape) * scale).astype("float32")


def turned(w):
    return np.ascontiguousarray(w[:, :, ::-1, ::-1])


def start(name, batch):
    """Images, classes and weights of a net, the filters as Theano takes them."""
    rng = np.random.RandomState(1)
    side, convs, hidden = NETS[name]
    x, y = array(rng, (batch, 1, side, side)), rng.randint(0, 10, batch).astype("int32")
    channels, shapes = 1, []
    for count, size in convs:
        shapes.append((count, channels, size, size))
        channels, side = count, (side - size + 1) // 2
    width = channels * side * side
    for n in hidden:
        shapes.append((width, n))
        width = n
    params = []
    for shape in shapes:
        fan = shape[0] if len(shape) == 2 else np.prod(shape[1:])
        params += [array(rng, shape, 1 / np.sqrt(fan)), np.zeros(shape[1] if len(shape) == 2 else shape[0], "float32")]
    return x, y, params, len(convs)


def operands(name):
    rng = np.random.RandomState(1)
    image, filters, pad = SHAPES[name]
    x, w = array(rng, image), array(rng, filters)
    g = array(rng, (image[0], filters[0]) + tuple(n + 2 * pad - k + 1 for n, k in zip(image[2:], filters[2:])))
    return x, w, g, pad


def pooled_operands(shape):
    rng = np.random.RandomState(1)
    size = tuple(map(int, shape.split("x")))
    x = array(rng, size)
    return x, array(rng, (size[0], size[1], size[2] // 2, size[3] // 2))


# ---- PyTorch ----
def torch_step(x, y, params, convs, compiled):
    torch = torch_single()
    F = torch.nn.functional
    params = [turned(p) if p.ndim == 4 else p for p in params]
    X, Y, P = torch.from_numpy(x), torch.from_numpy(y).long(), [torch.from_numpy(p) for p in params]

    def loss(P):
        h = X
        for i in range(convs):
            h = torch.tanh(F.max_pool2d(F.conv2d(h, P[2 * i]), 2) + P[2 * i + 1][:, None, None])
        h = h.flatten(1)
        for i in range(convs, len(P) // 2):
            h = torch.addmm(P[2 * i + 1], h, P[2 * i])
            if i < len(P) // 2 - 1:
                h = torch.tanh(h)
        return F.cross_entropy(h, Y)

    return torch_training(torch, loss, P, float(RATE), compiled)


def torch_conv(name, way, compiled):
    torch = torch_single()
    x, w, g, pad = operands(name)
    x, w, g = torch.from_numpy(x), torch.from_numpy(turned(w)), torch.from_numpy(g)
    if way == "forward":
        f, args = lambda x, w: torch.nn.functional.conv2d(x, w, padding=pad), (x, w)
    else:
        mask = [way == "for images", way == "for filters", False]

        def f(g, x, w):
            return torch.ops.aten.convolution_backward(
                g, x, w, None, [1, 1], [pad, pad], [1, 1], False, [0, 0], 1, mask
            )[WAYS[way]]

        args = (g, x, w)
    return (torch.compile(f, dynamic=False) if compiled else f), args


def torch_pool(mode, shape, way, compiled):
    torch = torch_single()
    F = torch.nn.functional
    x, g = map(torch.from_numpy, pooled_operands(shape))
    forward = (lambda x: F.max_pool2d(x, 2)) if mode == "max" else (lambda x: F.avg_pool2d(x, 2))
    if way == "forward":
        f, args = forward, (x,)
    elif mode == "max":
        indices = F.max_pool2d(x, 2, return_indices=True)[1]

        def f(g, x):
            return torch.ops.aten.max_pool2d_with_indices_backward(g, x, [2, 2], [2, 2], [0, 0], [1, 1], False, indices)

        args = (g, x)
    else:

        def f(g, x):
            return torch.ops.aten.avg_pool2d_backward(g, x, [2, 2], [2, 2], [0, 0], False, False, None)

        args = (g, x)
    return (torch.compile(f, dynamic=False) if compiled else f), args


# ---- JAX ----
def jax_conv2d(jax, x, w, pad):
    return jax.lax.conv_general_dilated(
        x, w, (1, 1), [(pad, pad)] * 2, dimension_numbers=("NCHW", "OIHW", "NCHW")
    )


def jax_pool2d(jax, x, mode):
    window = ((1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    if mode == "max":
        return jax.lax.reduce_window(x, -np.inf, jax.lax.max, *window)
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, *window) / np.float32(4)


def jax_step(x, y, params, convs):
    jax = jax_double()
    jnp = jax.numpy
    X, Y = jnp.array(x), jnp.array(y)
    state = [[jnp.array(turned(p) if p.ndim == 4 else p) for p in params]]

    def loss(P, x, y):
        h = x
        for i in range(convs):
            h = jnp.tanh(jax_pool2d(jax, jax_conv2d(jax, h, P[2 * i], 0), "max") + P[2 * i + 1][None, :, None, None])
        h = h.reshape(len(y), -1)
        for i in range(convs, len(P) // 2):
            h = h @ P[2 * i] + P[2 * i + 1]
            if i < len(P) // 2 - 1:
                h = jnp.tanh(h)
        return -jnp.mean(jax.nn.log_softmax(h)[jnp.arange(len(y)), y])

    def whole(P, x, y):
        value, g = jax.value_and_grad(loss)(P, x, y)
        return [p - RATE * d for p, d in zip(P, g)], value

    fast = jax.jit(whole, donate_argnums=0)

    def step():
        state[0], value = fast(state[0], X, Y)
        return value.block_until_ready()

    return step


def jax_single(f, args, way):
    """f, or its gradient for argument number `way` times the last of args."""
    jax = jax_double()
    args = tuple(jax.numpy.array(a) for a in args)
    if way is None:
        return waits(jax.jit(f)), args[:-1]

    def back(*args):
        at = list(args[:-1])

        def one(v):
            return f(*at[:way], v, *at[way + 1:])

        return jax.vjp(one, at[way])[1](args[-1])[0]

    return waits(jax.jit(back)), args


# ---- Theano ----
def graph_step(peer, x, y, params, convs):
    th, pt, softmax, mode = graph_library(peer)
    from theano.tensor.nnet import conv2d
    from theano.tensor.signal.pool import pool_2d

    h, Y, P = th.shared(x), th.shared(y), [th.shared(p) for p in params]
    for i in range(convs):
        h = pool_2d(conv2d(h, P[2 * i]), (2, 2), ignore_border=True)
        h = pt.tanh(h + P[2 * i + 1].dimshuffle("x", 0, "x", "x"))
    h = h.flatten(2)
    for i in range(convs, len(P) // 2):
        h = pt.dot(h, P[2 * i]) + P[2 * i + 1]
        if i < len(P) // 2 - 1:
            h = pt.tanh(h)
    cost = -pt.mean(pt.log(softmax(h))[pt.arange(Y.shape[0]), Y])
    updates = [(q, q - RATE * d) for q, d in zip(P, th.grad(cost, P))]
    return th.function([], cost, updates=updates, mode=mode)


def graph_single(peer, make, args, way):
    th, pt, _, mode = graph_library(peer)
    shared = [th.shared(a) for a in args]
    y = make(*shared[:-1])
    if way is not None:
        y = th.grad(None, shared[way], known_grads={y: shared[-1]})
    return th.function([], th.Out(y, borrow=True), mode=mode)


def step(peer, name, batch):
    x, y, params, convs = start(name, int(batch))
    if peer in ("torch", "torch-compile"):
        return torch_step(x, y, params, convs, peer == "torch-compile"), ()
    if peer == "jax":
        return jax_step(x, y, params, convs), ()
    return graph_step(peer, x, y, params, convs), ()


def conv(peer, name, way):
    if peer in ("torch", "torch-compile"):
        return torch_conv(name, way, peer == "torch-compile")
    x, w, g, pad = operands(name)
    if peer == "jax":
        jax = jax_double()
        return jax_single(lambda x, w: jax_conv2d(jax, x, w, pad), (x, turned(w), g), WAYS[way])
    from theano.tensor.nnet import conv2d

    return graph_single(peer, lambda x, w: conv2d(x, w, border_mode=(pad, pad)), (x, w, g), WAYS[way]), ()


def pool(peer, mode, shape, way):
    if peer in ("torch", "torch-compile"):
        return torch_pool(mode, shape, way, peer == "torch-compile")
    x, g = pooled_operands(shape)
    number = None if way == "forward" else 0
    if peer == "jax":
        jax = jax_double()
        return jax_single(lambda x: jax_pool2d(jax, x, mode), (x, g), number)
    from theano.tensor.signal.pool import pool_2d

    def make(x):
        return pool_2d(x, (2, 2), ignore_border=True, mode=mode)

    return graph_single(peer, make, (x, g), number), ()


def prepare(peer, kind, *words):
    if peer not in ("torch", "torch-compile", "jax", "theano"):
        raise Skip("no convolution")
    f, args = {"step": step, "conv": conv, "pool": pool}[kind](peer, *words)
    r = np.asarray(f(*args)).astype("float64")
    if kind == "conv" and words[1] == "for filters" and peer != "theano":
        r = r[:, :, ::-1, ::-1]
    r = r.reshape(-1)
    return f, args, r[0] if r.size == 1 else (r * (np.arange(r.size) % 3 + 1)).sum() / np.sqrt((r * r).sum())
