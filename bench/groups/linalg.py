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


CASES = {"gaussian process": {"numpy": numpy_process, "torch": torch_process, "jax": jax_process}}


def prepare(peer, name, n):
    if peer not in CASES[name]:
        raise Skip("not written for this peer")
    f, args, value = CASES[name][peer](int(n))
    return f, args, int(float(value(f(*args))) * 100 + 0.5)
