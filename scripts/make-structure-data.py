#!/usr/bin/env python3
"""Writes spec/data/structure.json: NumPy's answers for broadcasting, reductions over any axes, shapes, joins, creation,
products and rows, dtype by dtype.

    python3 scripts/make-structure-data.py      (needs NumPy and SciPy; running the specs does not)

The form is that of tensor.json (make-tensor-data.py). Inputs: t (2, 3, 4), x and y (3, 4), row (1, 4), v (4), s 0-d;
in the second set of some dtypes t, x and y have a length of 0. Values hold the extremes of integers and, in the
last set of the floats, NaN and infinities.
"""
import json
import os

import numpy as np
from scipy import special

from numpy_json import DTYPES, inf, nan, plain

np.seterr(all="ignore")


def kind(a):
    return {"b": "b", "i": "i", "u": "i", "f": "f", "c": "c"}[a.dtype.kind]


def wide(a):
    """The dtype of sums and products."""
    return {"b": "int64", "i": "int64", "u": "uint64"}.get(a.dtype.kind, str(a.dtype))


def acc(a):
    return {"float32": "float64", "complex64": "complex128"}.get(str(a.dtype), wide(a))


def total(f, a, axis, keepdims=False):
    return f(a.astype(acc(a)), axis=axis, keepdims=keepdims).astype(wide(a))


def mean_dtype(a):
    return "float64" if kind(a) in "bi" else str(a.dtype)


def mean(a, axis, keepdims=False):
    """The sum, which wraps around for integers, by the number of elements: Theano's mean."""
    n = np.sum(np.ones(a.shape), axis=axis, keepdims=keepdims)
    return (np.sum(a.astype(acc(a)), axis=axis, keepdims=keepdims) / n).astype(mean_dtype(a))


def var(a, axis, ddof=0, root=False):
    r = np.var(a.astype("float64"), axis=axis, ddof=ddof)
    return np.asarray(np.sqrt(r) if root else r).astype(mean_dtype(a))


def arg(f, a, axis):
    """argmax over several axes: in the flattened rest, as Theano does it."""
    if axis is None:
        return f(a.ravel())
    axes = [axis] if isinstance(axis, int) else list(axis)
    rest = [d for d in range(a.ndim) if d not in axes]
    moved = np.transpose(a, rest + axes)
    return f(moved.reshape(moved.shape[: len(rest)] + (int(np.prod(moved.shape[len(rest):])),)), axis=-1)


def norm(a, order, axis):
    return (np.abs(a).astype("float64") ** order).sum(axis=axis).astype(a.dtype) ** a.dtype.type(1 / order)


def put(a, where, value, add=False):
    z = a.copy()
    z[where] = (z[where] + value).astype(a.dtype) if add else value
    return z


def low(a, k, up=False):
    mask = np.tri(*a.shape, k=k - 1 if up else k)
    return a * ((1 - mask) if up else mask).astype(a.dtype)


def lua_axis(axis):
    if axis is None:
        return "nil"
    return str(axis) if isinstance(axis, int) else "{%s}" % ", ".join(map(str, axis))


CASES = []  # (Lua expression, kinds of dtypes, NumPy)


def case(expr, kinds, f):
    CASES.append(("{%s}" % expr, kinds, f))


# broadcasting
case("x + row, row + x, x + s, s + v, x + y", "bifc",
     lambda d: [d.x + d.row, d.row + d.x, d.x + d.s, d.s + d.v, d.x + d.y])
case("x * row, row * s, T.mul(x, y, row)", "bifc", lambda d: [d.x * d.row, d.row * d.s, d.x * d.y * d.row])
case("x - row, row - x, s - v, -x", "ifc", lambda d: [d.x - d.row, d.row - d.x, d.s - d.v, -d.x])
case("x / row, s / v", "bifc", lambda d: [np.true_divide(d.x, d.row, dtype=mean_dtype(d.x)),
                                          np.true_divide(d.s, d.v, dtype=mean_dtype(d.x))])
case("T.maximum(x, row), T.minimum(x, s), T.clip(x, s, row)", "bif",
     lambda d: [np.maximum(d.x, d.row), np.minimum(d.x, d.s),
                np.where(d.x < d.s, d.s, np.where(d.x > d.row, d.row, d.x))])
