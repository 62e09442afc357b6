#!/usr/bin/env python3
"""What dtypes NumPy's functions give: writes spec/data/promotion.json, which spec/promotion_spec.lua runs.

    python3 scripts/make-promotion-data.py       (NumPy 2; what is committed comes from 2.4.6)

A letter is a dtype (NumPy's characters), several are those of several results, "." an error. "one" and "axis"
(functions of an array; those that reduce it, along axis 0) have a word for each dtype; "two" has a line for each dtype
of the first operand, with a word for each of the second.
"""
import json
import os
import warnings

import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
LETTERS = dict(zip(DTYPES, "?bhilBHILefdFD"))
MATRIX, VECTOR = np.array([[1, 2, 1], [1, 1, 2], [2, 1, 1]]), np.array([1, 2, 1])

ONE = """abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh around asin asinh atan atanh
bitwise_count bitwise_invert bitwise_not cbrt ceil conj conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs fix floor
frexp i0 imag invert iscomplex isfinite isinf isnan isneginf isposinf isreal log log10 log1p log2 logical_not modf
nan_to_num negative positive rad2deg radians real reciprocal rint round sign signbit sin sinc sinh spacing sqrt square
tan tanh trunc copy ones_like zeros_like empty_like flip ravel transpose tril triu unique sort argsort ediff1d diff
gradient nonzero flatnonzero argwhere atleast_1d atleast_2d atleast_3d corrcoef cov diag diagonal fliplr flipud
matrix_transpose rot90 squeeze sort_complex trim_zeros unwrap vander unique_values unique_counts unique_inverse
unique_all""".split()
VECTORS = set("vander trim_zeros unwrap diag gradient ediff1d".split())
AXIS = """sum prod mean std var max min amax amin any all argmax argmin median ptp nansum nanprod nanmean nanstd nanvar
nanmax nanmin nanargmax nanargmin nanmedian count_nonzero cumsum cumprod nancumsum nancumprod cumulative_sum
cumulative_prod average trapezoid""".split()
TWO = """add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide
divmod equal float_power floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot lcm ldexp left_shift less
less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod multiply nextafter not_equal pow
power remainder right_shift subtract true_divide dot matmul inner outer vecdot kron tensordot cross convolve
correlate isclose union1d intersect1d setdiff1d setxor1d isin polyadd polysub polymul polydiv polyval append interp
hstack concatenate stack where broadcast_arrays meshgrid einsum linspace matvec vecmat""".split()
MATRICES = set("dot matmul inner vecdot tensordot".split())
CALLS = {  # those that are not called with two arrays
    "hstack": lambda a, b: np.hstack([a, b]), "concatenate": lambda a, b: np.concatenate([a, b]),
    "stack": lambda a, b: np.stack([a, b]), "where": lambda a, b: np.where(np.array([True, False, True]), a, b),
    "einsum": lambda a, b: np.einsum("i,j->ij", a, b), "linspace": lambda a, b: np.linspace(a, b, 3),
    "interp": lambda a, b: np.interp(a, np.array([0., 1., 2.]), b),
    "tensordot": lambda a, b: np.tensordot(a, b, 1),
    "matvec": lambda a, b: np.matvec(np.stack([a, a]), b), "vecmat": lambda a, b: np.vecmat(a, np.stack([b, b, b])),
}


def letters(r):
    if isinstance(r, (list, tuple)):
        return "".join(map(letters, r))
    return LETTERS[np.asarray(r).dtype.name]


def word(f, *args):
    try:
        return letters(f(*args))
    except (TypeError, ValueError):
        return "."


def main():
    data = {"dtypes": DTYPES, "one": {}, "axis": {}, "two": {}}
    for name in ONE:
        x = VECTOR if name in VECTORS else MATRIX
        data["one"][name] = " ".join(word(getattr(np, name), x.astype(d)) for d in DTYPES)
    for name in AXIS:
        data["axis"][name] = " ".join(word(lambda x: getattr(np, name)(x, axis=0), MATRIX.astype(d)) for d in DTYPES)
    for name in TWO:
        f, x = CALLS.get(name) or getattr(np, name), MATRIX if name in MATRICES else VECTOR
        data["two"][name] = [" ".join(word(f, x.astype(a), x.astype(b)) for b in DTYPES) for a in DTYPES]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(root, "spec", "data", "promotion.json"), "w") as f:
        json.dump(data, f, indent=0)
        f.write("\n")
    print(len(ONE) + len(AXIS) + len(TWO), "functions")


if __name__ == "__main__":
    main()
