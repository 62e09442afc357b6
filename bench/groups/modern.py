"""The steps of modern.lua, written once over what a peer's library calls its means: its own attention, norms, pooling."""
import math

import numpy as np
from common import Skip, torch_single

RATE, STEPS = 1e-3, 20


class Start:
    """The same numbers as in modern.lua, in the same order."""

    def __init__(self):
        self.params, self.made, self.dtype = [], 0, "float32"

    def share(self, value):
        self.params.append(np.ascontiguousarray(value, dtype=self.dtype))

    def weight(self, *shape):
        self.made += 1
        n = int(np.prod(shape))
        inputs = shape[0] if len(shape) == 2 else n // shape[0]
        v = np.sin(np.arange(n) * 12.9898 + self.made) * 43758.5453
        self.share(((v - np.floor(v) - 0.5) * (2 / math.sqrt(inputs))).reshape(shape))

    def const(self, n, value):
        self.share(np.full(n, value))

    def norm(self, n):
        self.const(n, 1)
        self.const(n, 0)

    def dense(self, n, m):
        self.weight(n, m)
        self.const(m, 0)


def remainders(n, times, plus, of, *shape):
    return ((np.arange(n) * times + plus) % of).astype("int32").reshape(shape or (n,))


def sines(n, step, start, *shape):
    return np.sin(np.arange(n) * step + start).reshape(shape).astype("float32")


# ---- what differs between the libraries ----
class Jax:
    def __init__(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax, self.np = jax, jax.numpy
        self.exp, self.tanh, self.sigmoid = jax.numpy.exp, jax.numpy.tanh, jax.nn.sigmoid
        self.relu, self.softplus, self.sqrt = jax.nn.relu, jax.nn.softplus, jax.numpy.sqrt
        self.concat, self.stack = jax.numpy.concatenate, jax.numpy.stack

    def zeros(self, *shape):
        return self.np.zeros(shape, "float32")

    def gelu(self, u):
        return self.jax.nn.gelu(u, approximate=False)

    def normal(self, h, g, b, axis):
        m = h - h.mean(axis, keepdims=True)
        return m / self.np.sqrt((m * m).mean(axis, keepdims=True) + 1e-5) * g + b

    def layer_norm(self, h, g, b):
        return self.normal(h, g, b, 1)

    def batch_norm(self, h, g, b):
        return self.normal(h, g[:, None, None], b[:, None, None], (0, 2, 3))

    def conv(self, h, w):
        return self.jax.lax.conv_general_dilated(h, w, (1, 1), "SAME")

    def pool(self, h):
        lax = self.jax.lax
        return lax.reduce_window(h, -self.np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def double(self, h):
        return self.np.repeat(self.np.repeat(h, 2, 2), 2, 3)

    def attention(self, q, k, v):  # b h l d
        L = q.shape[2]
        s = q @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[3]) + self.np.triu(self.np.full((L, L), -1e9, "f"), 1)
        return self.jax.nn.softmax(s) @ v

    def swap(self, h, *order):
        return h.transpose(order)

    def cross_entropy(self, z, y):
        return -self.np.take_along_axis(self.jax.nn.log_softmax(z), y[:, None], 1).mean()

    def scan(self, f, state, xs, n=None):
        return self.jax.lax.scan(lambda s, x: (lambda r: (r, r[0]))(f(s, x)), state, xs, length=n)

    def grad(self, f, x):
        return self.jax.grad(lambda x: f(x).sum())(x)

    def training(self, loss, params, data):
        jax = self.jax

        def whole(P, *data):
            value, g = jax.value_and_grad(loss)(P, *data)
            return [p - p.dtype.type(RATE) * d for p, d in zip(P, g)], value

        return self.step(whole, params, data)

    def step(self, whole, params, data):
        state, data = [[self.np.array(p) for p in params]], [self.np.array(d) for d in data]
        fast = self.jax.jit(whole, donate_argnums=0).lower(state[0], *data).compile()

        def step():
            state[0], value = fast(state[0], *data)
            return value.block_until_ready()

        return step


class Torch:
    def __init__(self, compiled):
        torch = self.torch = torch_single()
        self.F, self.compiled = torch.nn.functional, compiled
        self.exp, self.tanh, self.sigmoid, self.sqrt = torch.exp, torch.tanh, torch.sigmoid, torch.sqrt
        self.relu, self.softplus, self.gelu = torch.relu, self.F.softplus, self.F.gelu
        self.concat, self.stack = torch.cat, torch.stack

    def zeros(self, *shape):
        return self.torch.zeros(shape)

    def layer_norm(self, h, g, b):
        return self.F.layer_norm(h, g.shape, g, b, 1e-5)

    def batch_norm(self, h, g, b):
        return self.F.batch_norm(h, None, None, g, b, True, 0, 1e-5)

    def conv(self, h, w):
        return self.F.conv2d(h, w, padding=1)

    def pool(self, h):
        return self.F.max_pool2d(h, 2)

    def double(self, h):
        return self.F.interpolate(h, scale_factor=2, mode="nearest")

    def attention(self, q, k, v):
        return self.F.scaled_dot_product_attention(q, k, v, is_causal=True)

    def swap(self, h, *order):
        return h.permute(order)

    def cross_entropy(self, z, y):
        return self.F.cross_entropy(z, y)

    def scan(self, f, state, xs, n=None):
        out = []
        for i in range(n if xs is None else len(xs)):
            state = f(state, None if xs is None else xs[i])
            out.append(state[0])
        return state, self.torch.stack(out)

    def grad(self, f, x):
        x = x.detach().requires_grad_()
        return self.torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]

    def tensors(self, params, data):
        torch = self.torch
        ints = [torch.from_numpy(d).long() if d.dtype == np.int32 else torch.from_numpy(d) for d in data]
        return [torch.from_numpy(p.copy()) for p in params], ints

    def training(self, loss, params, data):
        torch = self.torch
        P, data = self.tensors(params, data)
        for p in P:
            p.requires_grad_()
        fast = torch.compile(loss) if self.compiled else loss

        def step():
            value = fast(P, *data)
            g = torch.autograd.grad(value, P)
            with torch.no_grad():
                torch._foreach_add_(P, g, alpha=-RATE)
            return value.detach()

        return step


