#!/usr/bin/env python3
"""Texts that NumPy makes of numbers and arrays: writes spec/data/text.json, which spec/ndtext_spec.lua runs.

    python3 scripts/make-text-data.py        (NumPy 2; what is committed comes from 2.4.6)

Each entry is [Lua, text].
"""
import json
import os

import numpy as np

CASES = []


def lua(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, str):
        return json.dumps(v)
    if isinstance(v, list):
        return "{%s}" % ", ".join(map(lua, v))
    if isinstance(v, float) and v != v:
        return "nd.nan"
    if isinstance(v, float) and v in (float("inf"), float("-inf")):
        return "%snd.inf" % ("-" if v < 0 else "")
    return repr(v)


def call(name, *args, **kw):
    words = ["{%s}" % ", ".join("%s = %s" % (k, lua(v)) for k, v in kw.items())] if kw else []
    python = [np.array(a) if isinstance(a, list) else a for a in args]
    CASES.append(["nd.%s(%s)" % (name, ", ".join([lua(a) for a in args] + words)), getattr(np, name)(*python, **kw)])


NUMBERS = [0.0, -0.0, 1.0, -1.5, 3.141592653589793, 100.0, 1e16, 1e17, 123456789.125, 1e-5, 5e-324,
           1.7976931348623157e308, 0.1, 2 / 3, 1e22, 1e23, float("nan"), float("inf"), float("-inf"), 9.999999,
           0.000123456]
for x in NUMBERS:
    for trim in ("k", ".", "0", "-"):
        call("format_float_positional", x, trim=trim)
        call("format_float_scientific", x, trim=trim)
    if abs(x) < 1e20:
        call("format_float_positional", x, precision=3)
        call("format_float_positional", x, precision=3, unique=False)
        call("format_float_positional", x, precision=2, unique=False, trim="-")
        call("format_float_positional", x, pad_left=6, pad_right=4, precision=2)
    call("format_float_scientific", x, precision=4)
    call("format_float_scientific", x, precision=4, unique=False, sign=True)
    call("format_float_scientific", x, exp_digits=3)
for n in (0, 1, 5, -5, 255, -256, 2 ** 62, -2 ** 62):
    call("base_repr", n)
    call("base_repr", n, 16)
    call("base_repr", n, 36, 3)
    call("binary_repr", n)
    call("binary_repr", n, 64)
call("binary_repr", 3, 4)
call("binary_repr", -3, 5)
call("binary_repr", -1, 3)
call("binary_repr", -4, 3)
A = [[1.0, 2.5, 1e-9], [3.14159265, -4.0, 100.0]]
call("array2string", A)
call("array2string", A, precision=2)
call("array2string", A, suppress_small=True)
call("array2string", A, precision=3, prefix="array(")
call("array2string", list(range(40)), max_line_width=30)
call("array2string", list(range(40)), threshold=10, edgeitems=2)
call("array_str", A, precision=1)

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data", "text.json")
with open(path, "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c) for c in CASES) + "\n]\n")
print(len(CASES), "cases")
