"""The array API standard over `build/theano`, for its test suite: arrays live in a process that runs server.lua, and no
NumPy is between. Values come over as text, once an array, when an element is asked for."""
import json
import math
import os
import subprocess

_here = os.path.dirname(os.path.abspath(__file__))
_root = os.path.dirname(os.path.dirname(_here))

__array_api_version__ = "2024.12"
e, inf, nan, newaxis, pi = math.e, math.inf, math.nan, None, math.pi
_builtins = __builtins__ if isinstance(__builtins__, dict) else vars(__builtins__)
_all, _any, _abs, _sum, _bool, _max, _min = (_builtins[n] for n in (
    "all", "any", "abs", "sum", "bool", "max", "min"))


class _Server:
    def __init__(self):
        self.process = subprocess.Popen([os.path.join(_root, "build", "theano"), os.path.join(_here, "server.lua")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=_root)
        self.dead = []

    def ask(self, text):
        if len(self.dead) > 200:
            gone, self.dead = self.dead, []
            self.ask("free({%s})" % ", ".join(map(str, gone)))
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemError("the server died on %s" % text)
        answer = json.loads(line)
        if isinstance(answer, dict) and "e" in answer:
            message = answer["e"]
            kinds = {"TypeError": TypeError, "IndexError": IndexError, "ZeroDivisionError": ZeroDivisionError}
            raise next((k for n, k in kinds.items() if n + ":" in message), ValueError)(message)
        return _result(answer)


_server = _Server()


def _result(v):
    if isinstance(v, dict) and "@" in v:
        return Array(v["@"], _dtypes[v["d"]], tuple(v["s"]))
    if isinstance(v, list):
        return tuple(_result(x) for x in v)
    return v


# ---- dtypes ---------------------------------------------------------------------------------------------------------
class _DType:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "theano." + self.name

    def __eq__(self, other):
        return isinstance(other, _DType) and other.name == self.name

    def __hash__(self):
        return hash(self.name)

    @property
    def kind(self):
        return {"b": "b", "i": "i", "u": "u", "f": "f", "c": "c"}[self.name[0]]


_dtypes = {n: _DType(n) for n in ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 "
                                  "complex128").split()}
