"""The calls of calls.lua, each peer's fastest way."""
import numpy as np
from common import Skip, graph_library, jax_double, number, torch_single, waits


def with_graph(peer, name, x, borrow):
    th, pt, _, mode = graph_library(peer)
    if name.startswith("update"):
        w = th.shared(np.zeros(10))
        return th.function([], [], updates=[(w, w + 1)], mode=mode), ()
    v = pt.dscalar() if np.ndim(x) == 0 else pt.dvector()
    f = th.function([th.In(v, borrow=True)], th.Out(v + 1.0, borrow=borrow), mode=mode)
    f.trust_input = True
    return f, (x,)


def prepare(peer, name):
    x = np.asarray(1.5) if "scalar" in name else np.arange(10.0)
    if name.startswith("bound"):
        raise Skip("nothing of this kind")
    graph = peer in ("pytensor-c", "pytensor-numba", "theano")
    if name.startswith("update") and not graph:
        raise Skip("no updates")
    borrow = not name.endswith("new result")
    if peer == "numpy":
        o = np.empty_like(x)
        f, args = (lambda x: np.add(x, 1.0, out=o) if borrow else x + 1.0), (x,)
        if not borrow:
            f = x.__add__
            args = (1.0,)
    elif peer == "numba":
        import numba

        f, args = numba.njit(lambda x: x + 1.0), (1.5 if np.ndim(x) == 0 else x,)
    elif peer in ("torch", "torch-compile"):
        torch = torch_single()
        f, args = lambda x: x + 1.0, (torch.from_numpy(x),)
        if peer == "torch-compile":
            f = torch.compile(f, dynamic=False)
    elif peer == "jax":
        jax = jax_double()
        f, args = waits(jax.jit(lambda x: x + 1.0)), (jax.numpy.array(x),)
    else:
        f, args = with_graph(peer, name, x, borrow)
        if name.startswith("update"):
            return f, args, None
    return f, args, number(f(*args))
