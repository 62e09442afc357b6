#!/usr/bin/env python3
"""Writes spec/data/transforms.json: NumPy's Fourier transforms, for spec/fft_spec.lua.

    python3 scripts/make-fft-data.py     (needs NumPy; running the specs does not)

lengths  for each length n a few elements of the transform of x[j] + i x[n - 1 - j], x[j] = (7919 j + 13) % 1009 / 1009
         - 0.5: `at` their numbers, `want` as [re, im]
calls    functions of numpy.fft on small arrays: the Lua text of the call, the value's dtype, shape and numbers
"""
import json
import numpy as np


def line(n):
    return (7919 * np.arange(n) + 13) % 1009 / 1009 - 0.5


def lengths():
    for n in list(range(1, 301)) + [499, 512, 1000, 1024, 4096, 4099, 10007, 30030, 65536, 65537, 999983]:
        want = np.fft.fft(line(n) + 1j * line(n)[::-1])
        at = sorted({0, 1 % n, n // 3, n // 2, n - 1})
        yield {"n": n, "at": at, "want": [[float(want[k].real), float(want[k].imag)] for k in at]}


CALLS = [
    "fft(z)", "ifft(z)", "fft(x)", "fft(z, 3)", "fft(z, 7, 0)", "ifft(z, 4, 1, 'forward')", "fft(z, None, 0, 'ortho')",
    "fft2(z)", "ifft2(c)", "fft2(c, [3, 4], [0, 2], 'forward')", "fftn(c)", "ifftn(c)", "fftn(c, [2, 5])",
    "fftn(c, [4, 2], [2, 0], 'ortho')", "ifftn(c, None, [1])", "ifftn(c, [1, 2, 3], None, 'forward')",
    "rfft(x)", "rfft(x, 4)", "rfft(x, 9, 0, 'ortho')", "irfft(z)", "irfft(z, 5)",
    "irfft(z, 12, 0)", "irfft(z, 3, 1, 'forward')",
    "rfft2(r)", "rfftn(r)", "rfftn(r, [3, 6], [0, 1])", "rfftn(r, [2, 2, 7], [2, 0, 1], 'forward')",
    "irfft2(c)", "irfftn(c)", "irfftn(c, [3, 6], [0, 1])", "irfftn(c, [2, 2, 7], [2, 0, 1], 'ortho')",
    "hfft(z)", "hfft(z, 7, 0)", "hfft(z, None, 1, 'ortho')", "ihfft(x)", "ihfft(x, 4, 0, 'forward')",
    "fftfreq(1)", "fftfreq(8, 0.25)", "fftfreq(9)", "rfftfreq(8, 0.1)", "rfftfreq(9)",
    "fftshift(x)", "ifftshift(x)", "fftshift(c, 1)", "ifftshift(c, [0, 2])",
]


def shown(a):
    flat = a.ravel().tolist()
    return [[v.real, v.imag] for v in flat] if np.iscomplexobj(a) else flat


def main():
    rng = np.random.RandomState(5)
    arrays = {"x": rng.randn(4, 6), "r": rng.randn(2, 3, 5)}
    arrays["z"] = rng.randn(4, 6) + 1j * rng.randn(4, 6)
    arrays["c"] = rng.randn(3, 2, 5) + 1j * rng.randn(3, 2, 5)
    calls = []
    for text in CALLS:
        value = eval("np.fft." + text, {"np": np, **arrays})
        lua = text.replace("[", "{").replace("]", "}").replace("None", "nil")
        calls.append({"call": lua, "dtype": str(value.dtype), "shape": list(value.shape), "data": shown(value)})
    given = {k: {"dtype": str(v.dtype), "shape": list(v.shape), "data": shown(v)} for k, v in arrays.items()}
    with open("spec/data/transforms.json", "w") as f:
        f.write('{"numpy": "%s",\n"arrays": %s,\n"lengths": [\n' % (np.__version__, json.dumps(given)))
        f.write(",\n".join(json.dumps(x) for x in lengths()))
        f.write('\n],\n"calls": [\n')
        f.write(",\n".join(json.dumps(x) for x in calls))
        f.write("\n]}\n")


main()