int8, int16, int32, int64 = (_dtypes[n] for n in ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = (_dtypes[n] for n in ("uint8", "uint16", "uint32", "uint64"))
float32, float64, complex64, complex128 = (_dtypes[n] for n in ("float32", "float64", "complex64", "complex128"))
_bool_dtype = _dtypes["bool"]


# ---- Python's values as Lua's ---------------------------------------------------------------------------------------
def _float(v):
    if v != v:
        return "nan" if math.copysign(1, v) > 0 else "-nan"
    if v in (inf, -inf):
        return "inf" if v > 0 else "-inf"
    return float(v).hex()


def _lua(v):
    if isinstance(v, Array):
        return "A[%d]" % v._id
    if v is None:
        return "nil"
    if isinstance(v, _bool):
        return "true" if v else "false"
    if isinstance(v, int):
        v = int(v)
        if v >= 2**63:
            v -= 2**64
        return "math.mininteger" if v == -2**63 else str(v)
    if isinstance(v, float):
        return _float(v)
    if isinstance(v, complex):
        return "C(%s, %s)" % (_float(v.real), _float(v.imag))
    if isinstance(v, _DType):
        return "'%s'" % v.name
    if isinstance(v, str):
        return "'%s'" % v
    if isinstance(v, (tuple, list)):
        return "{%s}" % ", ".join(map(_lua, v))
    if isinstance(v, dict):
        return "{%s}" % ", ".join("%s = %s" % (k, _lua(x)) for k, x in v.items() if x is not None)
    raise TypeError("no Lua for %r" % (v,))


def _ask(function, *args):
    args = list(args)
    while args and args[-1] is None:
        args.pop()
    return _server.ask("%s(%s)" % (function, ", ".join(map(_lua, args))))


def _call(name, *args):
    return _ask("call", name, *args)


# ---- the array ------------------------------------------------------------------------------------------------------
class Array:
    __array_priority__ = 1000

    def __init__(self, id_, dtype, shape):
        self._id, self.dtype, self.shape, self._flat = id_, dtype, shape, None

    def __del__(self):
        try:
            _server.dead.append(self._id)
        except Exception:
            pass

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    device = property(lambda self: "cpu")
    T = property(lambda self: permute_dims(self, (1, 0)))
    mT = property(lambda self: matrix_transpose(self))

    def _values(self):
        if self._flat is None:
            flat = [] if self.size == 0 else list(_ask("values", self))
            if self.dtype == uint64:
                flat = [v % 2**64 for v in flat]
            if self.dtype.kind == "c":
                flat = [complex(*v) for v in flat]
            if self.dtype.kind == "f":
                flat = [float(v) for v in flat]
            self._flat = flat
        return self._flat

    def _item(self):
        if self.ndim > 0:
            raise TypeError("only arrays without dimensions are Python values")
        return self._values()[0]

    def __bool__(self):
        return _bool(self._item())

    def __int__(self):
        v = self._item()
        if isinstance(v, complex):
            raise TypeError("a complex number is no int")
        return int(v)

    def __float__(self):
        v = self._item()
        if isinstance(v, complex):
            raise TypeError("a complex number is no float")
        return float(v)

    def __complex__(self):
        return complex(self._item())

    def __index__(self):
        if self.dtype.kind not in "iu":
            raise TypeError("only integers are indices")
        return int(self._item())

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __repr__(self):
        return "Array(%s, dtype=%s, shape=%s)" % (self._values(), self.dtype, self.shape)

    def __array_namespace__(self, api_version=None):
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError("version %r is not known" % (api_version,))
        import theano_array_api
        return theano_array_api

    def to_device(self, device, stream=None):
        if device != "cpu":
            raise ValueError("there is no device %r" % (device,))
        return self

    def _key(self, key):
        if not isinstance(key, tuple):
            key = (key,)
        parts = []
        for k in key:
            if k is None:
                parts.append("X")
            elif k is Ellipsis:
                parts.append("'...'")
            elif isinstance(k, slice):
                step = k.step
                at = ["" if v is None else str(v.__index__()) for v in (k.start, k.stop, step)]
                parts.append("'%s'" % ":".join(at if step is not None else at[:2]))
            elif isinstance(k, Array):
                parts.append(_lua(k))
            elif isinstance(k, _bool):
                raise IndexError("a boolean is no position")
            else:
                parts.append(str(k.__index__()))
        return "{%s}" % ", ".join(parts)

    def __getitem__(self, key):
        r = _server.ask("get(%s, %s)" % (_lua(self), self._key(key)))
        return r

    def __setitem__(self, key, value):
        if not isinstance(value, Array):
            value = asarray(value, dtype=self.dtype)
        _server.ask("set(%s, %s, %s)" % (_lua(self), self._key(key), _lua(value)))
        self._flat = None

    def __hash__(self):
        raise TypeError("arrays are not hashable")


def _operand(v, other):
    """A Python number beside an array: of its dtype, or of the dtype's kind."""
    if isinstance(v, Array):
        return v
    kind = other.dtype.kind
    if isinstance(v, _bool):
        fine = kind == "b"
    elif isinstance(v, int):
        fine = kind in "iufc"
    elif isinstance(v, float):
        fine = kind in "fc"
    elif isinstance(v, complex):
        fine = kind in "fc"
    else:
        return NotImplemented
    if not fine:
        raise TypeError("%r does not go with %r" % (v, other.dtype))
    dtype = other.dtype
    if isinstance(v, complex) and kind == "f":
        dtype = complex64 if dtype == float32 else complex128
    return asarray(v, dtype=dtype)


_NUMERIC, _INTS, _BITS, _REAL, _FLOATS = "iufc", "iu", "biu", "iuf", "fc"


def _pair(name, kinds, a, b):
    if not isinstance(a, Array) and not isinstance(b, Array):
        raise TypeError("%s: one of both is an array" % name)
    a, b = _operand(a, b), _operand(b, a)
    if a is NotImplemented or b is NotImplemented:
        return NotImplemented
    for x in (a, b):
        if kinds and x.dtype.kind not in kinds:
            raise TypeError("%s is not for %r" % (name, x.dtype))
    return _call(name, a, b)


def _binary(name, kinds):
    def f(x1, x2, /):
        return _pair(name, kinds, x1, x2)
    f.__name__ = name
    return f


def _unary(name, kinds):
    def f(x, /):
        if kinds and x.dtype.kind not in kinds:
            raise TypeError("%s is not for %r" % (name, x.dtype))
        return _call(name, x)
    f.__name__ = name
    return f


_BINARY = dict(add=_NUMERIC, atan2="f", bitwise_and=_BITS, bitwise_left_shift=_INTS, bitwise_or=_BITS,
               bitwise_right_shift=_INTS, bitwise_xor=_BITS, copysign="f", divide=_FLOATS, equal=None,
               floor_divide=_REAL, greater=_REAL, greater_equal=_REAL, hypot="f", less=_REAL, less_equal=_REAL,
               logaddexp="f", logical_and="b", logical_or="b", logical_xor="b", maximum=_REAL, minimum=_REAL,
               multiply=_NUMERIC, nextafter="f", not_equal=None, pow=_NUMERIC, remainder=_REAL, subtract=_NUMERIC)
_UNARY = dict(abs=_NUMERIC, acos=_FLOATS, acosh=_FLOATS, asin=_FLOATS, asinh=_FLOATS, atan=_FLOATS, atanh=_FLOATS,
              bitwise_invert=_BITS, conj=_NUMERIC, cos=_FLOATS, cosh=_FLOATS, exp=_FLOATS, expm1=_FLOATS,
              imag="c", isfinite=_NUMERIC, isinf=_NUMERIC, isnan=_NUMERIC, log=_FLOATS, log10=_FLOATS, log1p=_FLOATS,
              log2=_FLOATS, logical_not="b", negative=_NUMERIC, positive=_NUMERIC, real=_NUMERIC, reciprocal=_FLOATS,
              round=_NUMERIC, sign=_NUMERIC, signbit="f", sin=_FLOATS, sinh=_FLOATS, sqrt=_FLOATS, square=_NUMERIC,
              tan=_FLOATS, tanh=_FLOATS)
for _name, _kinds in _BINARY.items():
    globals()[_name] = _binary(_name, _kinds)
for _name, _kinds in _UNARY.items():
    globals()[_name] = _unary(_name, _kinds)


def _rounding(name):
    def f(x, /):
        if x.dtype.kind not in _REAL:
            raise TypeError("%s is not for %r" % (name, x.dtype))
        return x + asarray(0, dtype=x.dtype) if x.dtype.kind in _INTS else _call(name, x)
    f.__name__ = name
    return f


ceil, floor, trunc = _rounding("ceil"), _rounding("floor"), _rounding("trunc")
_round_of_floats = round  # noqa: F821


def round(x, /):
    return x + asarray(0, dtype=x.dtype) if x.dtype.kind in _INTS else _round_of_floats(x)


_OPERATORS = dict(add="add", sub="subtract", mul="multiply", truediv="divide", floordiv="floor_divide",
                  mod="remainder", pow="pow", lshift="bitwise_left_shift", rshift="bitwise_right_shift")
_BITWISE = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
_COMPARE = dict(lt="less", le="less_equal", gt="greater", ge="greater_equal", eq="equal", ne="not_equal")


def _install():
    def forward(name, kinds):
        return lambda self, other: _pair(name, kinds, self, other)

    def backward(name, kinds):
        return lambda self, other: _pair(name, kinds, other, self)

    def inplace(name, kinds):
        def f(self, other):
            r = _pair(name, kinds, self, other)
            if r is NotImplemented:
                return r
            if r.shape != self.shape or r.dtype != self.dtype:
                raise ValueError("%s in place: the result is %r %r" % (name, r.dtype, r.shape))
            self[...] = r
            return self
        return f
    for op, name in {**_OPERATORS, **_BITWISE}.items():
        kinds = _BINARY[name]
        setattr(Array, "__%s__" % op, forward(name, kinds))
        setattr(Array, "__r%s__" % op, backward(name, kinds))
        setattr(Array, "__i%s__" % op, inplace(name, kinds))
    for op, name in _COMPARE.items():
        setattr(Array, "__%s__" % op, forward(name, _BINARY[name]))
    Array.__matmul__ = lambda self, other: matmul(self, other) if isinstance(other, Array) else NotImplemented

    def imatmul(self, other):
        r = matmul(self, other)
        if r.shape != self.shape or r.dtype != self.dtype:
            raise ValueError("a product in place keeps its shape")
        self[...] = r
        return self
    Array.__imatmul__ = imatmul
    Array.__neg__ = lambda self: _call("negative", self)
    Array.__pos__ = lambda self: _call("positive", self)
    Array.__abs__ = lambda self: _call("abs", self)
    Array.__invert__ = lambda self: _call("bitwise_invert", self)


_install()


def clip(x, /, min=None, max=None):
    for edge in (min, max):
        if isinstance(edge, Array) and edge.dtype.kind != x.dtype.kind and edge.dtype != x.dtype:
            raise TypeError("clip: bounds are of the array's kind")
    if min is None and max is None:
        return _ask("copy", x)
    low = None if min is None else _operand(min, x)
    high = None if max is None else _operand(max, x)
    r = _server.ask("call('clip', %s, %s, %s)" % (_lua(x), _lua(low), _lua(high)))
    return astype(r, x.dtype) if r.dtype != x.dtype else r


def where(condition, x1, x2, /):
    if not isinstance(x1, Array) and not isinstance(x2, Array):
        x1 = asarray(x1)
    x1 = _operand(x1, x2)
    return _call("where", condition, x1, _operand(x2, x1))


# ---- creation -------------------------------------------------------------------------------------------------------
def _flatten(v, shape, depth, out):
    if isinstance(v, (list, tuple)):
        if len(shape) <= depth:
            shape.append(len(v))
        if shape[depth] != len(v):
            raise ValueError("asarray: the lists are ragged")
        for x in v:
            _flatten(x, shape, depth + 1, out)
    else:
        out.append(v._item() if isinstance(v, Array) else v)


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    if isinstance(obj, Array):
        if dtype is not None and dtype != obj.dtype:
            if copy is False:
                raise ValueError("asarray: another dtype takes a copy")
            return astype(obj, dtype)
        return _ask("copy", obj) if copy else obj
    if copy is False:
        raise ValueError("asarray: a Python value takes a copy")
    if not isinstance(obj, (list, tuple, _bool, int, float, complex)):
        obj = memoryview(obj).tolist()
    shape, flat = [], []
    _flatten(obj, shape, 0, flat)
    if dtype is None:
        if _any(isinstance(v, complex) for v in flat):
            dtype = complex128
        elif not flat or _any(isinstance(v, float) for v in flat):
            dtype = float64
        elif _all(isinstance(v, _bool) for v in flat):
            dtype = _bool_dtype
        else:
            dtype = int64
            if _any(not -2**63 <= v < 2**63 for v in flat):
                if not _all(0 <= v < 2**64 for v in flat):
                    raise OverflowError("asarray: integers beyond 64 bits")
                dtype = uint64
    if dtype.kind == "f":
        flat = [float(v) for v in flat]
    elif dtype.kind == "c":
        flat = [complex(v) for v in flat]
    elif dtype.kind == "b":
        flat = [_bool(v) for v in flat]
    else:
        flat = [int(v) for v in flat]
    r = _server.ask("new({%s}, '%s', %s)" % (", ".join(map(_lua, flat)), dtype.name, _lua(shape)))
    r._flat = None
    return r


def _shape(shape):
    return tuple(shape) if isinstance(shape, (tuple, list)) else (int(shape),)


def _made(name, *args):
    return _ask("nd." + name, *args)


def zeros(shape, *, dtype=None, device=None):
    return _made("zeros", _shape(shape), dtype or float64)


def ones(shape, *, dtype=None, device=None):
    return _made("ones", _shape(shape), dtype or float64)


def empty(shape, *, dtype=None, device=None):
    return _made("empty", _shape(shape), dtype or float64)


def full(shape, fill_value, *, dtype=None, device=None):
    if dtype is None:
        kinds = ((_bool, _bool_dtype), (int, int64), (float, float64), (complex, complex128))
        dtype = next(d for t, d in kinds if isinstance(fill_value, t))
    return _made("full", _shape(shape), fill_value, dtype)


def zeros_like(x, /, *, dtype=None, device=None):
    return _made("zeros_like", x, dtype)


def ones_like(x, /, *, dtype=None, device=None):
    return _made("ones_like", x, dtype)


def empty_like(x, /, *, dtype=None, device=None):
    return _made("empty_like", x, dtype)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    return _made("full_like", x, fill_value, dtype)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    if stop is None:
        start, stop = 0, start
    return _made("arange", start, stop, step, dtype)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    if isinstance(start, complex) or isinstance(stop, complex):
        dtype = dtype or complex128
        k = arange(num, dtype=float64)
        last = num - 1 if endpoint else num
        r = astype(k, complex128) * ((stop - start) / (last or 1)) + complex(start)
        return astype(r, dtype)
    return _made("linspace", start, stop, num, endpoint, dtype)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    k = _min(_max(k, -2**63), 2**63 - 1)  # no integer of Lua's is beyond, and no diagonal
    return _made("eye", n_rows, n_rows if n_cols is None else n_cols, k, dtype or float64)


def tril(x, /, *, k=0):
    return _made("tril", x, k)


def triu(x, /, *, k=0):
    return _made("triu", x, k)


def meshgrid(*arrays, indexing="xy"):
    r = _made("meshgrid", *arrays, {"indexing": indexing})
    return [r] if isinstance(r, Array) else list(r or ())


# ---- dtypes ---------------------------------------------------------------------------------------------------------
def astype(x, dtype, /, *, copy=True, device=None):
    if x.dtype.kind == "c" and dtype.kind not in "c":
        raise TypeError("astype: complex numbers are not cast to %r" % (dtype,))
    if x.dtype == dtype:
        return _ask("copy", x) if copy else x
    return _ask("astype", x, dtype)


def can_cast(from_, to, /):
    return _made("can_cast", from_.dtype if isinstance(from_, Array) else from_, to)


class _Info:
    def __init__(self, fields):
        self.__dict__.update(fields)


def finfo(type, /):
    d = _made("finfo", type.dtype if isinstance(type, Array) else type)
    for k in ("eps", "max", "min", "smallest_normal"):
        d[k] = float(d[k])
    return _Info({**d, "dtype": _dtypes[d["dtype"]]})


def iinfo(type, /):
    d = _made("iinfo", type.dtype if isinstance(type, Array) else type)
    return _Info({**d, "max": d["max"] % 2**64 if d["dtype"] == "uint64" else d["max"], "dtype": _dtypes[d["dtype"]]})


def isdtype(dtype, kind):
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return _made("isdtype", dtype, list(kinds))


def result_type(*arrays_and_dtypes):
    held = [x for x in arrays_and_dtypes if isinstance(x, (Array, _DType))]
    if not held:
        raise TypeError("result_type: an array or a dtype is needed")
    out = []
    for x in arrays_and_dtypes:
        if isinstance(x, (Array, _DType)):
            out.append(x.dtype if isinstance(x, Array) else x)
    name = _made("result_type", *out)
    for x in arrays_and_dtypes:
        if isinstance(x, complex) and _dtypes[name].kind == "f":
            name = "complex64" if name == "float32" else "complex128"
    return _dtypes[name]


class __array_namespace_info__:
    def capabilities(self):
        return {**_made("__array_namespace_info__().capabilities")}

    def default_device(self):
        return "cpu"

    def devices(self):
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        return {k: _dtypes[v] for k, v in _made("__array_namespace_info__().default_dtypes").items()}

    def dtypes(self, *, device=None, kind=None):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        out = {}
        for k in kinds:
            out.update({n: _dtypes[n] for n in _made("__array_namespace_info__().dtypes", k)})
        return out


# ---- shapes ---------------------------------------------------------------------------------------------------------
def broadcast_to(x, /, shape):
    return _ask("keep", "broadcast_to", x, tuple(shape))


def broadcast_arrays(*arrays):
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return [broadcast_to(a, shape) for a in arrays]


def broadcast_shapes(*shapes):
    n = _max((len(s) for s in shapes), default=0)
    out = [1] * n
    for s in shapes:
        for i, d in enumerate(s, n - len(s)):
            if d != 1 and out[i] not in (1, d):
                raise ValueError("shapes do not fit: %r" % (shapes,))
            out[i] = d if d != 1 else out[i]
    return tuple(out)


def concat(arrays, /, *, axis=0):
    dtype = result_type(*arrays)
    arrays = [astype(a, dtype, copy=False) for a in arrays]
    if axis is None:
        arrays, axis = [reshape(a, (-1,)) for a in arrays], 0
    return _made("concatenate", arrays, axis)


def stack(arrays, /, *, axis=0):
    dtype = result_type(*arrays)
    return _made("stack", [astype(a, dtype, copy=False) for a in arrays], axis)


def unstack(x, /, *, axis=0):
    n = x.shape[axis]
    return tuple(x[(slice(None),) * (axis % x.ndim) + (i,)] for i in range(n))


def expand_dims(x, /, axis):
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise IndexError("expand_dims: axis %d is out of range" % axis)
    return _made("expand_dims", x, axis)


def flip(x, /, *, axis=None):
    return _made("flip", x, axis)


def moveaxis(x, source, destination, /):
    return _made("moveaxis", x, source, destination)


def permute_dims(x, /, axes):
    return _made("permute_dims", x, tuple(axes))


def repeat(x, repeats, /, *, axis=None):
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    return _made("repeat_", x, repeats, axis)


def reshape(x, /, shape, *, copy=None):
    r = _made("reshape", x, tuple(shape))
    return _ask("copy", r) if copy else r


def roll(x, /, shift, *, axis=None):
    if x.ndim == 0:
        return _ask("copy", x)
    return _made("roll", x, shift, axis)


def squeeze(x, /, axis):
    return _made("squeeze", x, axis)


def tile(x, repetitions, /):
    reps = tuple(repetitions)
    if x.ndim == 0 and not reps:
        return _ask("copy", x)
    return _ask("keep", "tile", x, reps)


def matrix_transpose(x, /):
    return _made("matrix_transpose", x)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    return _made("diff", x, {"axis": axis, "n": n, "prepend": prepend, "append": append})


# ---- statistics, searching, sorting ---------------------------------------------------------------------------------
def _reduce(name, x, **options):
    return _server.ask("reduce('%s', %s, %s)" % (name, _lua(x), _lua(options)))


def _statistic(name):
    def f(x, /, *, axis=None, keepdims=False):
        return _reduce(name, x, axis=axis, keepdims=keepdims)
    f.__name__ = name
    return f


def _total(name):
    def f(x, /, *, axis=None, dtype=None, keepdims=False):
        if dtype is None and x.dtype.kind in "iu":
            dtype = uint64 if x.dtype.kind == "u" else int64
        elif dtype is None:
            dtype = x.dtype
        return _reduce(name, x, axis=axis, dtype=dtype, keepdims=keepdims)
    f.__name__ = name
    return f


def _spread(name):
    def f(x, /, *, axis=None, correction=0.0, keepdims=False):
        return _reduce(name, x, axis=axis, correction=correction, keepdims=keepdims)
    f.__name__ = name
    return f


all, any, max, min, mean = (_statistic(n) for n in ("all", "any", "max", "min", "mean"))
sum, prod = _total("sum"), _total("prod")
std, var = _spread("std"), _spread("var")


def _position(name):
    def f(x, /, *, axis=None, keepdims=False):
        return _reduce(name, x, axis=axis, keepdims=keepdims)
    f.__name__ = name
    return f


argmax, argmin, count_nonzero = _position("argmax"), _position("argmin"), _position("count_nonzero")


def _running(name):
    def f(x, /, *, axis=None, dtype=None, include_initial=False):
        if dtype is None and x.dtype.kind in "iu":
            dtype = uint64 if x.dtype.kind == "u" else int64
        lone = x.ndim == 0
        r = _made(name, reshape(x, (1,)) if lone else x, axis, dtype, include_initial)
        return r
    f.__name__ = name
    return f


cumulative_sum, cumulative_prod = _running("cumulative_sum"), _running("cumulative_prod")


def nonzero(x, /):
    if x.ndim == 0:
        raise ValueError("nonzero: an array without dimensions has no positions")
    r = _made("nonzero", x)
    return (r,) if isinstance(r, Array) else r


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    if sorter is not None:
        x1 = take(x1, sorter)
    return _server.ask("call('searchsorted', %s, %s, {side = '%s'})" % (_lua(x1), _lua(x2), side)) if x2.ndim else \
        reshape(searchsorted(x1, reshape(x2, (1,)), side=side), ())


def sort(x, /, *, axis=-1, descending=False, stable=True):
    return _made("sort", x, {"axis": axis, "descending": descending})


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    return _made("argsort", x, {"axis": axis, "descending": descending, "kind": "stable" if stable else None})


def take(x, indices, /, *, axis=None):
    if axis is None and x.ndim != 1:
        raise ValueError("take: an axis is to be named")
    return _made("take", x, indices, 0 if axis is None else axis)


def take_along_axis(x, indices, /, *, axis=-1):
    return _made("take_along_axis", x, indices, axis)


class _Named(tuple):
    def __new__(cls, names, values):
        self = tuple.__new__(cls, values)
        for n, v in zip(names, values):
            setattr(self, n, v)
        return self


def unique_all(x, /):
    return _Named(("values", "indices", "inverse_indices", "counts"), _made("unique_all", x))


def unique_counts(x, /):
    return _Named(("values", "counts"), _made("unique_counts", x))


def unique_inverse(x, /):
    return _Named(("values", "inverse_indices"), _made("unique_inverse", x))


def unique_values(x, /):
    return _made("unique_values", x)


# ---- products -------------------------------------------------------------------------------------------------------
def matmul(x1, x2, /):
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("matmul: arrays without dimensions have no products")
    return _ask("matmul", x1, x2)


def vecdot(x1, x2, /, *, axis=-1):
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError("vecdot: lengths differ")
    return _ask("vecdot", x1, x2, axis)


def tensordot(x1, x2, /, *, axes=2):
    if not isinstance(axes, int):
        axes = [list(a) for a in axes]
    return _ask("tensordot", x1, x2, axes)


def _outer(x1, x2, /):
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError("outer: vectors are expected")
    return _made("outer", x1, x2)


class linalg:
    matmul, vecdot, tensordot, matrix_transpose, outer = (staticmethod(f) for f in (
        matmul, vecdot, tensordot, matrix_transpose, _outer))

    @staticmethod
    def cholesky(x, /, *, upper=False):
        return _made("linalg.cholesky", x, upper)

    @staticmethod
    def cross(x1, x2, /, *, axis=-1):
        if x1.shape[axis] != 3 or x2.shape[axis] != 3:
            raise ValueError("cross: vectors have three elements")
        r = _made("cross", moveaxis(x1, axis, -1), moveaxis(x2, axis, -1))
        return moveaxis(r, -1, axis)

    @staticmethod
    def det(x, /):
        return _ask("matrices", "linalg.det", x)

    @staticmethod
    def diagonal(x, /, *, offset=0):
        return _made("linalg.diagonal", x, offset)

    @staticmethod
    def eigh(x, /):
        return _Named(("eigenvalues", "eigenvectors"), _made("linalg.eigh", x))

    @staticmethod
    def eigvalsh(x, /):
        return _made("linalg.eigvalsh", x)

    @staticmethod
    def inv(x, /):
        return _made("linalg.inv", x)

    @staticmethod
    def matrix_norm(x, /, *, keepdims=False, ord="fro"):
        r = _server.ask("nd.linalg.matrix_norm(%s, true, %s)" % (_lua(x), _lua(float(ord) if not isinstance(
            ord, str) and ord in (inf, -inf) else ord)))
        return r if keepdims else reshape(r, x.shape[:-2])

    @staticmethod
    def matrix_power(x, n, /):
        return _made("linalg.matrix_power", x, n)

    @staticmethod
    def matrix_rank(x, /, *, rtol=None):
        return _ask("matrices", "linalg.matrix_rank", x)

    @staticmethod
    def pinv(x, /, *, rtol=None):
        return _made("linalg.pinv", x, float(rtol) if isinstance(rtol, Array) and rtol.ndim == 0 else rtol)

    @staticmethod
    def qr(x, /, *, mode="reduced"):
        return _Named(("Q", "R"), _made("linalg.qr", x, mode))

    @staticmethod
    def slogdet(x, /):
        return _Named(("sign", "logabsdet"), _ask("matrices", "linalg.slogdet", x))

    @staticmethod
    def solve(x1, x2, /):
        return _made("linalg.solve", x1, x2)

    @staticmethod
    def svd(x, /, *, full_matrices=True):
        return _Named(("U", "S", "Vh"), _made("linalg.svd", x, full_matrices))

    @staticmethod
    def svdvals(x, /):
        return _made("linalg.svdvals", x)

    @staticmethod
    def trace(x, /, *, offset=0, dtype=None):
        d = linalg.diagonal(x, offset=offset)
        return sum(d, axis=-1, dtype=dtype)

    @staticmethod
    def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
        if x.ndim == 0:
            x, axis = reshape(x, (1,)), 0
            keepdims = False
        r = _server.ask("vector_norm(%s, %s, %s, %s)" % (_lua(x), _lua(axis), _lua(keepdims), _lua(ord)))
        real = {complex64: float32, complex128: float64}.get(x.dtype, x.dtype)
        return astype(r, real, copy=False)


def _transform(name, several):
    if several:
        def f(x, /, *, s=None, axes=None, norm="backward"):
            return _made("fft." + name, x, s if s is None else tuple(s), axes if axes is None else tuple(axes), norm)
    else:
        def f(x, /, *, n=None, axis=-1, norm="backward"):
            return _made("fft." + name, x, n, axis, norm)
    return f


class fft:
    fft, ifft, rfft, irfft, hfft, ihfft = (staticmethod(_transform(n, False)) for n in (
        "fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
    fftn, ifftn, rfftn, irfftn = (staticmethod(_transform(n, True)) for n in ("fftn", "ifftn", "rfftn", "irfftn"))

    @staticmethod
    def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
        r = _made("fft.fftfreq", n, d)
        return astype(r, dtype) if dtype else r

    @staticmethod
    def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
        r = _made("fft.rfftfreq", n, d)
        return astype(r, dtype) if dtype else r

    @staticmethod
    def fftshift(x, /, *, axes=None):
        return _made("fft.fftshift", x, axes)

    @staticmethod
    def ifftshift(x, /, *, axes=None):
        return _made("fft.ifftshift", x, axes)


bool = _bool_dtype
