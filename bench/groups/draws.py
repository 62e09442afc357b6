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


def prepare(peer, name, n):
    draws = NUMPY if peer == "numpy" else torch_draws()
    if name not in draws:
        raise Skip("NumPy's legacy generator is NumPy's")
    f = draws[name]
    return f, (int(n),), int(np.asarray(f(int(n))).std() * 10 + 0.5)
