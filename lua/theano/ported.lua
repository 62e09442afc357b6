--- NumPy's functions and what they are here: all public functions of NumPy 2.4, those that are spelled otherwise, and
-- what is not wanted, with the reason that errors give. scripts/make-numpy-page writes docs/numpy.md from it.
-- @module theano.ported
local DATES = "dates and spans of time are not wanted: count them in integers"
local MATRIX = "matrices of a class of their own are not wanted: arrays of two dimensions, `nd.matmul` multiplies"
local RECORDS = "records and arrays of objects are not wanted: a table of arrays by name holds columns"
local ERRORS = "floating point raises nothing here: results are infinities and NaN, which modes look for (NanGuardMode)"
local TEXTS = "arrays of texts are not wanted: tables hold texts"
local PYTHON = "it is about NumPy's own Python"
local LETTERS = "letters and classes of dtypes are not used: a dtype is its name, `\"float32\"`"
local SUBSCRIPTS = "subscripts are texts, numbers and tables: `a[\"1:, ::-1\"]`, `a[{ 0, T.slice(1, n) }]`"
local POLYNOMIAL = "polynomials are arrays of coefficients, `nd.polyval`, `nd.polyfit`, `nd.roots` .., or series, "
  .. "`nd.polynomial.Polynomial`"

local unwanted = {
  busday_count = DATES, busday_offset = DATES, is_busday = DATES, busdaycalendar = DATES, datetime_as_string = DATES,
  datetime_data = DATES, isnat = DATES, datetime64 = DATES, timedelta64 = DATES,
  asmatrix = MATRIX, bmat = MATRIX, matrix = MATRIX,
  recarray = RECORDS, record = RECORDS, rec = RECORDS, object_ = RECORDS, void = RECORDS,
  char = TEXTS, strings = TEXTS, str_ = TEXTS, bytes_ = TEXTS,
  ma = "masked arrays are not wanted: the functions `nd.nansum`, .. leave NaN out, and masks are subscripts",
  seterr = ERRORS, geterr = ERRORS, seterrcall = ERRORS, geterrcall = ERRORS, errstate = ERRORS,
  setbufsize = ERRORS, getbufsize = ERRORS,
  nested_iters = "there are no iterators over elements: functions of whole arrays and compiled loops are faster",
  nditer = "there are no iterators over elements: functions of whole arrays and compiled loops are faster",
  frompyfunc = "arrays of objects are not wanted: `nd.vectorize` calls a function for each element",
  asfortranarray = "arrays are made in row-major order: `a.T` is a view in the other one",
  require = "it is a word of Lua's: `nd.ascontiguousarray`, `nd.array(a, dtype)` and `a:copy()` make what is asked for",
  from_dlpack = "it is `theano.from_dlpack`, beside `theano.to_dlpack`: addresses are no arrays",
  fromregex = "Lua's own patterns read texts: `string.gmatch`, then `nd.array`",
  einsum_path = "`nd.einsum` finds the order by itself",
  mintypecode = LETTERS, typename = LETTERS,
  c_ = "`nd.column_stack` and `nd.concatenate` put arrays together", r_ = "`nd.concatenate` puts arrays together",
  s_ = SUBSCRIPTS, index_exp = SUBSCRIPTS,
  ndenumerate = "two loops over `a.shape`, or `nd.argwhere(nd.ones(a.shape))`: functions of whole arrays are faster",
  ndindex = "two loops over lengths, or `nd.argwhere(nd.ones(shape))`: functions of whole arrays are faster",
  flatiter = "`a:ravel()` is the flat array", broadcast = "`nd.broadcast_arrays` and `nd.broadcast_shapes`",
  poly1d = POLYNOMIAL,
  memmap = "`nd.load(path, {mmap = true})` maps a .npy file, `nd.writer` writes one larger than memory",
  lib = "`nd.sliding_window_view(x, n)` is its best known function; the rest is about NumPy's own memory",
  emath = "of complex numbers functions are complex: `nd.sqrt(nd.asarray(x):astype(\"complex128\"))`",
  testing = "`nd.allclose` and `nd.array_equal` compare", typing = PYTHON, ctypeslib = PYTHON, exceptions = PYTHON,
  f2py = PYTHON, core = PYTHON, sctypeDict = LETTERS, typecodes = LETTERS, ScalarType = LETTERS,
  get_include = PYTHON, info = PYTHON, show_config = PYTHON, show_runtime = PYTHON, test = PYTHON,
}

