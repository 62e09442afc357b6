"""What the make-*-data.py scripts share: the dtypes, and arrays of NumPy as JSON values: {dtype, shape, data}, where NaN
and infinities are texts, complex numbers pairs and integers above 2**63-1 decimal texts."""
import json
import os

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


def write(name, version, inputs, cases, functions=None):
    """spec/data/NAME.json, a case a line: what answered, with its version, inputs, and functions as texts."""
    part = lambda d, value: ",\n".join("%s: %s" % (json.dumps(k), json.dumps(value(v))) for k, v in d.items())
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data")
    with open(os.path.join(folder, name + ".json"), "w") as f:
        f.write('{"%s": "%s",\n"inputs": {\n%s},\n' % (*version, part(inputs, plain)))
        if functions:
            f.write('"functions": {\n%s},\n' % part(functions, lambda v: v[0]))
        f.write('"cases": [\n%s\n]}\n' % ",\n".join(json.dumps(c) for c in cases))
    print(len(cases), "cases")
