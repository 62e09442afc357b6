"""The lines of linalg.lua in NumPy with SciPy, PyTorch and JAX."""
import numpy as np
from common import Skip, jax_double, torch_single

LOG = float(np.log(2 * np.pi))


def points(n):
    r = np.random.RandomState(0)
    return r.rand(n, 3), r.randn(n), np.array([0.0, 0.0, -1.0])


def numpy_process(n):
    from scipy.linalg import lapack, solve_triangular

    def f(x, y, theta):
        length, height, noise = np.exp(theta)
        square = (x * x).sum(1)
        apart = square[:, None] + square[None, :] - 2 * x @ x.T
        near = height**2 * np.exp(-0.5 * apart / length**2)
        L = np.linalg.cholesky(near + noise**2 * np.eye(n))
        white = solve_triangular(L, y, lower=True, check_finite=False)
        cost = white @ white / 2 + np.log(np.diag(L)).sum() + 0.5 * LOG * n
        # by hand: half of the inverse less the outer product of what solves K a = y
        a = solve_triangular(L, white, lower=True, trans=1, check_finite=False)
        inverse = lapack.dpotri(L.T, lower=0)[0].T
        inverse += np.tril(inverse, -1).T
        slope = (inverse - np.outer(a, a)) / 2
        part = slope * near
        return cost, np.array([(part * apart).sum() / length**2, 2 * part.sum(), 2 * noise**2 * np.trace(slope)])

    return f, points(n), lambda result: result[0]


def torch_process(n):
    torch = torch_single()

    def cost(theta, x, y):
        length, height, noise = torch.exp(theta)
        square = (x * x).sum(1)
        apart = square[:, None] + square[None, :] - 2 * x @ x.T
        K = height**2 * torch.exp(-0.5 * apart / length**2) + noise**2 * torch.eye(n, dtype=x.dtype)
        L = torch.linalg.cholesky(K)
        white = torch.linalg.solve_triangular(L, y[:, None], upper=False)[:, 0]
        return white @ white / 2 + torch.log(torch.diagonal(L)).sum() + 0.5 * LOG * n

    def f(x, y, theta):
        value = cost(theta, x, y)
        return value.detach(), torch.autograd.grad(value, theta)[0]

    x, y, theta = (torch.from_numpy(a) for a in points(n))
    return f, (x, y, theta.requires_grad_()), lambda result: result[0]


def jax_process(n):
    jax = jax_double()
    import jax.numpy as jnp

    def cost(theta, x, y):
        length, height, noise = jnp.exp(theta)
        square = (x * x).sum(1)
        apart = square[:, None] + square[None, :] - 2 * x @ x.T
        K = height**2 * jnp.exp(-0.5 * apart / length**2) + noise**2 * jnp.eye(n)
        L = jnp.linalg.cholesky(K)
        white = jax.scipy.linalg.solve_triangular(L, y, lower=True)
        return white @ white / 2 + jnp.log(jnp.diag(L)).sum() + 0.5 * LOG * n

    both = jax.jit(jax.value_and_grad(cost))

    def f(x, y, theta):
        return jax.block_until_ready(both(theta, x, y))

    return f, tuple(map(jnp.array, points(n))), lambda result: result[0]


def matrices(size):
    n, count = map(int, size.split(" x ")) if " x " in size else (int(size), 1)
    part = ((np.arange(count * n * n) * 7919 + 13) % 1009 / 1009 - 0.5).reshape(count, n, n)
    a, b = part @ part.transpose(0, 2, 1) + np.eye(n) * n, np.ones((count, n, 1))
    return (a, b) if " x " in size else (a[0], b[0])


def factor(la, name):
    both = {
        "cholesky": lambda a, b: la.cholesky(a),
        "solve": lambda a, b: la.solve(a, b),
        "inverse": lambda a, b: la.inv(a),
        "qr": lambda a, b: la.qr(a)[1],
        "svd": lambda a, b: la.svd(a)[1],
        "eigh": lambda a, b: la.eigh(a)[0],
    }
    return both[name]


def numpy_factor(name):
    return lambda size: (factor(np.linalg, name), matrices(size), lambda y: np.abs(y).mean())


def torch_factor(name):
    def make(size):
        torch = torch_single()
        return factor(torch.linalg, name), tuple(map(torch.from_numpy, matrices(size))), lambda y: y.abs().mean()

    return make


def jax_factor(name):
    def make(size):
        jax = jax_double()
        import jax.numpy as jnp

        f = jax.jit(factor(jnp.linalg, name))
        arrays = tuple(map(jnp.array, matrices(size)))
        return (lambda a, b: jax.block_until_ready(f(a, b))), arrays, lambda y: jnp.abs(y).mean()

    return make


FACTORS = ("cholesky", "solve", "inverse", "qr", "svd", "eigh")
CASES = {name: {"numpy": numpy_factor(name), "torch": torch_factor(name), "jax": jax_factor(name)} for name in FACTORS}
CASES["gaussian process"] = {
    "numpy": lambda n: numpy_process(int(n)),
    "torch": lambda n: torch_process(int(n)),
    "jax": lambda n: jax_process(int(n)),
}


def prepare(peer, name, n):
    if peer not in CASES[name]:
        raise Skip("not written for this peer")
    f, args, value = CASES[name][peer](n)
    return f, args, int(float(value(f(*args))) * 100 + 0.5)
