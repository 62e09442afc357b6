"""Sparse matrices: SciPy's, and PyTorch's for the training step and the embedding."""
import numpy as np

from common import Skip


def matrix(rows, cols, each):
    import scipy.sparse as sp
    k = np.arange(rows * each)
    row, step = k // each, k % each
    col = (row * 7919 + step * (cols // each) + (row * 31 + step * 17) % (cols // each)) % cols
    data = (k * 2654435761 + 12345) % 1000003 / 1000003 - 0.5
    return sp.coo_matrix((data, (row, col)), shape=(rows, cols)).tocsr()


def numbers(n, m):
    return ((np.arange(n * m) * 7919 + 13) % 1009 / 1009 - 0.5).reshape(n, m)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def scipy_case(name, n, k):
    if name in ("dot", "csc dot"):
        a, d = matrix(n, n, 30), numbers(n, k)
        if name == "csc dot":
            a = a.tocsc()
        d = d.ravel() if k == 1 else d
        return (lambda a, d: a @ d), (a, d), lambda r: np.abs(r).mean()
    if name == "dense dot":
        return (lambda a, d: (a.T @ d.T).T), (matrix(n, n, 30), numbers(k, n)), lambda r: np.abs(r).mean()
    if name == "true_dot":
        a = matrix(n, n, 10)
        return (lambda a, b: a @ b), (a, a), lambda r: np.abs(r.data).sum()
    if name == "exp":
        return (lambda a: a.expm1()), (matrix(n, 10000, 30),), lambda r: np.abs(r.data).mean()
    if name in ("sum rows", "sum columns"):
        axis = 1 if name == "sum rows" else 0
        return (lambda a: a.sum(axis)), (matrix(n, 10000, 30),), lambda r: np.abs(np.asarray(r)).mean()
    if name == "add":
        a = matrix(n, 10000, 15)
        return (lambda a, b: a + b), (a, a * 2), lambda r: np.abs(r.data).mean()
    if name == "logistic":
        w, b = np.zeros(n), np.zeros(1)

        def step(x, y):
            p = sigmoid(x @ w + b[0])
            cost = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
            d = (p - y) / len(y)
            w[:] = w - 0.1 * (x.T @ d)
            b[0] -= 0.1 * d.sum()
            return cost
        return step, (matrix(k, n, 100), np.arange(k) % 2 * 1.0), float
    w = np.zeros((n, 64))  # the dense update

    def update(at, g):
        d = np.zeros_like(w)
        np.add.at(d, at, g)
        np.subtract(w, 0.1 * d, out=w)
    return update, (np.arange(k) * 1847 % n, numbers(k, 64)), lambda r: 0


def torch_case(name, n, k):
    import torch
    torch.set_num_threads(1)
    if name == "logistic":
        a = matrix(k, n, 100)
        x = torch.sparse_csr_tensor(torch.tensor(a.indptr), torch.tensor(a.indices), torch.tensor(a.data), a.shape)
        w = torch.zeros(n, 1, dtype=torch.float64, requires_grad=True)
        b = torch.zeros(1, dtype=torch.float64, requires_grad=True)

        def step(x, y):
            cost = torch.nn.functional.binary_cross_entropy(torch.sigmoid(x @ w + b), y)
            gw, gb = torch.autograd.grad(cost, (w, b))
            with torch.no_grad():
                w.sub_(0.1 * gw)
                b.sub_(0.1 * gb)
            return cost
        return step, (x, (torch.arange(k) % 2).double().reshape(-1, 1)), lambda r: float(r.detach())
    if name != "dot":
        raise Skip("only dot and the training step")
    a = matrix(n, n, 30)
    x = torch.sparse_csr_tensor(torch.tensor(a.indptr), torch.tensor(a.indices), torch.tensor(a.data), a.shape)
    return (lambda x, d: x @ d), (x, torch.tensor(numbers(n, k))), lambda r: float(r.abs().mean())


def prepare(peer, name, n, k):
    case = scipy_case if peer == "scipy" else torch_case
    f, args, check = case(name, int(n), int(k))
    return f, list(args), check(f(*args))