local FORMATS = "the formats are csr and csc, the engine's, and coo on the way to them: `x:asformat(\"csr\")`"
local CLASSES = "there are no classes of matrices: `nd.sparse.issparse(x)` and `x.format` tell what x is"
local INDICES = "indices are int32, which the engine chooses"
local SILENT = "nothing warns: what is slow is refused by name"
local TWO = "sparse matrices have two dimensions"
-- Of scipy.sparse: what stands for what is not there.
local ABSENT = {
  SparseWarning = SILENT, SparseEfficiencyWarning = SILENT, sparray = CLASSES, spmatrix = CLASSES,
  get_index_dtype = INDICES, safely_cast_index_arrays = INDICES, expand_dims = TWO,
}
for _, format in ipairs({ "bsr", "dia", "dok", "lil" }) do
  ABSENT[format .. "_array"], ABSENT[format .. "_matrix"] = FORMATS, FORMATS
end

-- Of arrays alone: why not in graphs.
local WRITES = "nothing is written in graphs: `T.set_subtensor(x[i], v)` is x with v there"
local TEXT = "texts are made of values: `theano.printing` shows graphs"
local FILE = "files hold values: functions take what `nd` reads"
local MEMORY = "where a Variable's elements lie is decided when a function is compiled"
local arrays_only = {
  copyto = WRITES,
  array2string = TEXT, array_repr = TEXT, array_str = TEXT, base_repr = TEXT, binary_repr = TEXT,
  format_float_positional = TEXT, format_float_scientific = TEXT, get_printoptions = TEXT, set_printoptions = TEXT,
  printoptions = TEXT,
  frombuffer = FILE, fromfile = FILE, fromiter = FILE, fromstring = FILE, genfromtxt = FILE, load = FILE,
  loadtxt = FILE, save = FILE, savetxt = FILE, savez = FILE, savez_compressed = FILE,
  ascontiguousarray = MEMORY, isfortran = MEMORY, may_share_memory = MEMORY, shares_memory = MEMORY,
  array = "`T.constant` takes values, `T.asarray` Variables too",
  array_equiv = "types say what broadcasts: `T.all(T.eq(x, y))`",
  iterable = "`x.ndim > 0`",
  asarray_chkfinite = "`T.opt.assert_op(x, T.all(T.isfinite(x)))`",
  real_if_close = "the dtype would follow from values",
}

-- Spelled otherwise: what stands in its place.
local other = {
  ["repeat"] = "`nd.repeat_`, `nd[\"repeat\"]` (a word of Lua's)",
  array_repr = "`nd.array_repr`, `tostring(a)` for `str`",
  fromfunction = "`nd.fromfunction` (positions count from 0)",
  load = "`nd.load`, also for .npz, .safetensors and text",
  printoptions = "`local _ <close> = nd.printoptions { .. }`",
  shape = "`a.shape`, a Lua sequence; `nd.shape(a)` as an array",
  size = "`a.size`, `nd.size(a)`",
  asarray = "`nd.asarray`, in graphs `T.asarray`",
}

-- Attributes and methods of NumPy's arrays that are none here, and no functions of nd either.
local attributes = {
  base = "`nd.shares_memory(a, b)` tells whether two see the same memory", byteswap = LETTERS, ctypes = PYTHON,
  data = "`a:bytes()` is a copy of the memory, `theano.to_dlpack` lends it", dump = "`nd.save(path, a)`",
  dumps = "`a:bytes()`", flat = "`a:ravel()` is the flat array", getfield = RECORDS, setfield = RECORDS,
  setflags = "`a.flags.writeable = false` protects it",
  view = "`a:astype(dtype)` converts; bytes as another dtype: `nd.frombuffer(a:bytes(), dtype)`",
}

-- The methods of elementwise functions, where F is one of nd's of two arrays: what is written, and what in graphs.
local methods = {
  { "at", "a, indices, values", "elements of a there become F of themselves and of values, one after the other",
    "`T.inc_subtensor(a[i], v)` for "
    .. "`add`, else `T.set_subtensor` with what is computed" },
  { "reduce", "a, axis=0, dtype, keepdims, initial, where", "F between all elements along axes (`nd.none`: all); "
    .. "`nd.sum`, `nd.prod`, `nd.max`, `nd.min`, `nd.all`, `nd.any` are those of add, multiply, maximum, minimum, "
    .. "logical_and, logical_or", "`T.sum`, `T.prod`, `T.max`, `T.min`, `T.all`, `T.any`; `theano.reduce`" },
  { "accumulate", "a, axis=0, dtype", "the same up to each element; `nd.cumsum` and `nd.cumprod` are those of add and "
    .. "multiply", "`T.cumsum`, `T.cumprod`; `theano.scan`" },
  { "reduceat", "a, indices, axis=0, dtype", "reduce of the part from each position to the next one, or of one element "
    .. "where the next is no later", "`T.cumsum`, and differences of its elements" },
  { "outer", "a, b", "F of each element of a with each of b", "`F(T.expand_dims(a, 1), b)` of vectors" },
}

