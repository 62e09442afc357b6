"""The formulas of elemwise.lua; every peer that can writes into a buffer it keeps."""
import math
import re

import numpy as np
from common import Skip, graph_library, jax_double, number, torch_single, waits

THREE, LINKS = "standardize, tanh", "300 links"
NAMES = ("tanh", "exp", "expm1", "log1p", "abs", "sum")
COMPILED = {}  # one function for every length


def one_argument(name):
    return name in ("a+1", "expm1(a)", "1/(1+exp(-a))", THREE)


def expression(name, lib):
    """The formula over a library's arrays."""
    if name == THREE:

        def three(a):
            c = a - lib.mean(a)
            return lib.tanh(c / lib.sqrt(lib.mean(c * c) + 1e-5))

        return three
    if name == LINKS:

        def links(a, b):
            for i in range(1, 301):
                a = a * (0.5 + i / 1024) + b
            return a

        return links
    space = {n: getattr(lib, n) for n in NAMES if hasattr(lib, n)}
    return eval("lambda %s: %s" % ("a" if one_argument(name) else "a, b", name), space)


def in_place(name, xp, a, b):
    """With `out=`, as one writes NumPy for speed."""
    o, t = xp.empty_like(a), xp.empty_like(a)

    def power():
        xp.multiply(xp.pow(b, 10, out=o) if xp is not np else xp.power(b, 10.0, out=o), 1.0, out=o)
        return xp.add(o, xp.multiply(a, 2.0, out=t), out=o)

    def squares():
        xp.multiply(a, a, out=o)
        xp.add(o, xp.multiply(b, b, out=t), out=o)
        xp.multiply(a, b, out=t)
        return xp.add(o, xp.multiply(t, 2.0, out=t), out=o)

    def mix():
        xp.tanh(a, out=o)
        xp.multiply(b, -1.0, out=t)
        xp.multiply(o, xp.exp(t, out=t), out=o)
        xp.abs(a, out=t)
        return xp.add(o, xp.log1p(t, out=t), out=o)

    def sigmoid():
        xp.exp(xp.multiply(a, -1.0, out=o), out=o)
        return xp.divide(1.0 if xp is np else xp.ones((), dtype=a.dtype), xp.add(o, 1.0, out=o), out=o)

    def three():
        xp.subtract(a, a.mean(), out=o)
        xp.multiply(o, o, out=t)
        xp.multiply(o, 1.0 / math.sqrt(float(t.mean()) + 1e-5), out=o)
        return xp.tanh(o, out=o)

    def links():
        xp.multiply(a, 1.0, out=o)
        for i in range(1, 301):
            xp.add(xp.multiply(o, 0.5 + i / 1024, out=o), b, out=o)
        return o

    return {
        LINKS: links,
        "a+1": lambda: xp.add(a, 1.0, out=o),
        "2*a+3*b": lambda: xp.add(xp.multiply(a, 2.0, out=o), xp.multiply(b, 3.0, out=t), out=o),
        "a**2+b**2+2*a*b": squares,
        "2*a+b**10": power,
        "tanh(a)*exp(-b)+log1p(abs(a))": mix,
        "sum(tanh(a*b))": lambda: xp.tanh(xp.multiply(a, b, out=o), out=o).sum(),
        "expm1(a)": lambda: xp.expm1(a, out=o),
        "1/(1+exp(-a))": sigmoid,
        THREE: three,
    }[name]


