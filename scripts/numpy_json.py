"""What the make-*-data.py scripts share: the dtypes, and arrays of NumPy as JSON values: {dtype, shape, data}, where NaN
and infinities are texts, complex numbers pairs and integers above 2**63-1 decimal texts."""
import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
          "complex64", "complex128"]
nan, inf = float("nan"), float("inf")


def one(v):
    if isinstance(v, (np.bool_, bool)):
        return bool(v)
    if isinstance(v, (np.integer, int)):
        return int(v) if int(v) <= 2**63 - 1 else str(int(v))
    if isinstance(v, (np.complexfloating, complex)):
        return [one(float(v.real)), one(float(v.imag))]
    v = float(v)
    if v != v:
        return "nan"
    return ("inf" if v > 0 else "-inf") if v in (inf, -inf) else v


def plain(a):
    a = np.asarray(a)
    return {"dtype": str(a.dtype), "shape": list(a.shape), "data": [one(v) for v in a.ravel()]}
