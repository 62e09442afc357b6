"""The workloads of bench/gpu/work.lua by PyTorch, its compiler, JAX and CuPy: one line of JSON for each workload and
peer with what a call takes and a number of its answer, or why there is none. scripts/gpu-bench runs it and compares.

    python bench/gpu/peers.py [--device cuda|cpu] [--small] [--only TEXT] [--peers torch,jax,..] [--seconds S]
    python bench/gpu/peers.py --count [--small] [--only TEXT] [--peers torch,torch-compile,jax]

--count: nothing runs; what PyTorch would launch, of shapes alone. Eager: operations that are no views, the bytes that
these read and write, FLOPs of products and convolutions, their lengths, and the most bytes that its arrays have at
once. Its compiler: the kernels into which its scheduler puts the whole step (scheduled.py). JAX, where it has its CUDA
plugin: the kernels that it compiles for an H100, and how long that takes (ahead.py; --peers jax where there is no
PyTorch).
"""
import argparse
import json
import math
import time

import ahead

options = argparse.ArgumentParser()
options.add_argument("--device", default="cuda")
options.add_argument("--small", action="store_true")
options.add_argument("--only", default="")
options.add_argument("--peers", default=None)
options.add_argument("--seconds", type=float, default=0.2)
options.add_argument("--count", action="store_true")
options = options.parse_args()
if options.count:
    options.device = "meta"
    has_jax = ahead.plugin()
    options.peers = options.peers or "torch,torch-compile" + (",jax" if has_jax else "")
options.peers = options.peers or "torch,torch-compile,jax,cupy"
SMALL = options.small

import numpy as np  # noqa: E402

if options.count and "torch" in options.peers:
    from scheduled import launches


def numbers(seed, *shape):
    """The same numbers as work.lua's, between -0.1 and 0.1."""
    i = np.arange(math.prod(shape), dtype=np.int64)
    return (((i * 7919 + seed * 131) % 1009) / 1009 * 0.2 - 0.1).astype(np.float32).reshape(shape)


def labels(n, classes):
    return (np.arange(n, dtype=np.int64) * 7) % classes


class Skip(Exception):
    pass


# ---- sizes, as in work.lua ------------------------------------------------------------------------------------------
N = 1000 if SMALL else 1 << 24
SIDE = 40 if SMALL else 4096
MLP = (60, 784, 500, 10) if not SMALL else (6, 20, 12, 4)
LENET = 128 if not SMALL else 4
BLOCK = (8, 1024, 512, 8) if not SMALL else (2, 8, 16, 2)
LSTM = (100, 64, 256) if not SMALL else (5, 3, 8)
ROWS = (8192, 1024) if not SMALL else (5, 24)
SHORT = 65536 if not SMALL else 4
IMAGES = (64, 64, 56, 64, 3) if not SMALL else (2, 3, 9, 4, 3)
RATE = 0.01


# ---- timing ---------------------------------------------------------------------------------------------------------
def least(f, wait):
    """Seconds a call, the least of five rounds."""
    def turn(n):
        start = time.perf_counter()
        for _ in range(n):
            f()
        wait()
        return time.perf_counter() - start
    turn(3)
    n = max(1, int(options.seconds / 5 / max(turn(1), 1e-9)))
    return min(turn(n) / n for _ in range(5))


