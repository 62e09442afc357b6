#!/usr/bin/env python3
"""NumPy's functions on lists and numbers: writes spec/data/numpy_names.json, which spec/numpy_spec.lua runs.

    python3 scripts/make-numpy-names.py       (NumPy 2; what is committed comes from 2.4.6)

A call below stands as Lua has it; read as Python's it is NumPy's. The form of the file is that of numpy.json
(scripts/make-numpy-data.py); what every dtype and kind of array gives is make-matrix-data.py's.
"""
import importlib
import json
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
base = importlib.import_module("make-numpy-data")
X = base.X
X["z_int64"] = X["m_int64"][0, 1, 2].copy().reshape(())
X["i_int64"] = np.array([2, 0, 1, 1])
X["k_int64"] = np.array([[0, 1, 0, 2], [1, 1, 2, 0]])

PLAIN = """
bartlett(7) logspace(0,2,5) logspace(0,1,3) indices({2,3}) tril_indices_from(m_float64) ones({2,3}) ones(0)
can_cast('int8','int16') can_cast('float64','float32') can_cast('uint8','int8') isscalar(3) isscalar(m_int8)
einsum('ijk->i',m_float64) einsum('ijk,ijk->',m_int64,m_int64) iterable(m_int8) iterable(3)
array_split(i_int64,3)[3] linspace({0,1},{2,3},4) linspace(0,1,5,false) linspace(-1,1,1) linspace(0,1,0)
trim_zeros(k_int64) trim_zeros(z_int64) block({{1,2},{3,4}}) block({m_int8,m_int8})
piecewise({1,2,3.5},{i_int64,i_int64},{1,2}) histogram({1,2,2,5},{1,3,5}) histogram({1,2,2,5},3,{0,4})
histogram({},3) histogram({nan,1},3) histogram({1,2},0) histogram({1,2},{3,1}) histogram({1,2,7,7.5,9,4},'auto')
histogram({1,2,7,7.5,9,4,1,1},'fd') histogram({1,2,7,7.5,9,4,1,1},'scott') histogram({1,2,7,7.5,9,4,1,1},'doane')
histogram({1,2,7,7.5,9,4,1,1},'rice') histogram({1,2,7,7.5,9,4,1,1},'sturges') histogram({1,2,7,7.5,9,4,1,1},'sqrt')
histogram_bin_edges({1,2,7,9},'auto') histogram2d({1,2,3.0},{1,1,5.0},2) bincount({}) bincount({1,1,3},{0.5,1,2})
bincount({-1}) insert({1,2,3},{0,3,1},{7,8,9}) insert({1,2,3},9,1) insert({{1,2},{3,4}},1,{5,6},1)
insert({{1,2},{3,4}},1,{5,6},0) insert({1,2,3},-1,{4,5}) delete({1,2,3},7) delete({1,2,3},{1,1}) delete({1,2,3},{})
delete({{1,2},{3,4}},0,1) packbits({1,0,1,1,0,0,0,1,1}) packbits({{1,0},{0,1}},0) packbits({1.5})
unpackbits(m_uint8) unpackbits(m_uint8,-1,5) unpackbits(m_uint8,0,20) unpackbits({1,2}) polydiv({1,-3,2},{1,-1})
polydiv({1.0,2},{1.0,2,3}) poly({1,2,3}) poly({{1,2},{3,4}}) poly({}) roots({1,-3,2})
roots({0,1,0,1,0}) roots({}) roots({5}) polyfit({0,1,2},{1,3,5},1) polyfit({0,1,2},{1,3},1) sort_complex({3,1,2})
gradient({1,4,9,16}) gradient({1,4,9,16.0},{0,1,3,4}) gradient({1}) gradient({1,2},{1,2,3}) mask_indices(3,triu)
mask_indices(3,tril,-1) broadcast_to({1,2},{3,2}) broadcast_to({1,2},{2,3}) repeat_({1,2},2) repeat_({1,2},{1,3})
repeat_({{1,2}},0,1) repeat_({1,2},-1) eye(3) eye(2,4,1) eye(3,2,-1) eye(2,2,5) eye(0)
eye(3,nil,-3) trace({{1,2},{3,4}}) trace({1,2}) trace(m_int8) trace({{1,2,3},{4,5,6}},1)
nonzero({0,3,0,4}) nonzero({{0,1},{1,1}}) flatnonzero({})
trapezoid({1,2,3},{0,1,4}) union1d({2,1},{3,1}) setdiff1d({1,2,3},{2}) intersect1d({3,1},{1,3,5}) ediff1d({1,4,9})
convolve({1.0,2,3},{0,1,0.5}) convolve({1.0,inf},{0,1}) convolve({1,2},{3}) convolve({},{1}) tile({1,2},2)
diag_indices_from(q_int8) diag_indices_from(m_int8) interp({0.5,2},{0,1},{5,6})
"""


def python(text):
    return re.sub(r"\bnil\b", "None", re.sub(r"\btrue\b", "True", re.sub(r"\bfalse\b", "False", text))) \
        .replace("{", "[").replace("}", "]")


def repeat_(a, *rest):
    return np.repeat(a, *rest)


names = {}


def case(line, ulps):
    name, args, place = re.match(r"(\w+)(\(.*\))(\[\d\])?$", line).groups()
    fn = repeat_ if name == "repeat_" else getattr(np, name)
    env = dict(X, f=fn, nan=np.nan, inf=np.inf, triu=np.triu, tril=np.tril)
    words = re.sub(r"\b(nan|inf|triu|tril)\b", r"nd.\1", args)
    text, call = "nd.%s%s%s" % (name, words, place or ""), "f" + python(args)
    names[name] = True

    def answer():
        r = eval(call, env)
        if place:
            return r[int(place[1:-1]) - 1]
        return tuple(r) if isinstance(r, (list, tuple)) else r
    base.add(text, answer, ulps)


def main():
    base.cases.clear()
    base.seen.clear()
    for line in PLAIN.split():
        case(line, 64)
    used = set(re.findall(r"\b[a-z]_(?:bool|u?int\d+|float\d+|complex\d+)", json.dumps(base.cases)))
    inputs = {k: [str(X[k].dtype), list(X[k].shape), base.short(X[k])] for k in sorted(used)}
    with open(os.path.join(base.ROOT, "numpy_names.json"), "w") as f:
        rows = [json.dumps(inputs)] + [json.dumps(c, separators=(",", ":")) for c in base.cases]
        f.write("[\n" + ",\n".join(rows) + "\n]\n")
    print(len(base.cases), "cases of", len(names), "functions")


if __name__ == "__main__":
    main()