case("T.lt(x, row), T.gt(s, x), T.le(x, y), T.ge(v, s)", "bif",
     lambda d: [d.x < d.row, d.s > d.x, d.x <= d.y, d.v >= d.s])
case("T.eq(x, row), T.neq(x, s), T.eq(x, y)", "bifc", lambda d: [d.x == d.row, d.x != d.s, d.x == d.y])
case("T.switch(T.eq(x, row), x, s), T.switch(T.eq(row, v), row, y)", "bifc",
     lambda d: [np.where(d.x == d.row, d.x, d.s), np.where(d.row == d.v, d.row, d.y)])
case("T.and_(x, row), T.or_(x, s), T.xor(x, y), T.invert(x)", "bi",
     lambda d: [d.x & d.row, d.x | d.s, d.x ^ d.y, ~d.x])
case("T.isclose(x, y), T.isclose(x, x), T.allclose(v, row)", "f",
     lambda d: [np.isclose(d.x, d.y), np.isclose(d.x, d.x), np.allclose(d.v, d.row)])
case("T.isnan(t), T.isinf(t)", "fc", lambda d: [np.isnan(d.t), np.isinf(d.t)])
case("T.fill(x, s), T.zeros_like(t), T.ones_like(x)", "bifc",
     lambda d: [np.full_like(d.x, d.s), np.zeros_like(d.t), np.ones_like(d.x)])
case("T.sqr(t), T.abs_(x), T.sgn(x)", "if", lambda d: [d.t * d.t, np.abs(d.x), np.sign(d.x)])
case("T.sqr(t), T.abs_(x), T.conj(t), T.real(t), T.imag(x), T.angle(x)", "c",
     lambda d: [d.t * d.t, np.abs(d.x), np.conj(d.t), d.t.real, d.x.imag, np.angle(d.x)])
case("T.smallest(x, y, row), T.largest(x, s)", "bif",
     lambda d: [np.minimum(np.minimum(d.x, d.y), d.row), np.maximum(d.x, d.s)])

case("T.where(T.eq(x, y), x, row), T.second(x, s), T.square(y), T.abs(x)", "if",
     lambda d: [np.where(d.x == d.y, d.x, d.row), np.full_like(d.x, d.s), d.y * d.y, np.abs(d.x)])
case("T.bitwise_and(x, y), T.bitwise_or(x, row), T.bitwise_xor(x, s), T.bitwise_not(y)", "bi",
     lambda d: [d.x & d.y, d.x | d.row, d.x ^ d.s, ~d.y])
