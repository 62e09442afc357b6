#!/usr/bin/env python3
"""NumPy's functions by the table of their names: writes spec/data/numpy_names.json, which spec/numpy_spec.lua runs.

    python3 scripts/make-numpy-names.py       (NumPy 2; what is committed comes from 2.4.6)

A line below is a call as Lua has it, with $ for an array; read as Python's it is NumPy's. It is made for each dtype and
each kind of array that the line names: v special values, NaN, infinities and extremes; e no elements; s strided; z no
dimensions; u broadcastable; m plain. The form of the file is that of numpy.json (scripts/make-numpy-data.py).
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
ALL = ["bool", "int8", "uint8", "int64", "float32", "float64", "complex128"]
REAL, FLOAT, INT = ALL[:-1], ["float32", "float64"], ["int8", "uint8", "int64"]
for d in ALL:
    X["z_" + d] = base.mild(d)[0, 1, 2].copy().reshape(())
X["i_int64"] = np.array([2, 0, 1, 1])
X["k_int64"] = np.array([[0, 1, 0, 2], [1, 1, 2, 0]])

# names: dtypes, kinds, calls, how many units in the last place they may be off
TABLE = [
    (ALL, "vesz", 4, "absolute"),
    (ALL[1:], "vesz", 4, "conjugate"),
    (FLOAT, "vesz", 16, "acosh asin atanh degrees radians"),
    (FLOAT, "esz", 16, "i0"),
    (INT + ["bool"], "esz", 0, "bitwise_invert bitwise_not"),
    (ALL, "vesz", 0, "iscomplexobj isrealobj ndim copy atleast_1d atleast_2d column_stack($) ravel zeros_like "
                     "ones_like asarray asanyarray size isfortran"),
    (REAL, "vesz", 0, "isneginf"),
    (ALL, "esm", 0, "fliplr flipud diagonal($) diagonal($,1) permute_dims meshgrid($,$) union1d($,{1,2}) vstack({$,$}) "
                    "hstack({$,$}) dstack({$,$}) row_stack({$,$}) concat({$,$}) delete($,0) delete($,{0,-1}) "
                    "insert($,0,1) insert($,{0,1},{1,0}) array_equal($,$) array_equiv($,$) extract($,$) "
                    "compress({true,false},$) "
                    "reshape($,-1) choose({1,0},{$,$}) unique_values_sorted fill_diagonal_copy"),
    (REAL, "esm", 0, "amax amin setdiff1d($,{1,2}) intersect1d($,{1,2}) unique_counts unique_all unique_inverse "
                     "argpartition_sorted take_along_axis($,k_int64,1) hsplit($,2)[1] vsplit($,2)[2] dsplit($,2)[1] "
                     "array_split($,2)[2]"),
    (FLOAT, "esm", 64, "trapezoid trapezoid($,nil,0.5) histogram($,4) partition($,1)"),
    (ALL, "vs", 8, "isclose($,$) isclose($,2)"),
    (REAL, "vesz", 4, "mod($,2.5) divide($,2.0) atan2($,2.0) pow($,2)"),
    (REAL[1:], "vesz", 4, "around($,1)"),
    (INT, "esz", 0, "bitwise_left_shift($,1) bitwise_right_shift($,1)"),
    (["int64"], "m", 0, "unravel_index($,{4,5}) ravel_multi_index({$,$},{12,13})"),
    (["float64"], "v", 0, "asarray_chkfinite ascontiguousarray"),
]
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


def fill_diagonal_copy(a):
    a = a.copy()
    np.fill_diagonal(a, 1)
    return a


def repeat_(a, *rest):
    return np.repeat(a, *rest)


OWN = {"fill_diagonal_copy": (fill_diagonal_copy, "nd.fill_diagonal(%s:copy(), 1)"),
       "argpartition_sorted": (lambda a: np.sort(a), "nd.take_along_axis(%s, nd.argpartition(%s, 0), -1)"),
       "unique_values_sorted": (lambda a: np.sort(np.unique_values(a)), "nd.sort(nd.unique_values(%s))"),
       "repeat_": (repeat_, None)}
names = {}


def case(line, array, ulps):
    part = re.match(r"(\w+)(\(.*\))?(\[\d\])?$", line)
    name, args, place = part.groups()
    args = (args or "($)").replace("$", array)
    fn, lua = OWN.get(name, (None, None))
    fn = fn or getattr(np, name)
    env = dict(X, f=fn, nan=np.nan, inf=np.inf, triu=np.triu, tril=np.tril)
    if lua:
        text, call = lua.replace("%s", array), "f(%s)" % array
    else:
        words = re.sub(r"\b(nan|inf|triu|tril)\b", r"nd.\1", args)
        text, call = "nd.%s%s%s" % (name, words, place or ""), "f" + python(args)
    names[name] = True

    def answer():
        r = eval(call, env)
        if place:
            return r[int(place[1:-1]) - 1]
        return tuple(r) if isinstance(r, (list, tuple)) and name not in ("shape",) else r
    base.add(text, answer, ulps)


def shape_of(kind, d):
    return {"v": "v_", "e": "e_", "s": "m_%s_s", "z": "z_", "u": "u_", "m": "q_"}[kind]


def main():
    base.cases.clear()
    base.seen.clear()
    for dtypes, kinds, ulps, lines in TABLE:
        for line in lines.split():
            for d in dtypes:
                for kind in kinds:
                    form = shape_of(kind, d)
                    case(line, form % d if "%" in form else form + d, ulps)
    for line in PLAIN.split():
        case(line, "", 64)
    used = set(re.findall(r"\b[a-z]_(?:bool|u?int\d+|float\d+|complex\d+)", json.dumps(base.cases)))
    inputs = {k: [str(X[k].dtype), list(X[k].shape), base.short(X[k])] for k in sorted(used)}
    with open(os.path.join(base.ROOT, "numpy_names.json"), "w") as f:
        rows = [json.dumps(inputs)] + [json.dumps(c, separators=(",", ":")) for c in base.cases]
        f.write("[\n" + ",\n".join(rows) + "\n]\n")
    print(len(base.cases), "cases of", len(names), "functions")


if __name__ == "__main__":
    main()