# ---- the workloads: numbers, data, loss ----
def transformer(M, S, B, L):
    B, L, D, H, V, F = int(B), int(L), 128, 4, 64, 512
    S.weight(V, D)
    S.weight(L, D)
    for _ in range(2):
        S.norm(D)
        for _ in range(4):
            S.weight(D, D)
        S.norm(D)
        S.dense(D, F)
        S.dense(F, D)
    S.norm(D)
    S.weight(D, V)

    def heads(h):
        return M.swap(h.reshape(B, L, H, D // H), 0, 2, 1, 3)

    def loss(P, x, y):
        h, at = (P[0][x] + P[1]).reshape(B * L, D), 2
        for _ in range(2):
            g, b, q, k, v, o, g2, b2, w, wb, u, ub = P[at : at + 12]
            at += 12
            n = M.layer_norm(h, g, b)
            a = M.swap(M.attention(heads(n @ q), heads(n @ k), heads(n @ v)), 0, 2, 1, 3)
            h = h + a.reshape(B * L, D) @ o
            h = h + M.gelu(M.layer_norm(h, g2, b2) @ w + wb) @ u + ub
        return M.cross_entropy(M.layer_norm(h, P[at], P[at + 1]) @ P[at + 2], y.reshape(-1))

    return [remainders(B * L, 7, 0, V, B, L), remainders(B * L, 11, 3, V, B, L)], loss


def recurrent(M, S, gates, cell, states):
    B, L, V, E, H = 32, 32, 64, 128, 256
    S.weight(V, E)
    S.weight(E, gates * H)
    S.weight(H, gates * H)
    S.const(gates * H, 0)
    S.weight(H, V)

    def parts(g):
        return [g[:, i * H : (i + 1) * H] for i in range(gates)]

    def loss(P, x, y):
        pre = (P[0][x].reshape(L * B, E) @ P[1] + P[3]).reshape(L, B, gates * H)
        _, h = M.scan(lambda s, p: cell(parts, p, s[0] @ P[2], *s), (M.zeros(B, H),) * states, pre)
        return M.cross_entropy(h.reshape(L * B, H) @ P[4], y.reshape(-1))

    return [remainders(B * L, 7, 0, V, L, B), remainders(B * L, 11, 3, V, L, B)], loss


def lstm(M, S):
    def cell(parts, p, hu, h, c):
        i, f, g, o = parts(p + hu)
        c = M.sigmoid(f) * c + M.sigmoid(i) * M.tanh(g)
        return M.sigmoid(o) * M.tanh(c), c

    return recurrent(M, S, 4, cell, 2)


def gru(M, S):
    def cell(parts, p, hu, h):
        (p0, p1, p2), (u0, u1, u2) = parts(p), parts(hu)
        keep = M.sigmoid(p1 + u1)
        return (keep * h + (1 - keep) * M.tanh(p2 + M.sigmoid(p0 + u0) * u2),)

    return recurrent(M, S, 3, cell, 1)


def resblock(M, S):
    B, C, N = 16, 32, 32
    for i in range(5):
        S.weight(C, C if i else 3, 3, 3)
        S.norm(C)
    S.weight(C, 10)

    def loss(P, x, y):
        def conv(h, i):
            return M.batch_norm(M.conv(h, P[3 * i]), P[3 * i + 1], P[3 * i + 2])

        h = M.relu(conv(x, 0))
        for i in (1, 3):
            h = M.relu(h + conv(M.relu(conv(h, i)), i + 1))
        return M.cross_entropy(h.mean((2, 3)) @ P[15], y)

    return [sines(B * 3 * N * N, 0.37, 0, B, 3, N, N), remainders(B, 7, 0, 10)], loss


def vae(M, S):
    B, P_, H, Z = 64, 784, 400, 20
    for n, m in ((P_, H), (H, Z), (H, Z), (Z, H), (H, P_)):
        S.dense(n, m)

    def loss(P, x, e):
        def dense(h, i):
            return h @ P[2 * i] + P[2 * i + 1]

        h = M.tanh(dense(x, 0))
        mean, logs = dense(h, 1), dense(h, 2)
        z = dense(M.tanh(dense(mean + M.exp(logs * 0.5) * e, 3)), 4)
        near = (M.softplus(z) - x * z).sum(1).mean()
        return (near - 0.5 * (1 + logs - mean * mean - M.exp(logs)).sum(1).mean()) * 0.01

    return [np.abs(sines(B * P_, 0.37, 0, B, P_)), sines(B * Z, 1.3, 0, B, Z)], loss


def wgan(M, S):
    B, N, H = 64, 128, 256
    for n, m in ((N, H), (H, H), (H, 1)):
        S.dense(n, m)

    def loss(P, x, made):
        def critic(h):
            return M.tanh(M.tanh(h @ P[0] + P[1]) @ P[2] + P[3]) @ P[4] + P[5]

        slope = M.grad(critic, x * 0.3 + made * 0.7)
        penalty = ((M.sqrt((slope * slope).sum(1) + 1e-8) - 1) ** 2).mean()
        return critic(made).mean() - critic(x).mean() + 10 * penalty

    return [sines(B * N, 0.37, 0, B, N), sines(B * N, 0.91, 2, B, N)], loss


def unet(M, S):
    B, N, C = 2, 64, 16
    sizes = [(1, 1), (1, 1), (1, 2), (2, 2), (2, 4), (4, 4), (6, 2), (2, 2), (3, 1), (1, 1)]
    for i, (n, m) in enumerate(sizes):
        S.weight(C * m, C * n if i else 1, 3, 3)
    S.weight(1, C, 3, 3)

    def loss(P, x, y):
        def twice(h, i):
            return M.relu(M.conv(M.relu(M.conv(h, P[2 * i])), P[2 * i + 1]))

        a = twice(x, 0)
        b = twice(M.pool(a), 1)
        up = twice(M.concat([M.double(twice(M.pool(b), 2)), b], 1), 3)
        up = twice(M.concat([M.double(up), a], 1), 4)
        d = M.conv(up, P[10]) - y
        return (d * d).mean()

    return [sines(B * N * N, 0.37, 0, B, 1, N, N), sines(B * N * N, 0.0037, 0, B, 1, N, N)], loss


def rk4(M, S):
    S.dtype = "float64"
    S.share([1, 1.5, 2])
    S.share([10, 28, 8 / 3])
    h = 1e-3

    def loss(P, target):
        r = P[1]

        def f(s):
            return M.stack([r[0] * (s[1] - s[0]), s[0] * (r[1] - s[2]) - s[1], s[0] * s[1] - r[2] * s[2]])

        def step(s, _):
            (s,) = s
            a = f(s)
            b = f(s + a * (h / 2))
            d = f(s + b * (h / 2))
            return (s + (a + 2 * b + 2 * d + f(s + d * h)) * (h / 6),)

        _, path = M.scan(step, (P[0],), None, 1000)
        return ((path[-1] - target) ** 2).sum() * 1e-3

    return [np.array([-3.0, 2, 20])], loss


# ---- steps that are no training by all gradients ----
def embedding(M):
    S, V, D, B, N = Start(), 100000, 64, 512, 5
    S.weight(V, D)
    S.weight(V, D)
    data = [remainders(B, 7919, 0, V), remainders(B, 104729, 1, V), remainders(B * N, 1299709, 2, V)]

    def cost(rows):
        c, near, far = rows
        bad = (c[:, None] * far.reshape(B, N, D)).sum(2)
        return M.softplus(-(c * near).sum(1)).mean() + M.softplus(bad).mean()

    if isinstance(M, Jax):

        def whole(P, centre, near, far):
            value, g = M.jax.value_and_grad(cost)([P[0][centre], P[1][near], P[1][far]])
            rate = np.float32(-RATE)
            return [P[0].at[centre].add(g[0] * rate), P[1].at[near].add(g[1] * rate).at[far].add(g[2] * rate)], value

        return M.step(whole, S.params, data)
    torch = M.torch
    (input_, output), (centre, near, far) = M.tensors(S.params, data)
    fast = torch.compile(cost) if M.compiled else cost

    def step():
        rows = [input_[centre].requires_grad_(), output[near].requires_grad_(), output[far].requires_grad_()]
        value = fast(rows)
        g = torch.autograd.grad(value, rows)
        with torch.no_grad():
            input_.index_add_(0, centre, g[0], alpha=-RATE)
            output.index_add_(0, near, g[1], alpha=-RATE)
            output.index_add_(0, far, g[2], alpha=-RATE)
        return value.detach()

    return step


def mlp(M, batch):
    S, B = Start(), int(batch)
    for n, m in ((784, 512), (512, 512), (512, 512), (512, 10)):
        S.dense(n, m)
    data = [sines(784 * B, 0.37, 0, B, 784)]

    def run(P, x):
        for i in range(3):
            x = M.relu(x @ P[2 * i] + P[2 * i + 1])
        z = x @ P[6] + P[7]
        p = M.jax.nn.softmax(z) if isinstance(M, Jax) else M.torch.softmax(z, 1)
        return (p * p).sum()

    if isinstance(M, Jax):
        P, x = [M.np.array(p) for p in S.params], M.np.array(data[0])
        fast = M.jax.jit(run).lower(P, x).compile()
        return lambda: fast(P, x).block_until_ready()
    P, (x,) = M.tensors(S.params, data)
    fast = M.torch.compile(run) if M.compiled else run

    def step():
        with M.torch.no_grad():
            return fast(P, x)

    return step


def bodies(M):
    n = 512
    place = (np.sin(np.arange(3 * n) * 0.7 + 1) * 10).reshape(n, 3)
    mass = np.abs(np.sin(np.arange(n) * 0.3 + 1)) + 0.1

    def energy(place, mass):
        apart = place[:, None] - place[None]
        near = 1 / M.sqrt((apart * apart).sum(2) + 1e-2)
        return (near * mass * mass[:, None]).sum() * -0.5

    if isinstance(M, Jax):

        def whole(P, mass):
            value, g = M.jax.value_and_grad(energy)(P[0], mass)
            speed = P[1] - g / mass[:, None] * 1e-3
            return [P[0] + speed * 1e-3, speed], value

        return M.step(whole, [place, np.zeros_like(place)], [mass])
    torch = M.torch
    (at, speed), (mass,) = M.tensors([place, np.zeros_like(place)], [mass])
    at.requires_grad_()
    fast = torch.compile(energy) if M.compiled else energy

    def step():
        value = fast(at, mass)
        (g,) = torch.autograd.grad(value, at)
        with torch.no_grad():
            speed.sub_(g / mass[:, None], alpha=1e-3)
            at.add_(speed, alpha=1e-3)
        return value.detach()

    return step


def check(peer, name):
    if peer not in ("jax", "torch", "torch-compile"):
        raise Skip("no such step")
    if peer == "torch-compile" and name in ("rk4", "wgan-gp"):
        raise Skip("its compiler unrolls the loop" if name == "rk4" else "it has no second derivative")


def build(peer, name, *words):
    """A step, not run yet; JAX's is compiled."""
    check(peer, name)
    compiled = peer == "torch-compile"
    M = Jax() if peer == "jax" else Torch(compiled)
    if name in ("embedding", "mlp", "bodies"):
        return globals()[name](M, *words)
    S = Start()
    data, loss = globals()[name.split("-")[0]](M, S, *words)
    return M.training(loss, S.params, data)


def prepare(peer, *words):
    f = build(peer, *words)
    for _ in range(STEPS):
        value = f()
    return f, (), float(value)