def with_numba(name, a, b):
    import numba

    if name not in COMPILED:
        each = re.sub(r"\b([ab])\b", r"\1[i]", name.replace("a**2", "a*a").replace("b**2", "b*b"))
        text = "def f(a, b, o):\n for i in range(a.size): o[i] = %s\n return o\n" % each
        if name.startswith("sum"):
            text = "def f(a, b, o):\n s = 0.0\n for i in range(a.size): s += tanh(a[i]*b[i])\n return s\n"
        if name == LINKS:
            text = ("def f(a, b, o):\n for i in range(a.size):\n  y = a[i]\n"
                    "  for k in range(1, 301): y = y * (0.5 + k / 1024) + b[i]\n  o[i] = y\n return o\n")
        if name == THREE:
            text = ("def f(a, b, o):\n m = 0.0\n v = 0.0\n for i in range(a.size): m += a[i]\n m /= a.size\n"
                    " for i in range(a.size): v += (a[i]-m)*(a[i]-m)\n r = 1/sqrt(v/a.size+1e-5)\n"
                    " for i in range(a.size): o[i] = tanh((a[i]-m)*r)\n return o\n")
        space = dict(tanh=math.tanh, exp=math.exp, log1p=math.log1p, sqrt=math.sqrt, expm1=math.expm1)
        exec(text, space)
        COMPILED[name] = numba.njit(space["f"], fastmath=True)
    return COMPILED[name], (a, b, np.empty_like(a))


def with_numexpr(name, a, b):
    import numexpr

    numexpr.set_num_threads(1)
    if name == THREE:
        o = np.empty_like(a)

        def three():
            m = a.mean()
            v = numexpr.evaluate("sum((a-m)**2)") / a.size
            r = 1 / math.sqrt(v + 1e-5)
            return numexpr.evaluate("tanh((a-m)*r)", out=o)

        return three, ()
    if name == LINKS:
        raise Skip("more operands than a formula of numexpr's has")
    single = one_argument(name)
    kind = float if a.dtype == np.float32 else np.float64  # numexpr's name of float32
    e = numexpr.NumExpr(name, signature=[("a", kind)] + ([] if single else [("b", kind)]))
    keep = dict(order="K", casting="safe", ex_uses_vml=False)
    if not name.startswith("sum"):
        keep["out"] = np.empty_like(a)
    return (lambda a: e(a, **keep), (a,)) if single else (lambda a, b: e(a, b, **keep), (a, b))


def with_torch(name, a, b, compiled):
    torch = torch_single()
    A, B = torch.from_numpy(a), torch.from_numpy(b)
    if not compiled:
        return in_place(name, torch, A, B), ()
    e, args = expression(name, torch), (A,) if one_argument(name) else (A, B)
    if name.startswith("sum"):
        return torch.compile(e, dynamic=False), args
    out = torch.empty_like(A)

    def into(*args):
        out.copy_(e(*args))
        return out

    return torch.compile(into, dynamic=False), args


def with_jax(name, a, b):
    jax = jax_double()
    args = [jax.numpy.array(v) for v in ((a,) if one_argument(name) else (a, b))]
    return waits(jax.jit(expression(name, jax.numpy))), args


def with_graph(peer, name, a, b):
    key = name, a.dtype
    if name == LINKS and peer == "theano":
        raise Skip("takes more than ten minutes to compile it")
    if key not in COMPILED:
        th, pt, _, mode = graph_library(peer)
        inputs = [pt.vector(v, dtype=str(a.dtype)) for v in ("a" if one_argument(name) else "ab")]
        wrapped = [th.In(v, borrow=True) for v in inputs]
        COMPILED[key] = th.function(wrapped, th.Out(expression(name, pt)(*inputs), borrow=True), mode=mode)
        COMPILED[key].trust_input = True
    return COMPILED[key], (a,) if one_argument(name) else (a, b)


def prepare(peer, name, n, dtype="float64"):
    rng = np.random.RandomState(1)
    a, b = rng.uniform(-1, 1, int(n)).astype(dtype), rng.uniform(-1, 1, int(n)).astype(dtype)
    if peer == "numpy":
        f, args = in_place(name, np, a, b), ()
    elif peer == "numba":
        f, args = with_numba(name, a, b)
    elif peer == "numexpr":
        f, args = with_numexpr(name, a, b)
    elif peer in ("torch", "torch-compile"):
        f, args = with_torch(name, a, b, peer == "torch-compile")
    elif peer == "jax":
        f, args = with_jax(name, a, b)
    else:
        f, args = with_graph(peer, name, a, b)
    return f, args, number(f(*args))
