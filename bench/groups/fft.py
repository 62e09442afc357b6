"""The transforms of fft.lua in NumPy, SciPy, PyTorch, JAX, and by FFTW itself with estimated plans."""
import ctypes

import numpy as np
from common import Skip, jax_double, torch_single, waits


def fftw(a, two):
    single = a.dtype == np.complex64
    try:
        lib = ctypes.CDLL("libfftw3f.so.3" if single else "libfftw3.so.3")
    except OSError as e:
        raise Skip(str(e))
    prefix = "fftwf_" if single else "fftw_"
    half = a.dtype == np.float64
    out = np.empty((a.shape[0], a.shape[1] // 2 + 1) if half else a.shape, "complex128" if half else a.dtype)
    n = (ctypes.c_int * 2)(*(a.shape if two else (a.shape[1], 0)))
    plan_many = getattr(lib, prefix + ("plan_many_dft_r2c" if half else "plan_many_dft"))
    plan_many.restype = ctypes.c_void_p
    where = lambda x: ctypes.c_void_p(x.ctypes.data)
    many = 1 if two else a.shape[0]
    args = [2 if two else 1, n, many, where(a), None, 1, a.shape[1], where(out), None, 1, out.shape[1]]
    plan = ctypes.c_void_p(plan_many(*args, *([] if half else [-1]), 1 << 6 | 1 << 4))
    run = getattr(lib, prefix + "execute")

    def f(_):
        run(plan)
        return out

    return f


def prepare(peer, lines, n, dtype):
    two, n = lines == "2-d", int(n)
    b = n if two else int(lines)
    part = (7919 * np.arange(b * n) + 13) % 1009 / 1009 - 0.5
    a = (part if dtype == "float64" else part + 1j * part[::-1]).reshape(b, n).astype(dtype)
    name = "fft2" if two else "rfft" if dtype == "float64" else "fft"
    if peer == "fftw":
        f = fftw(a, two)
    elif peer == "numpy":
        f = getattr(np.fft, name)
    elif peer == "scipy":
        import scipy.fft

        f = getattr(scipy.fft, name)
    elif peer == "torch":
        torch = torch_single()
        f, a = getattr(torch.fft, name), torch.from_numpy(a)
    elif peer == "jax":
        jax = jax_double()
        f, a = waits(jax.jit(getattr(jax.numpy.fft, name))), jax.numpy.asarray(a)
    else:
        raise Skip("no transforms")
    return f, [a], np.abs(np.asarray(f(a))).mean()