def products(name, args):
    """The products that an operation is, of shapes: [matrices, rows, columns, terms] each."""
    if name in ("aten::mm", "aten::bmm", "aten::addmm"):
        a, b = args[-2:] if name == "aten::addmm" else args[:2]
        return [[a.shape[0] if a.ndim == 3 else 1, a.shape[-2], b.shape[-1], a.shape[-1]]]
    if name not in ("aten::convolution", "aten::convolution_backward"):
        return []
    back = name == "aten::convolution_backward"
    out, image, weight = args[:3] if back else (None, *args[:2])
    filters, taps = weight.shape[0], math.prod(weight.shape[1:])
    if not back:  # no padding, steps of 1, as all of these
        each = math.prod(n - w + 1 for n, w in zip(image.shape[2:], weight.shape[2:]))
        return [[1, image.shape[0] * each, filters, taps]]
    points, mask = out.shape[0] * math.prod(out.shape[2:]), args[-1]
    pixels = image.numel() // image.shape[1]
    both = [[1, pixels, image.shape[1], taps // image.shape[1] * filters], [1, filters, taps, points]]
    return [p for p, wanted in zip(both, mask) if wanted]


def counted(call):
    """What eager PyTorch launches in a call: each operation by its bytes and FLOPs."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves
    from torch.utils.flop_counter import flop_registry
    ops = []

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, f, types, args=(), kwargs=None):
            out = f(*args, **(kwargs or {}))
            if f.is_view or f._schema.name in ("aten::_unsafe_view", "aten::detach", "aten::empty_like"):
                return out
            tensors = [v for v in tree_leaves((args, kwargs, out)) if isinstance(v, torch.Tensor)]
            flops = flop_registry.get(f.overloadpacket)
            many = len(args[0]) if f._schema.name.startswith("aten::_foreach") else 1
            ops.append({"op": f._schema.name, "bytes": sum(v.numel() * v.element_size() for v in tensors),
                        "flops": flops(*args, **(kwargs or {}), out_val=out) if flops else 0, "of": many,
                        "dtype": str(tensors[0].dtype).removeprefix("torch.") if tensors else "float32",
                        "products": products(f._schema.name, args)})
            return out
    with Counting():
        call()
    return ops


def held(call, resident):
    """The most bytes that eager PyTorch's arrays have during a call, by 512 as its allocator has them: what is there
    before (parameters, data), what autograd saves, gradients, each operation's results; no library's workspace."""
    import torch
    from torch.multiprocessing.reductions import StorageWeakRef
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves
    alive, most = {}, [0]

    def see(values):
        for v in values:
            if isinstance(v, torch.Tensor):
                storage = v.untyped_storage()
                alive[storage._cdata] = StorageWeakRef(storage), (storage.nbytes() + 511) // 512 * 512
        for key in [key for key, (ref, _) in alive.items() if ref.expired()]:
            del alive[key]
        most[0] = max(most[0], sum(bytes for _, bytes in alive.values()))

    class Holding(TorchDispatchMode):
        def __torch_dispatch__(self, f, types, args=(), kwargs=None):
            out = f(*args, **(kwargs or {}))
            see(tree_leaves((args, kwargs, out)))
            return out
    see(resident)
    with Holding():
        call()
    return most[0]


# ---- PyTorch --------------------------------------------------------------------------------------------------------
class Torch:
    def __init__(self, compiled):
        import torch
        self.t, self.compiled, self.planned = torch, compiled, None
        if options.device == "cuda" and not torch.cuda.is_available():
            raise Skip("PyTorch finds no GPU")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    def wait(self):
        if options.device == "cuda":
            self.t.cuda.synchronize()

    def memory(self):
        """The most bytes in use so far, beginning anew."""
        if options.device != "cuda":
            return None
        most = self.t.cuda.max_memory_allocated()
        self.t.cuda.reset_peak_memory_stats()
        return most

    def array(self, a, dtype=None):
        return self.t.tensor(a, device=options.device, dtype=dtype)

    def made(self, f):
        if not self.compiled or options.count:
            return f
        return self.t.compile(f, mode="reduce-overhead" if options.device == "cuda" else "default")

    def trained(self, cost, params, *data):
        """Steps of gradient descent: what a step does, and the cost of the third one."""
        t = self.t
        for p in params:
            p.requires_grad_()
        forward = self.made(cost)

        def step():
            c = forward(params, *data)
            grads = t.autograd.grad(c, params)
            with t.no_grad():
                t._foreach_add_(params, grads, alpha=-RATE)
            return c
        def whole(*all):
            c = cost(all[:len(params)], *all[len(params):])
            grads = t.autograd.grad(c, all[:len(params)])
            return c.detach(), *t._foreach_add([p.detach() for p in all[:len(params)]], grads, alpha=-RATE)
        if options.count:
            self.planned = whole, (*params, *data)
            return step, None
        costs = [float(step().detach()) for _ in range(3)]
        return step, costs[2]

    def function(self, f, *data):
        f, self.planned = self.made(f), (f, data)
        with self.t.no_grad():
            value = None if options.count else float(f(*data).double().mean())

        def call():
            with self.t.no_grad():
                return f(*data)
        return call, value

    def mlp(self):
        t, (n, a, b, c) = self.t, MLP
        F = t.nn.functional
        params = [self.array(numbers(1, a, b)), self.array(numbers(0, b) * 0), self.array(numbers(2, b, c)),
                  self.array(numbers(0, c) * 0)]
        y = self.array(labels(n, c))

        def cost(p, x):
            return F.cross_entropy(t.addmm(p[3], t.tanh(t.addmm(p[1], x, p[0])), p[2]), y)
        return self.trained(cost, params, self.array(numbers(3, n, a)))

    def lenet(self):
        t = self.t
        F = t.nn.functional
        params = [self.array(numbers(1, 20, 1, 5, 5)), self.array(numbers(2, 50, 20, 5, 5)),
                  self.array(numbers(3, 800, 500)), self.array(numbers(4, 500, 10))]
        y = self.array(labels(LENET, 10))

        def cost(p, x):
            h = t.tanh(F.max_pool2d(F.conv2d(x, p[0]), 2))
            h = t.tanh(F.max_pool2d(F.conv2d(h, p[1]), 2)).flatten(1)
            return F.cross_entropy(t.tanh(h @ p[2]) @ p[3], y)
        return self.trained(cost, params, self.array(numbers(5, LENET, 1, 28, 28)))

    def attention(self, q, k, v):
        """What a GPU is given: of shapes alone PyTorch would take its parts."""
        aten, half = self.t.ops.aten, q.dtype != self.t.float32
        if not options.count:
            return self.t.nn.functional.scaled_dot_product_attention(q, k, v)
        return (aten._scaled_dot_product_flash_attention(q, k, v) if half
                else aten._scaled_dot_product_efficient_attention(q, k, v, None, True))[0]

    def block(self, dtype):
        """autocast: float32 weights, products of bfloat16; else all of it is of the dtype."""
        t, (n, length, width, heads) = self.t, BLOCK
        F, auto = t.nn.functional, dtype == "autocast"
        dtype = t.float32 if auto else getattr(t, dtype)
        shapes = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)]
        params = [self.array(numbers(i + 1, *s), dtype) for i, s in enumerate(shapes)]

        def low(v):  # of shapes alone there is no autocast: what it casts, each operand once
            return v.bfloat16() if auto and options.count else v

        def whole(p, x):
            def norm(v):
                return low(F.layer_norm(v, (width,)))
            q, k, v = ((norm(x) @ low(p[0])).reshape(n, length, 3, heads, width // heads)
                       .permute(2, 0, 3, 1, 4)).unbind(0)
            seen = self.attention(q, k, v).transpose(1, 2).reshape(n, length, width)
            h = x + seen @ low(p[1])
            return (h + t.tanh(norm(h) @ low(p[2])) @ low(p[3])).float().square().mean()

        def cost(p, x):
            with t.autocast(options.device, t.bfloat16, enabled=auto and not options.count):
                return whole(p, x)
        return self.trained(whole if options.count else cost, params, self.array(numbers(9, n, length, width), dtype))

    def lstm(self):
        t, (steps, n, width) = self.t, LSTM
        if self.compiled:
            raise Skip("cuDNN's LSTM is what eager PyTorch calls")
        if options.count:
            raise Skip("cuDNN's LSTM does not say what it launches")
        net = t.nn.LSTM(width, width, bias=False, device=options.device)
        with t.no_grad(): # gates: input, forget, candidate, output
            net.weight_ih_l0.copy_(self.array(numbers(1, width, 4 * width)).T)
            net.weight_hh_l0.copy_(self.array(numbers(2, width, 4 * width)).T)
        params = list(net.parameters())
        return self.trained(lambda _, x: net(x)[0][-1].square().mean(), params, self.array(numbers(3, steps, n, width)))

    def elementwise(self, which):
        t, x, y = self.t, self.array(numbers(1, N)), self.array(numbers(2, N))
        return self.function({
            "copy": lambda x, y: x.clone(), "sum": lambda x, y: x + y, "tanh": lambda x, y: t.tanh(x) * t.exp(-y),
            "long": lambda x, y: t.log1p(t.abs(x)) + t.sqrt(t.abs(y)) * t.sigmoid(x - y)}[which], x, y)

    def matrix(self, which):
        t, x = self.t, self.array(numbers(1, SIDE, SIDE))
        if which == "product":
            return self.function(lambda x, y: x @ y, x, self.array(numbers(2, SIDE, SIDE)))
        if which == "row":
            return self.function(lambda x, y: x + y, x, self.array(numbers(2, SIDE)))
        if which == "short":
            return self.function(lambda x: t.softmax(x, 1), self.array(numbers(1, SHORT, N // SHORT)))
        return self.function({
            "all": lambda x: x.sum().reshape(1), "rows": lambda x: x.sum(1), "columns": lambda x: x.sum(0),
            "transpose": lambda x: x.T.contiguous() if not self.compiled else x.T + 0,
            "softmax": lambda x: t.softmax(x, 1)}[which], x)

    def part(self, which):
        t, (n, width), F = self.t, ROWS, self.t.nn.functional
        x, z, y = self.array(numbers(1, n, width)), self.array(numbers(4, n, width)), self.array(labels(n, width))
        scale, offset = self.array(numbers(2, width)), self.array(numbers(3, width))

        def norm(x, scale, offset):
            return F.layer_norm(x, (width,), scale, offset)
        if which == "norm":
            return self.function(norm, x, scale, offset)
        if which == "norm grad":
            return self.gradients(norm, z, x, scale, offset)
        if which == "gelu":
            return self.function(F.gelu, x)
        if which == "gelu grad":
            return self.gradients(F.gelu, z, x)
        if which == "dropout":
            if options.count:  # what F.dropout is on a GPU; of shapes alone PyTorch would take its parts
                return self.function(lambda x: t.native_dropout(x, 0.5, True)[0], x)
            return self.function(lambda x: F.dropout(x, 0.5), x)[0], None
        return self.gradients(lambda x: F.cross_entropy(x, y), None, x)

    def gradients(self, f, z, *data):
        """What a call for the value and its gradients does, and the mean of the first gradient."""
        t, f = self.t, self.made(f)
        self.planned = lambda *v: t.autograd.grad(f(*v), v, z), data
        for p in data:
            p.requires_grad_()

        def call():
            return t.autograd.grad(f(*data), data, z)
        return call, None if options.count else float(call()[0].double().mean())

    def convolution(self):
        n, channels, side, filters, wide = IMAGES
        return self.function(self.t.nn.functional.conv2d, self.array(numbers(1, n, channels, side, side)),
                             self.array(numbers(2, filters, channels, wide, wide)))

    def draw(self, which):
        t = self.t
        f = {"uniform": lambda: t.rand(N, device=options.device), "normal": lambda: t.randn(N, device=options.device)}
        return self.function(f[which])[0], None

    def tiny(self):
        return self.function(lambda x: x * 2 + 1, self.array(numbers(1, 10)))


# ---- JAX ------------------------------------------------------------------------------------------------------------
class Jax:
    def __init__(self):
        import jax
        import jax.numpy as jnp
        self.j, self.np, self.last = jax, jnp, None
        if options.device == "cuda" and jax.default_backend() != "gpu":
            raise Skip("JAX finds no GPU")
        jax.config.update("jax_default_matmul_precision", "float32")

    def wait(self):
        self.j.block_until_ready(self.last)

    def memory(self):
        """The most bytes in use so far: JAX does not begin anew."""
        stats = self.j.devices()[0].memory_stats()
        return stats and stats.get("peak_bytes_in_use")

    def array(self, a, dtype=None):
        return self.np.asarray(a, dtype)

    def updated(self, cost):
        grad = self.j.value_and_grad(cost)

        def update(params, *data):
            c, g = grad(params, *data)
            return c, [(p - RATE * d).astype(p.dtype) for p, d in zip(params, g)]
        return update

    def graded(self, cost, data):
        return self.j.jit(self.j.value_and_grad(cost, argnums=tuple(range(1, len(data) + 1))))

    def trained(self, cost, params, *data):
        update = self.j.jit(self.updated(cost), donate_argnums=0)
        state = [params, None]

        def step():
            self.last = state[1], state[0] = update(state[0], *data)
            return state[1]
        costs = [float(step()) for _ in range(3)]
        return step, costs[2]

    def function(self, f, *data):
        f = self.j.jit(f)
        value = float(np.asarray(f(*data), np.float64).mean())

        def call():
            self.last = f(*data)
        return call, value

    def cross_entropy(self, z, y):
        return -self.np.take_along_axis(self.j.nn.log_softmax(z), y[:, None], 1).mean()

    def mlp(self):
        p, (n, a, b, c) = self.np, MLP
        params = [self.array(numbers(1, a, b)), p.zeros(b, "float32"), self.array(numbers(2, b, c)),
                  p.zeros(c, "float32")]
        y = self.array(labels(n, c))
        return self.trained(lambda w, x: self.cross_entropy(p.tanh(x @ w[0] + w[1]) @ w[2] + w[3], y), params,
                            self.array(numbers(3, n, a)))

    def lenet(self):
        p, lax = self.np, self.j.lax
        params = [self.array(numbers(1, 20, 1, 5, 5)), self.array(numbers(2, 50, 20, 5, 5)),
                  self.array(numbers(3, 800, 500)), self.array(numbers(4, 500, 10))]
        y = self.array(labels(LENET, 10))

        def layer(x, w):
            h = lax.conv(x, w, (1, 1), "VALID")
            return p.tanh(lax.reduce_window(h, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"))

        def cost(w, x):
            h = layer(layer(x, w[0]), w[1]).reshape(LENET, -1)
            return self.cross_entropy(p.tanh(h @ w[2]) @ w[3], y)
        return self.trained(cost, params, self.array(numbers(5, LENET, 1, 28, 28)))

    def block(self, dtype):
        """autocast: float32 weights, products of bfloat16; else all of it is of the dtype."""
        p, (n, length, width, heads) = self.np, BLOCK
        auto, dtype = dtype == "autocast", "float32" if dtype == "autocast" else dtype
        shapes = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)]
        params = [self.array(numbers(i + 1, *s), dtype) for i, s in enumerate(shapes)]

        def norm(v):
            d = v.astype("float32")
            d = d - d.mean(-1, keepdims=True)
            return (d / p.sqrt((d * d).mean(-1, keepdims=True) + 1e-5)).astype("bfloat16" if auto else v.dtype)

        def low(v):
            return v.astype("bfloat16") if auto else v

        def cost(w, x):
            q, k, v = (norm(x) @ low(w[0])).reshape(n, length, 3, heads, width // heads).transpose(2, 0, 1, 3, 4)
            seen = self.j.nn.dot_product_attention(q, k, v).reshape(n, length, width)
            h = x + seen @ low(w[1])
            return p.square((h + p.tanh(norm(h) @ low(w[2])) @ low(w[3])).astype("float32")).mean()
        return self.trained(cost, params, self.array(numbers(9, n, length, width), dtype))

    def lstm(self):
        p, (steps, n, width) = self.np, LSTM
        params = [self.array(numbers(1, width, 4 * width)), self.array(numbers(2, width, 4 * width))]

        def cost(w, x):
            def turn(state, v):
                h, c = state
                i, f, g, o = p.split(v @ w[0] + h @ w[1], 4, 1)
                c = self.j.nn.sigmoid(f) * c + self.j.nn.sigmoid(i) * p.tanh(g)
                return (self.j.nn.sigmoid(o) * p.tanh(c), c), None
            zero = p.zeros((n, width), "float32")
            return p.square(self.j.lax.scan(turn, (zero, zero), x)[0][0]).mean()
        return self.trained(cost, params, self.array(numbers(3, steps, n, width)))

    def elementwise(self, which):
        p, x, y = self.np, self.array(numbers(1, N)), self.array(numbers(2, N))
        return self.function({
            "copy": lambda x, y: x.copy(), "sum": lambda x, y: x + y, "tanh": lambda x, y: p.tanh(x) * p.exp(-y),
            "long": lambda x, y: p.log1p(p.abs(x)) + p.sqrt(p.abs(y)) * self.j.nn.sigmoid(x - y)}[which], x, y)

    def matrix(self, which):
        x = self.array(numbers(1, SIDE, SIDE))
        if which == "product":
            return self.function(lambda x, y: x @ y, x, self.array(numbers(2, SIDE, SIDE)))
        if which == "row":
            return self.function(lambda x, y: x + y, x, self.array(numbers(2, SIDE)))
        if which == "short":
            return self.function(lambda x: self.j.nn.softmax(x, 1), self.array(numbers(1, SHORT, N // SHORT)))
        return self.function({
            "all": lambda x: x.sum().reshape(1), "rows": lambda x: x.sum(1), "columns": lambda x: x.sum(0),
            "transpose": lambda x: x.T + 0, "softmax": lambda x: self.j.nn.softmax(x, 1)}[which], x)

    def part(self, which):
        j, p, (n, width) = self.j, self.np, ROWS
        x, z, y = self.array(numbers(1, n, width)), self.array(numbers(4, n, width)), self.array(labels(n, width))
        scale, offset = self.array(numbers(2, width)), self.array(numbers(3, width))

        def norm(x, scale, offset):
            d = x - x.mean(-1, keepdims=True)
            return d / p.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * scale + offset

        def gelu(x):
            return j.nn.gelu(x, approximate=False)

        def dropout(key, x):
            return j.random.split(key)[0], p.where(j.random.bernoulli(key, 0.5, x.shape), x * 2, 0)
        if which == "norm":
            return self.function(norm, x, scale, offset)
        if which == "norm grad":
            return self.gradients(lambda z, *v: (norm(*v) * z).sum(), z, x, scale, offset)
        if which == "gelu":
            return self.function(gelu, x)
        if which == "gelu grad":
            return self.gradients(lambda z, x: (gelu(x) * z).sum(), z, x)
        if which == "dropout":
            return self.keyed(dropout, x)
        return self.gradients(lambda y, x: self.cross_entropy(x, y), y, x)

    def gradients(self, cost, other, *data):
        f = self.graded(cost, data)

        def call():
            self.last = f(other, *data)
        return call, float(np.asarray(f(other, *data)[1][0], np.float64).mean())

    def convolution(self):
        n, channels, side, filters, wide = IMAGES
        return self.function(lambda x, w: self.j.lax.conv(x, w, (1, 1), "VALID"),
                             self.array(numbers(1, n, channels, side, side)),
                             self.array(numbers(2, filters, channels, wide, wide)))

    def keyed(self, f, *data):
        """A call of what gives the next key and a result."""
        f, state = self.j.jit(f), [self.j.random.key(0)]

        def call():
            state[0], self.last = f(state[0], *data)
        return call, None

    def draw(self, which):
        r = self.j.random
        return self.keyed(lambda k: (r.split(k)[0], getattr(r, which)(k, (N,))))

    def tiny(self):
        return self.function(lambda x: x * 2 + 1, self.array(numbers(1, 10)))


# ---- CuPy -----------------------------------------------------------------------------------------------------------
class OnCpu:
    """NumPy by the names of CuPy that are used here, to try the programs."""
    float32 = np.float32

    def __getattr__(self, name):
        return getattr(np, name)

    @staticmethod
    def fuse():
        return lambda f: f

    class random:
        rand = staticmethod(lambda n, dtype: np.random.rand(n).astype(dtype))
        randn = staticmethod(lambda n, dtype: np.random.randn(n).astype(dtype))


class Cupy:
    def __init__(self):
        if options.device != "cuda" and not SMALL:
            raise Skip("CuPy has no CPU")
        try:
            if options.device == "cuda":
                import cupy
            else:
                cupy = OnCpu()
        except ImportError:
            raise Skip("CuPy is not installed")
        self.c = cupy

    def wait(self):
        if options.device == "cuda":
            self.c.cuda.Device().synchronize()

    def memory(self):
        """Bytes of its pool, which only grow."""
        return self.c.get_default_memory_pool().total_bytes() if options.device == "cuda" else None

    def function(self, f, *data):
        return (lambda: f(*data)), float(f(*data).astype("float64").mean())

    def elementwise(self, which):
        c = self.c
        x, y = c.asarray(numbers(1, N)), c.asarray(numbers(2, N))
        if which == "copy":
            return self.function(lambda x: x.copy(), x)
        return self.function(c.fuse()({
            "sum": lambda x, y: x + y, "tanh": lambda x, y: c.tanh(x) * c.exp(-y),
            "long": lambda x, y: c.log1p(c.abs(x)) + c.sqrt(c.abs(y)) / (1 + c.exp(y - x))}[which]), x, y)

    def matrix(self, which):
        c, x = self.c, self.c.asarray(numbers(1, SIDE, SIDE))
        if which in ("softmax", "short"):
            raise Skip("CuPy has no softmax")
        if which == "row":
            return self.function(c.fuse()(lambda x, y: x + y), x, c.asarray(numbers(2, SIDE)))
        if which == "product":
            return self.function(lambda x, y: x @ y, x, c.asarray(numbers(2, SIDE, SIDE)))
        return self.function({
            "all": lambda x: x.sum().reshape(1), "rows": lambda x: x.sum(1), "columns": lambda x: x.sum(0),
            "transpose": lambda x: c.ascontiguousarray(x.T)}[which], x)

    def draw(self, which):
        draw = {"uniform": self.c.random.rand, "normal": self.c.random.randn}[which]
        return (lambda: draw(N, dtype="float32")), None

    def tiny(self):
        return self.function(self.c.fuse()(lambda x: x * 2 + 1), self.c.asarray(numbers(1, 10)))


WORK = (
    ("MLP, batch 60, a step", "mlp"), ("LeNet, batch 128, a step", "lenet"),
    ("transformer block, float32, a step", "block", "float32"),
    ("transformer block, bfloat16, a step", "block", "bfloat16"),
    ("transformer block, autocast, a step", "block", "autocast"), ("LSTM, 100 steps, a step", "lstm"),
    ("copy", "elementwise", "copy"), ("x + y", "elementwise", "sum"), ("tanh(x) * exp(-y)", "elementwise", "tanh"),
    ("log1p(|x|) + sqrt(|y|) * sigmoid(x - y)", "elementwise", "long"), ("matrix + row", "matrix", "row"),
    ("layer norm", "part", "norm"), ("layer norm, gradients", "part", "norm grad"), ("GELU", "part", "gelu"),
    ("GELU, gradient", "part", "gelu grad"), ("dropout", "part", "dropout"),
    ("cross-entropy and gradient", "part", "entropy"), ("convolution", "convolution"), ("sum of all", "matrix", "all"),
    ("sum of rows", "matrix", "rows"), ("sum of columns", "matrix", "columns"), ("transpose", "matrix", "transpose"),
    ("softmax", "matrix", "softmax"), ("softmax of short rows", "matrix", "short"), ("product", "matrix", "product"), ("uniform", "draw", "uniform"),
    ("normal", "draw", "normal"), ("ten numbers", "tiny"))
MAKERS = {"torch": lambda: Torch(False), "torch-compile": lambda: Torch(True), "cupy": Cupy,
          "jax": ahead.made(Jax) if options.count else Jax}

for peer in options.peers.split(","):
    server, missing = None, None
    try:
        server = MAKERS[peer]()
    except (Skip, ImportError) as e:
        missing = str(e)
    for name, method, *words in WORK:
        if options.only not in name:
            continue
        out = {"name": name, "peer": peer}
        try:
            if missing:
                raise Skip(missing)
            if not hasattr(server, method):
                raise Skip("not written for it")
            start = time.perf_counter()
            call, value = getattr(server, method)(*words)
            if options.count:
                if peer == "jax":
                    out |= {"ops": server.ops, "first": server.first, "held": server.held}
                else:
                    out["ops"] = launches(*server.planned, products) if peer == "torch-compile" else counted(call)
                if peer == "torch" and server.planned:
                    out["held"] = held(call, server.planned[1])
                print(json.dumps(out), flush=True)
                continue
            call()
            server.wait()
            out["first"] = time.perf_counter() - start
            out["check"] = value
            out["us"] = least(call, server.wait) * 1e6
            out["memory"] = server.memory() if hasattr(server, "memory") else None
        except Skip as e:
            out["skip"] = str(e)
        except Exception as e:  # one that fails says so, and the others go on
            out["failed"] = f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"
        print(json.dumps(out), flush=True)