case("T.floor_div(x, T.cast(2, x.dtype)), T.ceil_intdiv(T.abs(T.cast(x, 'int64')), 3), "
     "T.divmod(T.cast(x, 'int64'), -3)", "i",
     lambda d: [np.floor_divide(d.x, d.x.dtype.type(2)), -(-np.abs(d.x.astype("int64")) // 3),
                d.x.astype("int64") // -3, d.x.astype("int64") % -3] if d.x.dtype.itemsize < 8 else None)
case("T.round(x), T.round(x, 'half_away_from_zero'), T.iround(y * 4), y:astype('int32'), T.power(T.abs(y), 1.5)", "f",
     lambda d: [np.rint(d.x), np.copysign(np.floor(np.abs(d.x) + 0.5), d.x), np.rint(d.y * 4).astype("int64"),
                d.y.astype("int32"), np.abs(d.y) ** d.y.dtype.type(1.5)])
case("T.complex(x, y), T.complex_from_polar(T.abs(y), y)", "f",
     lambda d: [d.x + 1j * d.y, np.abs(d.y) * np.exp(1j * d.y)] if np.isfinite(d.x).all() else None)

# NumPy's other names and compositions
case("T.subtract(x, row), T.negative(y), T.logical_not(x), T.iscomplex(x), T.isreal(x)", "ifc",
     lambda d: [d.x - d.row, -d.y, np.logical_not(d.x), np.iscomplex(d.x), np.isreal(d.x)])
case("T.multiply(x, row), T.logical_and(x, row), T.logical_or(x, s), T.logical_xor(x, y), T.equal(x, y), "
     "T.not_equal(x, y)", "bifc", lambda d: [d.x * d.row, np.logical_and(d.x, d.row), np.logical_or(d.x, d.s),
                                            np.logical_xor(d.x, d.y), d.x == d.y, d.x != d.y])
case("T.less(x, row), T.less_equal(x, y), T.greater(x, s), T.greater_equal(x, y), T.isposinf(x), T.isneginf(x)", "bif",
     lambda d: [d.x < d.row, d.x <= d.y, d.x > d.s, d.x >= d.y, np.isposinf(d.x), np.isneginf(d.x)])
case("T.positive(x), T.absolute(t), T.sign(x), T.conjugate(t)", "if", lambda d: [d.x, np.abs(d.t), np.sign(d.x), d.t])
case("T.bitwise_invert(x), T.bitwise_count(x)", "bi", lambda d: [~d.x, np.bitwise_count(d.x)])
case("T.bitwise_left_shift(x, T.cast(1, x.dtype)), T.bitwise_right_shift(x, T.cast(1, x.dtype)), "
     "T.floor_divide(x, T.cast(3, x.dtype)), T.remainder(x, T.cast(3, x.dtype)), T.fmod(x, T.cast(3, x.dtype))", "i",
     lambda d: [d.x << d.x.dtype.type(1), d.x >> d.x.dtype.type(1), d.x // d.x.dtype.type(3), d.x % d.x.dtype.type(3),
                np.fmod(d.x, d.x.dtype.type(3))])
case("T.divide(x, row), T.true_divide(x, y), T.fix(x), T.fabs(x), T.fmod(x, y), "
     "T.ldexp(y, T.constant({0, 3, -2, 1})), T.spacing(x)", "f",
     lambda d: [d.x / d.row, d.x / d.y, np.fix(d.x), np.fabs(d.x), np.fmod(d.x, d.y),
                np.ldexp(d.y, [0, 3, -2, 1]), np.spacing(d.x)])
case("T.modf(x)", "f", lambda d: np.modf(d.x))
case("T.frexp(y)", "f", lambda d: np.frexp(d.y))
case("T.sinc(y), T.reciprocal(x), T.degrees(y), T.radians(y), T.atan2(x, y), T.acos(y / 9), T.acosh(T.abs(y) + 1), "
     "T.asin(y / 9), T.asinh(y), T.atan(y), T.atanh(y / 9), T.float_power(T.abs(y), 1.5)", "f",
     lambda d: [np.sinc(d.y), 1 / d.x, np.degrees(d.y), np.radians(d.y), np.arctan2(d.x, d.y),
                np.arccos(d.y / d.y.dtype.type(9)), np.arccosh(np.abs(d.y) + d.y.dtype.type(1)),
                np.arcsin(d.y / d.y.dtype.type(9)), np.arcsinh(d.y), np.arctan(d.y),
                np.arctanh(d.y / d.y.dtype.type(9)), np.float_power(np.abs(d.y), 1.5)])

# reductions
for axis in (None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (0, 1, 2)):
    a, few = lua_axis(axis), axis in (None, 1, (0, 2))
    case("t:sum(%s), t:prod(%s), t:mean(%s)" % (a, a, a), "bifc", lambda d, axis=axis: [
        total(np.sum, d.t, axis), total(np.prod, d.t, axis), mean(d.t, axis)])
    case("T.any(t, %s), T.all(t, %s)" % (a, a), "bifc", lambda d, axis=axis: [
        (d.t != 0).any(axis=axis), (d.t != 0).all(axis=axis)])
    case("T.max(t, %s), T.min(t, %s), T.argmax(t, %s), T.argmin(t, %s)" % (a, a, a, a), "bif", lambda d, axis=axis: [
        np.max(d.t, axis=axis), np.min(d.t, axis=axis), arg(np.argmax, d.t, axis), arg(np.argmin, d.t, axis)])
    if few:
        case("T.ptp(t, %s)" % a, "if", lambda d, axis=axis: [np.max(d.t, axis=axis) - np.min(d.t, axis=axis)])
        case("T.var(t, %s), T.std(t, %s)" % (a, a), "f",
             lambda d, axis=axis: [var(d.t, axis), var(d.t, axis, root=True)])
        case("t:norm(2, %s), t:norm(1, %s)" % (a, a), "f",
             lambda d, axis=axis: [norm(d.t, 2, axis), norm(d.t, 1, axis)])
        case("T.logsumexp(t, %s)" % a, "f",
             lambda d, axis=axis: [(np.max(d.t, axis=axis), special.logsumexp(d.t, axis=axis).astype(d.t.dtype))[1]])
        case("t:sum{axis = %s, keepdims = true}, t:mean{axis = %s, keepdims = true}" % (a, a), "bifc",
             lambda d, axis=axis: [total(np.sum, d.t, axis, True), mean(d.t, axis, True)])
        case("T.max(t, {axis = %s, keepdims = true})" % a, "bif",
             lambda d, axis=axis: [np.max(d.t, axis=axis, keepdims=True)])
case("s:sum(), T.max(s), T.argmax(s), s:mean(), s:prod()", "bif",
     lambda d: [total(np.sum, d.s, None), d.s, np.int64(0), mean(d.s, None), total(np.prod, d.s, None)])
case("T.max_and_argmax(t, 1)", "bif", lambda d: [np.max(d.t, 1), np.argmax(d.t, 1)])

case("t:var{axis = 1, ddof = 1}, T.std(x, {axis = 0, ddof = 2})", "f",
     lambda d: [np.max(d.t, 1), np.max(d.x, 0)] and [r.astype("float64") for r in (
         np.var(d.t.astype("float64"), 1, ddof=1), np.std(d.x.astype("float64"), 0, ddof=2))])

# shapes
case("t.shape, t.size, T.shape(s)", "bifc",
     lambda d: [np.array(d.t.shape), np.int64(d.t.size), np.zeros(0, "int64")])
case("t:reshape({-1, 4}), t:flatten(), t:flatten(2), t.T:ravel(), s:reshape({1, 1})", "bifc",
     lambda d: [d.t.reshape(-1, 4) if d.t.size else np.zeros((0, 4), d.t.dtype), d.t.ravel(),
                d.t.reshape(2, d.t.shape[1] * 4), d.t.T.ravel(), d.s.reshape(1, 1)])
case("t:transpose(1, 2, 0), t.T, t:swapaxes(0, -1), x:dimshuffle(1, 'x', 0), row:dimshuffle(1)", "bifc",
     lambda d: [d.t.transpose(1, 2, 0), d.t.T, d.t.swapaxes(0, -1), d.x.T[:, None], d.row[0]])
case("T.shape_padleft(x, 2), T.shape_padright(v), T.shape_padaxis(x, 1), T.squeeze(row), T.moveaxis(t, 0, -1)", "bifc",
     lambda d: [d.x[None, None], d.v[:, None], d.x[:, None], d.row[0], np.moveaxis(d.t, 0, -1)])
case("T.tile(x, {2, 1}), T.tile(v, 3), T.repeat_(t, 2, 1), T.repeat_(v, 3), T.roll(t, 1, 2)", "bifc",
     lambda d: [np.tile(d.x, (2, 1)), np.tile(d.v, 3), d.t.repeat(2, 1), d.v.repeat(3), np.roll(d.t, 1, 2)])
case("T.addbroadcast(row, 0) + x, T.unbroadcast(row, 0), T.patternbroadcast(row, {true, false}) + x", "bifc",
     lambda d: [d.row + d.x, d.row, d.row + d.x])
case("T.specify_shape(v, {4}), T.tensor_copy(t), t:copy()", "bifc", lambda d: [d.v, d.t, d.t])
case("T.join(0, x, y), T.join(1, x, y, x), T.concatenate({t, t}, 2), T.join(0, x, row)", "bifc",
     lambda d: [np.concatenate([d.x, d.y]), np.concatenate([d.x, d.y, d.x], 1), np.concatenate([d.t, d.t], 2),
                np.concatenate([d.x, d.row])])
case("T.stack({x, y}), T.stack({x, y}, 2), T.stack({s, s}), T.stacklists({{s, s}, {s, s}})", "bifc",
     lambda d: [np.stack([d.x, d.y]), np.stack([d.x, d.y], 2), np.array([d.s, d.s]),
                np.array([[d.s, d.s], [d.s, d.s]])])
case("T.horizontal_stack(x, y), T.vertical_stack(x, y), T.split(x, {1, 3}, 2, 1)", "bifc",
     lambda d: [np.hstack([d.x, d.y]), np.vstack([d.x, d.y]), d.x[:, :1], d.x[:, 1:]])
case("t[1], t[{T.slice(), T.slice(nil, nil, -1)}], t['..., None, 0'], "
     "t['-1:, :, 3:0:-2'], v['::2'], s['...']", "bifc",
     lambda d: [d.t[1], d.t[:, ::-1], d.t[..., None, 0], d.t[-1:, :, 3:0:-2], d.v[::2], d.s])
case("T.set_subtensor(t['..., 1:3'], s), T.set_subtensor(v['::-2'], s), T.inc_subtensor(t[0], t[1])", "bifc",
     lambda d: [put(d.t, (Ellipsis, slice(1, 3)), d.s), put(d.v, slice(None, None, -2), d.s),
                put(d.t, 0, d.t[1], True)])
case("T.sort(t, 1), T.argsort(t, 0), T.sort(t.T, 0), T.cumsum(t, 1), T.cumprod(t, 2)", "bif",
     lambda d: [np.sort(d.t, 1), np.argsort(d.t, 0, kind="stable"), np.sort(d.t.T, 0),
                np.cumsum(d.t, 1, dtype=d.t.dtype), np.cumprod(d.t, 2, dtype=d.t.dtype)])
case("T.take(t, T.constant({1, 0, -1}), {axis = 2}), t[{T.slice(), T.slice(), T.constant({0, 0})}]", "bifc",
     lambda d: [np.take(d.t, [1, 0, -1], 2), d.t[:, :, [0, 0]]])

# creation
case("T.alloc(s, 2, 3), T.alloc(row, 2, 3, 4), T.alloc(v, 0, 4)", "bifc",
     lambda d: [np.full((2, 3), d.s), np.broadcast_to(d.row, (2, 3, 4)), np.zeros((0, 4), d.v.dtype)])
case("T.tril(x), T.triu(x), T.tril(x, -1), T.triu(x, 2), T.identity_like(x)", "ifc",
     lambda d: [low(d.x, 0), low(d.x, 0, True), low(d.x, -1), low(d.x, 2, True), np.eye(*d.x.shape, dtype=d.x.dtype)])
case("T.eye(2, 3, 1, {dtype = x.dtype}), T.tri(3, 2, -1, x.dtype), T.zeros({0, 2}, x.dtype), T.ones({2}, x.dtype)",
     "bifc", lambda d: [np.eye(2, 3, 1, dtype=d.x.dtype), np.tri(3, 2, -1, dtype=d.x.dtype),
                        np.zeros((0, 2), d.x.dtype), np.ones(2, d.x.dtype)])
case("T.diag(v, 1), T.diag(x), T.diagonal(t, {axis1 = 1, axis2 = 2}), T.trace(T.outer(v, v))", "ifc",
     lambda d: [np.diag(d.v, 1), np.diag(d.x), np.diagonal(d.t, 0, 1, 2),
                total(np.sum, np.diag(np.outer(d.v, d.v)), None)])

# products
case("T.dot(x, y.T), T.dot(x, v), T.dot(v, v), T.dot(v, y.T), T.dot(s, x), T.outer(v, v)", "ifc",
     lambda d: [d.x @ d.y.T, d.x @ d.v, d.v @ d.v, d.v @ d.y.T, d.s * d.x, np.outer(d.v, d.v)])
case("T.dot(t, y.T), T.dot(x, t:swapaxes(1, 2))", "ifc",
     lambda d: [np.dot(d.t, d.y.T), np.dot(d.x, d.t.swapaxes(1, 2))])
case("T.tensordot(t, t, {axes = {{0, 2}, {0, 2}}}), T.tensordot(t, y.T, 1), T.tensordot(x, y, 2), T.tensordot(v, v, 0)",
     "ifc", lambda d: [np.tensordot(d.t, d.t, ((0, 2), (0, 2))), np.tensordot(d.t, d.y.T, 1), np.tensordot(d.x, d.y, 2),
                       np.tensordot(d.v, d.v, 0)])
case("T.batched_dot(t, t:swapaxes(1, 2)), T.batched_tensordot(t, t, {axes = {{1, 2}, {1, 2}}})", "ifc",
     lambda d: [np.einsum("bij,bkj->bik", d.t, d.t), np.einsum("bij,bij->b", d.t, d.t)])
case("T.nlinalg.matrix_dot(x, y.T, x)", "ifc", lambda d: [d.x @ d.y.T @ d.x])

# rows
case("T.nnet.softmax(x), T.nnet.logsoftmax(x), T.nnet.softmax(t, {axis = 1}), T.nnet.softmax_graph(v)", "f",
     lambda d: [special.softmax(d.x.astype("float64"), 1).astype(d.x.dtype),
                special.log_softmax(d.x.astype("float64"), 1).astype(d.x.dtype),
                special.softmax(d.t.astype("float64"), 1).astype(d.x.dtype),
                special.softmax(d.v.astype("float64")).astype(d.x.dtype)])
case("T.nnet.relu(y), T.nnet.relu(y, 0.25), T.nnet.elu(x), T.nnet.hard_sigmoid(x), T.nnet.softsign(x)", "f",
     lambda d: [np.where(d.y > 0, d.y, d.y * 0), np.where(d.y > 0, d.y, d.y * d.y.dtype.type(0.25)),
                np.where(d.x > 0, d.x, np.expm1(d.x)), np.clip(d.x * d.x.dtype.type(0.2) + d.x.dtype.type(0.5), 0, 1),
                d.x / (1 + np.abs(d.x))])


LABELS = np.array([1, 0, 3])


def of_rows(f):
    """Cases that need three rows and finite numbers."""
    def g(d):
        return [np.asarray(a).astype(d.x.dtype) if np.asarray(a).dtype.kind == "f" else a for a in f(d)] \
            if d.x.shape == (3, 4) and np.isfinite(d.x).all() else None
    return g


def loss(x):
    return -special.log_softmax(x.astype("float64"), 1)[range(3), LABELS]


case("T.nnet.selu(T.cast(y, 'float64'))", "f", lambda d: [
    1.0507009873554804935 * np.where(d.y > 0, d.y, 1.6732632423543772848 * np.expm1(d.y.astype("float64")))])
case("T.nnet.gelu(x), T.nnet.gelu(y, true), T.nnet.silu(x), T.nnet.mish(y), T.nnet.leaky_relu(x), "
     "T.nnet.leaky_relu(y, 2)", "f",
     of_rows(lambda d: [d.x * special.ndtr(d.x.astype("float64")),
                        d.y / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (d.y + 0.044715 * d.y.astype("float64") ** 3))),
                        d.x * special.expit(d.x.astype("float64")),
                        d.y * np.tanh(np.log1p(np.exp(d.y.astype("float64")))),
                        np.where(d.x > 0, d.x, d.x.dtype.type(0.01) * d.x), np.where(d.y > 0, d.y, 2 * d.y)]))
case("T.nnet.softmax_with_bias(x, v), T.nnet.nnet.softsign(y), T.xlogx.xlogx(T.abs(x))", "f",
     of_rows(lambda d: [special.softmax(d.x + d.v, 1), d.y / (1 + np.abs(d.y)),
                        special.xlogy(np.abs(d.x), np.abs(d.x))]))
case("T.nnet.binary_crossentropy(T.nnet.sigmoid(x), T.nnet.sigmoid(y)), T.nnet.sigmoid_binary_crossentropy(x, y)", "f",
     of_rows(lambda d: [-(special.expit(d.y) * np.log(special.expit(d.x))
                          + (1 - special.expit(d.y)) * np.log(1 - special.expit(d.x))),
                        np.maximum(d.x, 0) - d.x * d.y + np.log1p(np.exp(-np.abs(d.x)))]))
case("T.nnet.categorical_crossentropy(T.nnet.softmax(x), T.nnet.softmax(y)), "
     "T.nnet.categorical_crossentropy(T.nnet.softmax(x), T.constant({1, 0, 3})), "
     "T.nnet.crossentropy_categorical_1hot(T.nnet.softmax(x), T.constant({1, 0, 3}))", "f",
     of_rows(lambda d: [-(special.softmax(d.y, 1) * special.log_softmax(d.x, 1)).sum(1), loss(d.x), loss(d.x)]))
case("T.nnet.crossentropy_softmax_1hot(x, T.constant({1, 0, 3}))", "f",
     of_rows(lambda d: [loss(d.x), special.softmax(d.x, 1)]))
case("T.nnet.crossentropy_softmax_1hot_with_bias(x, v, T.constant({1, 0, 3}))", "f",
     of_rows(lambda d: [loss(d.x + d.v), special.softmax(d.x + d.v, 1)]))
case("T.nnet.crossentropy_softmax_argmax_1hot_with_bias(x, v, T.constant({1, 0, 3}))", "f",
     of_rows(lambda d: [loss(d.x + d.v), special.softmax(d.x + d.v, 1), np.argmax(d.x + d.v, 1)]))
case("T.nnet.crossentropy_softmax_max_and_argmax_1hot(x, T.constant({1, 0, 3}))", "f",
     of_rows(lambda d: [loss(d.x), special.softmax(d.x, 1), special.softmax(d.x, 1).max(1), np.argmax(d.x, 1)]))
case("T.nnet.crossentropy_softmax_max_and_argmax_1hot_with_bias(x, v, T.constant({1, 0, 3}))", "f",
     of_rows(lambda d: [loss(d.x + d.v), special.softmax(d.x + d.v, 1), special.softmax(d.x + d.v, 1).max(1),
                        np.argmax(d.x + d.v, 1)]))

# positions and products that have no data in tensor.json
case("T.slinalg.kron(x, y), T.nlinalg.matrix_power(T.dot(x, y.T), 2)", "ifc",
     lambda d: [np.kron(d.x, d.y), (d.x @ d.y.T) @ (d.x @ d.y.T)] if d.x.size else None)
case("T.nlinalg.extract_diag(x), T.nlinalg.alloc_diag(v), T.cov(x)", "f",
     lambda d: [np.diag(d.x), np.diag(d.v), np.cov(d.x.astype("float64"))]
     if d.x.size and np.isfinite(d.x).all() else None)
case("T.bincount(T.cast(y % T.cast(5, y.dtype), 'int64')[0]), T.to_one_hot(T.constant({1, 0, 3}), 4, x.dtype), "
     "T.extra_ops.ravel_multi_index({T.constant({1, 0}), T.constant({2, 3})}, {3, 4})", "i",
     lambda d: [np.bincount((np.abs(d.y) % d.y.dtype.type(5)).astype("int64")[0]),
                np.eye(4, dtype=d.x.dtype)[LABELS], np.ravel_multi_index(([1, 0], [2, 3]), (3, 4))]
     if d.y.size and d.y.dtype.kind == "u" else None)
case("T.bartlett(5), T.topk(v, 2), T.argtopk(v, 2), T.extra_ops.unravel_index(T.constant({11, 5}), {3, 4})", "f",
     lambda d: [np.bartlett(5), np.sort(d.v)[::-1][:2], np.argsort(-d.v, kind="stable")[:2],
                *np.unravel_index([11, 5], (3, 4))])


class Set:
    pass


def values(dtype, rng, shape, special_values):
    n = int(np.prod(shape))
    if dtype == "bool":
        a = rng.randint(0, 2, n).astype(bool)
    elif np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        a = rng.randint(0, 7, n).astype(dtype) - np.array(3 if info.min < 0 else 0, dtype)
        if n > 4:
            a[1], a[3] = info.max, info.min
    else:
        a = np.round(rng.randn(n) * 16) / 16
        if np.dtype(dtype).kind == "c":
            a = a + 1j * np.round(rng.randn(n) * 16) / 16
        elif special_values and n > 3:
            a[1], a[2], a[3] = nan, inf, -0.0
            a[-1] = -inf
        a = a.astype(dtype)
    return a.reshape(shape)


def make(dtype, seed, rows, special_values):
    rng, d = np.random.RandomState(seed), Set()
    d.t = values(dtype, rng, (2, rows, 4), special_values)
    d.x, d.y = values(dtype, rng, (rows, 4), special_values), values(dtype, rng, (rows, 4), False)
    d.row, d.v, d.s = values(dtype, rng, (1, 4), False), values(dtype, rng, (4,), False), values(dtype, rng, (), False)
    return d


def answer(kinds, f, d):
    if kind(d.x) not in kinds:
        return None
    try:
        results = f(d)
        return results and [plain(a) for a in results]
    except (ValueError, IndexError):
        return None


sets = []
for number, dtype in enumerate(DTYPES):
    forms = [(3, False)]
    if dtype in ("float64", "int32", "complex64"):
        forms.append((0, False))
    if dtype in ("float32", "float64"):
        forms.append((3, True))
    for rows, special_values in forms:
        data = make(dtype, 70 + number, rows, special_values)
        sets.append({"dtype": dtype, "special": special_values,
                     "inputs": {name: plain(getattr(data, name)) for name in ("t", "x", "y", "row", "v", "s")},
                     "wants": [answer(kinds, f, data) for _, kinds, f in CASES]})
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data", "structure.json")
with open(path, "w") as out:
    json.dump({"exprs": [e for e, _, _ in CASES], "sets": sets}, out, separators=(",", ":"))
    out.write("\n")
