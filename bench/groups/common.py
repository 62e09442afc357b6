"""What the peers' workloads share."""
import numpy as np


class Skip(Exception):
    """The peer has no such workload; the text says why."""


def graph_library(peer):
    """(library, its tensor module, softmax of rows, compiling mode) of Theano 1.0.5 or PyTensor."""
    if peer == "theano":
        import theano
        import theano.tensor as pt

        return theano, pt, pt.nnet.softmax, "FAST_RUN"
    import pytensor
    import pytensor.tensor as pt
    from pytensor.compile.mode import Mode
    from pytensor.tensor.special import softmax

    mode = "NUMBA" if peer == "pytensor-numba" else Mode(linker="cvm", optimizer="fast_run")
    return pytensor, pt, lambda z: softmax(z, axis=1), mode


def torch_single():
    import torch

    torch.set_num_threads(1)
    torch._dynamo.config.recompile_limit = 1000
    import torch._inductor.config as config

    config.cpp.threads = 1
    config.compile_threads = 1
    return torch


def torch_training(torch, loss, P, rate, compiled):
    """A step that takes P down the gradient of loss(P), in place."""
    if compiled:

        def whole(*P):
            g, value = torch.func.grad_and_value(loss)(P)
            for p, d in zip(P, g):
                p.sub_(d, alpha=rate)
            return value

        fast = torch.compile(whole, fullgraph=True)

        def step():
            with torch.no_grad():
                return fast(*P)

        return step
    for p in P:
        p.requires_grad_()

    def step():
        value = loss(P)
        g = torch.autograd.grad(value, P)
        with torch.no_grad():
            torch._foreach_add_(P, g, alpha=-rate)
        return value.detach()

    return step


def jax_double():
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax


def waits(f):
    """A JAX function that returns when its result is there."""
    return lambda *args: f(*args).block_until_ready()


def number(value):
    return float(np.asarray(value, dtype=np.float64).sum())
