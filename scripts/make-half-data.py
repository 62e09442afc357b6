#!/usr/bin/env python3
"""Writes spec/data/half.json and spec/data/files/half.npz, half.safetensors: halves as NumPy and ml_dtypes have them.

    python3 scripts/make-half-data.py     (needs numpy, ml_dtypes, safetensors; running the specs does not)

`up`: SHA-256 of the float32 of all 65,536 bit patterns, NaN counted as 0. `down`: that of the halves of the float32
with the bits 65537 * i + 1, NaN likewise. `double`: float64 values by their bits as hexadecimal texts, and what
they are rounded to: float16 by NumPy, bfloat16 by exact arithmetic (ml_dtypes rounds twice, to float32 first).
"""
import hashlib
import json
import os
import struct

import ml_dtypes
import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data")
np.seterr(all="ignore")
DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


def digest(a):
    a = a.copy()
    a[np.isnan(a)] = 0
    return hashlib.sha256(a.tobytes()).hexdigest()


def nearest(dtype, x):
    """The element of dtype next to x, of two the one with an even last bit."""
    if np.isnan(x):
        return None
    finite = np.arange(65536, dtype=np.uint16).view(dtype)
    bits = np.arange(65536)[np.isfinite(finite)]
    value = finite[np.isfinite(finite)].astype(np.float64)
    sign = bits >> 15 == (1 if np.signbit(x) else 0)
    bits, value = bits[sign], np.abs(value[sign])
    order = np.argsort(value, kind="stable")
    bits, value = bits[order], value[order]
    top = value[-1] + (value[-1] - value[-2]) / 2
    if abs(x) >= top:
        return int(bits[-1]) + 1  # infinity is behind the largest
    at = int(np.searchsorted(value, abs(x)))
    if at == len(value):
        return int(bits[-1])
    if at == 0 or value[at] == abs(x):
        return int(bits[at])
    below, above = abs(x) - value[at - 1], value[at] - abs(x)
    if below == above:
        return int(bits[at] if bits[at] % 2 == 0 else bits[at - 1])
    return int(bits[at] if above < below else bits[at - 1])


def doubles():
    rng = np.random.RandomState(7)
    list_ = [0.0, -0.0, 65504, 65519.99999999999, 65520, -65520, 65536, 2.0**-24, 2.0**-25, 2.0**-25 * (1 + 2.0**-40),
             -(2.0**-25), 6.1e-5, 1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11 - 2.0**-40, 1 + 3 * 2.0**-11,
             1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-45, 1 + 2.0**-8 - 2.0**-45, 3.3895313892515355e38, 3.3961775292304e38,
             3.39617752923046e38, 3.5e38, 1e300, -1e300, 2.0**-133, 2.0**-134, 2.0**-134 * (1 + 2.0**-30), 1e-300,
             5e-324, np.inf, -np.inf]
    for dtype in DTYPES.values():
        some = rng.randint(0, 0x7c00 if dtype == np.float16 else 0x7f7f, 40).astype(np.uint16)
        low, high = some.view(dtype).astype(np.float64), (some + 1).astype(np.uint16).view(dtype).astype(np.float64)
        middle = (low + high) / 2
        list_ += list(middle) + list(np.nextafter(middle, 0)) + list(-np.nextafter(middle, np.inf))
    return [float(x) for x in list_]


values = doubles()
out = {
    "up": {n: digest(np.arange(65536, dtype=np.uint16).view(d).astype(np.float32)) for n, d in DTYPES.items()},
    "down": {n: digest((np.arange(65536, dtype=np.uint32) * np.uint32(65537) + np.uint32(1)).view(np.float32).astype(d))
             for n, d in DTYPES.items()},
    "double": [[struct.pack(">d", x).hex()] + [nearest(d, x) for d in DTYPES.values()] for x in values],
}
for x, (_, half, _) in zip(values, out["double"]):
    assert int(np.float64(x).astype(np.float16).view(np.uint16)) == half, x
with open(os.path.join(ROOT, "half.json"), "w") as f:
    f.write(json.dumps(out, indent=0).replace(",\n", ", ").replace("], [", "],\n[") + "\n")

few = np.array([[0, 1, -2.5], [1e-3, 1000, np.inf]])
np.savez(os.path.join(ROOT, "files", "half.npz"), **{n: few.astype(d) for n, d in DTYPES.items()})
from safetensors.numpy import save_file  # noqa: E402

save_file({n: few.astype(d) for n, d in DTYPES.items()}, os.path.join(ROOT, "files", "half.safetensors"))