-- Dtypes are texts.
for name in ([[bool_ byte cdouble character clongdouble complex256 complexfloating csingle double dtype dtypes flexible
  float128 floating generic half inexact int_ intc integer intp little_endian long longdouble longlong ndarray number
  short signedinteger single ubyte uint uintc uintp ulong ulonglong unsignedinteger
  ushort]]):gmatch("%S+") do unwanted[name] = LETTERS end

return {
  sparse = ABSENT,
  unwanted = unwanted,
  methods = methods,
  attributes = attributes,
  arrays_only = arrays_only,
  other = other,
  functions = [[
    abs absolute acos acosh add all allclose amax amin angle any append apply_along_axis apply_over_axes arange
    arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array
    array2string array_equal array_equiv array_repr array_split array_str asanyarray asarray asarray_chkfinite
    ascontiguousarray asfortranarray asin asinh asmatrix astype atan atan2 atanh atleast_1d atleast_2d atleast_3d
    average bartlett base_repr binary_repr bincount bitwise_and bitwise_count bitwise_invert bitwise_left_shift
    bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman block bmat broadcast_arrays broadcast_shapes
    broadcast_to busday_count busday_offset can_cast cbrt ceil choose clip column_stack common_type compress
    concat concatenate conj conjugate convolve copy copysign copyto corrcoef correlate cos cosh count_nonzero cov
    cross cumprod cumsum cumulative_prod cumulative_sum datetime_as_string datetime_data deg2rad degrees delete
    diag diag_indices diag_indices_from diagflat diagonal diff digitize divide divmod dot dsplit dstack ediff1d
    einsum einsum_path empty empty_like equal exp exp2 expand_dims expm1 extract eye fabs fill_diagonal fix
    flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin fmod format_float_positional
    format_float_scientific frexp from_dlpack frombuffer fromfile fromfunction fromiter frompyfunc fromregex
    fromstring full full_like gcd genfromtxt geomspace get_include get_printoptions getbufsize geterr geterrcall
    gradient greater greater_equal hamming hanning heaviside histogram histogram2d histogram_bin_edges
    histogramdd hsplit hstack hypot i0 identity imag indices info inner insert interp intersect1d invert
    is_busday isclose iscomplex iscomplexobj isdtype isfinite isfortran isin isinf isnan isnat isneginf isposinf
    isreal isrealobj isscalar issubdtype iterable ix_ kaiser kron lcm ldexp left_shift less less_equal lexsort
    linspace load loadtxt log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
    logical_xor logspace mask_indices matmul matrix_transpose matvec max maximum may_share_memory mean median
    meshgrid min min_scalar_type minimum mintypecode mod modf moveaxis multiply nan_to_num nanargmax nanargmin
    nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar
    ndim negative nested_iters nextafter nonzero not_equal ones ones_like outer packbits pad partition percentile
    permute_dims piecewise place poly polyadd polyder polydiv polyfit polyint polymul polysub polyval positive
    pow power printoptions prod promote_types ptp put put_along_axis putmask quantile rad2deg radians ravel
    ravel_multi_index real real_if_close reciprocal remainder repeat require reshape resize result_type
    right_shift rint roll rollaxis roots rot90 round row_stack save savetxt savez savez_compressed searchsorted
    select set_printoptions setbufsize setdiff1d seterr seterrcall setxor1d shape shares_memory show_config
    show_runtime sign signbit sin sinc sinh size sort sort_complex spacing split sqrt square squeeze stack std
    subtract sum swapaxes take take_along_axis tan tanh tensordot test tile trace transpose trapezoid tri tril
    tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc typename
    union1d unique unique_all unique_counts unique_inverse unique_values unpackbits unravel_index unstack unwrap
    vander var vdot vecdot vecmat vsplit vstack where zeros zeros_like
  ]],
}
