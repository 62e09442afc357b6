--- The names of the Python array API standard, version 2024.12, by the headings of its specification; of its extensions
-- `linalg` and `fft` the names are those of modules. `absent`: names that are not wanted, and why.
return {
  version = "2024.12",
  absent = { from_dlpack = "the exchange of memory between Python libraries" },
  constants = "e inf nan newaxis pi",
  creation = [[arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu
    zeros zeros_like]],
  dtypes = "astype can_cast finfo iinfo isdtype result_type",
  elementwise = [[abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert
    bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor
    floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp
    logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow
    real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc]],
  indexing = "take take_along_axis",
  inspection = "__array_namespace_info__",
  products = "matmul matrix_transpose tensordot vecdot",
  manipulation = [[broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll
    squeeze stack tile unstack]],
  searching = "argmax argmin count_nonzero nonzero searchsorted where",
  sets = "unique_all unique_counts unique_inverse unique_values",
  sorting = "argsort sort",
  statistics = "cumulative_prod cumulative_sum max mean min prod std sum var",
  utility = "all any diff",
  linalg = [[cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose
    outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm]],
  fft = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift",
}
