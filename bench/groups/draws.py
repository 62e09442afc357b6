"""The lines of draws.lua in NumPy and PyTorch."""
import numpy as np
from common import Skip, torch_single

single = dict(dtype=np.float32)
old, new = np.random.RandomState(1), np.random.default_rng(1)
NUMPY = {
    "uniform": lambda n: new.random(n, **single),
    "uniform float64": lambda n: new.random(n),
    "uniform legacy": lambda n: old.uniform(size=n),
    "normal": lambda n: new.standard_normal(n, **single),
    "normal float64": lambda n: new.standard_normal(n),
    "normal legacy": lambda n: old.normal(size=n),
    "binomial int8": lambda n: new.random(n, **single) < 0.5,
    "key uniform": lambda n: new.random(n, **single),
    "key normal": lambda n: new.standard_normal(n, **single),
}


def torch_draws():
    torch = torch_single()
    double = dict(dtype=torch.float64)
    return {
        "uniform": lambda n: torch.rand(n),
        "uniform float64": lambda n: torch.rand(n, **double),
        "normal": lambda n: torch.randn(n),
        "normal float64": lambda n: torch.randn(n, **double),
        "binomial int8": lambda n: torch.empty(n, dtype=torch.int8).bernoulli_(0.5),
        "key uniform": lambda n: torch.rand(n),
        "key normal": lambda n: torch.randn(n),
    }


def numpy_dropout(n):
    x = np.ones(n, np.float32)

    def f(x, g):
        mask = (new.random(n, **single) < 0.5) * np.float32(2)
        return x * mask, g * mask

    return f, (x, x), f(x, x)[0]


def torch_dropout(n):
    torch = torch_single()
    x, g = torch.ones(n, requires_grad=True), torch.ones(n)

    def f(x, g):
        y = torch.nn.functional.dropout(x, 0.5, True)
        return y, torch.autograd.grad(y, x, g)[0]

    return f, (x, g), f(x, g)[0].detach()


VISIBLE, HIDDEN, BATCH, RATE = 784, 500, 20, np.float32(0.01)


def start():
    r = np.random.RandomState(0)
    bound = 4 * np.sqrt(6 / (VISIBLE + HIDDEN))
    W = r.uniform(-bound, bound, (VISIBLE, HIDDEN)).astype("float32")
    return W, r.randint(0, 2, (BATCH, VISIBLE)).astype("float32")


def numpy_rbm(k):
    W, x = start()
    b, c, h = np.zeros(HIDDEN, "float32"), np.zeros(VISIBLE, "float32"), np.zeros((BATCH, HIDDEN), "float32")
    rate = RATE / BATCH

    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    def sample(mean):
        return (new.random(mean.shape, **single) < mean).astype("float32")

    def energy(v, a):
        return -v @ c - np.logaddexp(0, a).sum(1)

    def f(x):
        nonlocal h
        for _ in range(k):
            v = sample(sigmoid(h @ W.T + c))
            a = v @ W + b
            h = sample(sigmoid(a))
        up = x @ W + b
        cost = energy(x, up).mean() - energy(v, a).mean()
        p, q = sigmoid(up), sigmoid(a)
        b[:] += rate * (p.sum(0) - q.sum(0))
        c[:] += rate * (x.sum(0) - v.sum(0))
        W[:] += rate * (x.T @ p - v.T @ q)
        return cost

    for _ in range(3):
        f(x)
    return f, (x,), round(float(h.mean()) * 5)


def torch_rbm(k):
    torch = torch_single()
    W, x = (torch.from_numpy(a) for a in start())
    b, c, h = torch.zeros(HIDDEN), torch.zeros(VISIBLE), torch.zeros(BATCH, HIDDEN)
    rate = float(RATE)
    state = [h]

    def energy(v, W, b, c):
        return -v @ c - torch.nn.functional.softplus(v @ W + b).sum(1)

    P = [p.requires_grad_() for p in (W, b, c)]

    def f(x):
        with torch.no_grad():
            h = state[0]
            for _ in range(k):
                v = torch.bernoulli(torch.sigmoid(h @ W.T + c))
                h = torch.bernoulli(torch.sigmoid(v @ W + b))
            state[0] = h
        cost = energy(x, W, b, c).mean() - energy(v, W, b, c).mean()
        with torch.no_grad():
            for p, g in zip(P, torch.autograd.grad(cost, P)):
                p.sub_(g, alpha=rate)
        return cost

    for _ in range(3):
        f(x)
    return f, (x,), round(float(state[0].mean()) * 5)


WHOLE = {
    ("numpy", "dropout"): numpy_dropout,
    ("torch", "dropout"): torch_dropout,
    ("numpy", "rbm"): numpy_rbm,
    ("torch", "rbm"): torch_rbm,
}


def prepare(peer, name, n):
    if (peer, name) in WHOLE:
        f, args, result = WHOLE[peer, name](int(n))
        return f, args, result if isinstance(result, int) else int(float(result.mean()) * 10 + 0.5)
    draws = NUMPY if peer == "numpy" else torch_draws()
    if name not in draws:
        raise Skip("NumPy's legacy generator is NumPy's")
    f = draws[name]
    return f, (int(n),), int(np.asarray(f(int(n))).std() * 10 + 0.5)
