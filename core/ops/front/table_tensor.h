/*
 * table_tensor.h -- lines of the function table (see table.h) for diagonals, batched products, ordering,
 * searching, positions, and the helpers that Theano keeps in extra_ops: those have both names.
 */
#ifndef TH_FRONT_TENSOR_H
#define TH_FRONT_TENSOR_H

#define FRONT_EXTRA(FRONT, name, sig, method, fn, doc) \
    FRONT(name, sig, NULL, method, fn, doc) FRONT("extra_ops." name, sig, NULL, FUNC, fn, doc)

/* clang-format off */
/* diag.c */
#define FRONT_DIAG(FRONT) \
    FRONT("diag", "v, k=0", NULL, FUNC, front_diag, "diagonal k of a matrix, or the matrix with vector v on diagonal k") \
    FRONT("diagonal", "a, offset=0, axis1=0, axis2=1", NULL, METHOD, front_diagonal, "diagonal of two axes of a, as the last axis") \
    FRONT("trace", "X", NULL, METHOD, front_trace, "sum of the main diagonal of a matrix") \
    FRONT("nlinalg.trace", "X", NULL, FUNC, front_trace, "sum of the main diagonal of a matrix, of each of many") \
    FRONT("nlinalg.diag", "X", NULL, FUNC, front_linalg_diag, "diagonal of a matrix, or the diagonal matrix of a vector") \
    FRONT("nlinalg.extract_diag", "x", NULL, FUNC, front_linalg_diag, "main diagonal of a matrix, of each of many") \
    FRONT("nlinalg.alloc_diag", "x", NULL, FUNC, front_linalg_diag, "matrix with vector x on its diagonal; many of many vectors") \
    FRONT_EXTRA(FRONT, "fill_diagonal", "a, val", FUNC, front_fill_diagonal, "a with its main diagonal set to val") \
    FRONT_EXTRA(FRONT, "fill_diagonal_offset", "a, val, offset", FUNC, front_fill_diagonal_offset, "matrix a with diagonal `offset` set to val")

/* einsum.c */
#define FRONT_EINSUM(FRONT) \
    FRONT("einsum", "subscripts, *operands", NULL, FUNC, front_einsum, \
      "sums of products over labelled dimensions, \"ij,jk->ik\": labels that the output lacks are summed, a label twice in an operand is its diagonal, \"...\" stands for other dimensions; or each operand is followed by a list of numbers as its labels")

/* order.c */
#define FRONT_ORDER(FRONT) \
    FRONT("sort", "self, axis=-1, kind=\"quicksort\", order=None, descending=False, stable=True", NULL, METHOD, front_sort, "elements along axis in ascending order, NaN last (None: flattened)") \
    FRONT("argsort", "self, axis=-1, kind=\"quicksort\", order=None, descending=False, stable=True", NULL, METHOD, front_sort, "positions of the elements along axis in ascending order; equal ones stay in order") \
    FRONT("topk", "x, kth, axis=-1, sorted=True, idx_dtype=\"int64\"", NULL, FUNC, front_topk, "the kth > 0 largest or -kth smallest elements along axis, the extreme ones first") \
    FRONT("argtopk", "x, kth, axis=-1, sorted=True, idx_dtype=\"int64\"", NULL, FUNC, front_topk, "positions of the elements that topk gives") \
    FRONT("topk_and_argtopk", "x, kth, axis=-1, sorted=True, idx_dtype=\"int64\"", NULL, FUNC, front_topk, "both, as two results") \
    FRONT_EXTRA(FRONT, "searchsorted", "x, v, side=\"left\", sorter=None", METHOD, front_searchsorted, "where elements of v go into the sorted vector x") \
    FRONT_EXTRA(FRONT, "unique", "ar, return_index=False, return_inverse=False, return_counts=False, axis=None, sorted=True, equal_nan=True", FUNC, front_unique, "distinct elements in ascending order, and as asked: first positions, inverse, counts") \
    FRONT_EXTRA(FRONT, "cumsum", "x, axis=None, dtype=None", METHOD, front_cumulate, "running sums along axis (None: flattened)") \
    FRONT_EXTRA(FRONT, "cumprod", "x, axis=None, dtype=None", METHOD, front_cumulate, "running products along axis (None: flattened)") \
    FRONT_EXTRA(FRONT, "diff", "x, n=1, axis=-1, prepend=None, append=None", FUNC, front_diff, "differences of neighbours along axis, n times; of prepend, x, append behind each other") \
    FRONT_EXTRA(FRONT, "bincount", "x, weights=None, minlength=None, assert_nonneg=False", FUNC, front_bincount, "how often each value 0, 1, .. occurs in the vector x, or the sum of its weights") \
    FRONT("smallest", "*args", NULL, FUNC, front_smallest, "elementwise smallest of the arguments") \
    FRONT("largest", "*args", NULL, FUNC, front_smallest, "elementwise largest of the arguments")

/* position.c */
#define FRONT_POSITION(FRONT) \
    FRONT("nonzero", "a, return_matrix=False", NULL, METHOD, front_nonzero, "positions of the nonzero elements: a vector for each dimension, or the rows of a matrix") \
    FRONT("flatnonzero", "a", NULL, FUNC, front_flatnonzero, "positions of the nonzero elements of the flattened a") \
    FRONT("nonzero_values", "a", NULL, METHOD, front_nonzero_values, "the nonzero elements as a vector") \
    FRONT_EXTRA(FRONT, "compress", "condition, x, axis=None", FUNC, front_compress, "slices of x along axis where the vector condition is nonzero") \
    FRONT("choose", "a, choices, out=None, mode=\"raise\"", NULL, METHOD, front_choose, "element of choices[a] at each place of a") \
    FRONT("roll", "x, shift, axis=None", NULL, FUNC, front_roll, "elements moved by shift along axis, or along each of a list of axes (None: flattened); those past the end come first") \
    FRONT_EXTRA(FRONT, "to_one_hot", "y, nb_class, dtype=None", FUNC, front_to_one_hot, "matrix with a 1 at column y[i] of row i") \
    FRONT_EXTRA(FRONT, "ravel_multi_index", "multi_index, dims, mode=\"raise\", order=\"C\"", FUNC, front_ravel_index, "positions in the flattened tensor of lengths dims") \
    FRONT_EXTRA(FRONT, "unravel_index", "indices, dims, order=\"C\", ndim=None", FUNC, front_unravel_index, "coordinates of positions in the flattened tensor of lengths dims, one result each") \
    FRONT("inverse_permutation", "perm", NULL, FUNC, front_inverse_permutation, "permutation that undoes perm (each row of it)") \
    FRONT("permute_row_elements", "x, y, inverse=False", NULL, FUNC, front_permute_rows, "rows of x in the order of the rows of y, or the inverse") \
    FRONT("moveaxis", "a, source, destination", NULL, FUNC, front_moveaxis, "a with axes moved to other places") \
    FRONT("stacklists", "arg", NULL, FUNC, front_stacklists, "nested lists of tensors stacked into one tensor") \
    FRONT_EXTRA(FRONT, "bartlett", "M", FUNC, front_bartlett, "triangular window of M points") \
    FRONT("cov", "m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None", NULL, FUNC, front_cov, "covariance matrix of variables in rows (or columns)") \
    FRONT("opt.assert_op", "value, *conds, msg=\"Theano Assert failed!\", kind=\"AssertionError\"", NULL, FUNC, front_assert, "value, raising an error of that kind with msg while running unless all conditions hold")

/* fft.c */
#define FRONT_FFT(FRONT) \
    FRONT("fft.rfft", "inp, norm=None", NULL, FUNC, front_rfft, "Fourier transforms of real numbers (m, .., n) over all dimensions but the first, as pairs (m, .., n//2+1, 2); norm \"ortho\": divided by the root of the lengths' product") \
    FRONT("fft.irfft", "inp, norm=None, is_odd=False", NULL, FUNC, front_rfft, "what rfft undoes: real numbers (m, .., n) from pairs (m, .., n//2+1, 2), divided by the lengths' product (norm \"ortho\": its root, \"no_norm\": by nothing)") \
    FRONT("fft.rfft_op", "a, s=None", NULL, FUNC, front_rfft_op, "RFFTOp: rfft that is not scaled, with the lengths s of all dimensions but the first") \
    FRONT("fft.irfft_op", "a, s=None", NULL, FUNC, front_rfft_op, "IRFFTOp: irfft that is not scaled, with the lengths s of the result but the first") \
    FRONT("fft.fft", "a, n=None, axis=-1, norm=None", NULL, FUNC, front_dft, "Fourier transform along an axis, complex; n: lines are cut to it or followed by zeros; norm \"backward\", \"ortho\" or \"forward\"") \
    FRONT("fft.ifft", "a, n=None, axis=-1, norm=None", NULL, FUNC, front_dft, "inverse of fft") \
    FRONT("fft.fft2", "a, s=None, axes=None, norm=None", NULL, FUNC, front_dft, "Fourier transform along two axes, the last ones") \
    FRONT("fft.ifft2", "a, s=None, axes=None, norm=None", NULL, FUNC, front_dft, "inverse of fft2") \
    FRONT("fft.fftn", "a, s=None, axes=None, norm=None", NULL, FUNC, front_dft, "Fourier transform along axes (None: all), with lengths s") \
    FRONT("fft.ifftn", "a, s=None, axes=None, norm=None", NULL, FUNC, front_dft, "inverse of fftn") \
    FRONT("fft.rfft2", "a, s=None, axes=None, norm=None", NULL, FUNC, front_dft, "rfftn along two axes, the last ones") \
    FRONT("fft.irfft2", "a, s=None, axes=None, norm=None", NULL, FUNC, front_dft, "irfftn along two axes, the last ones") \
    FRONT("fft.rfftn", "a, s=None, axes=None, norm=None", NULL, FUNC, front_dft, "fftn of real numbers, complex: the first n//2+1 along the last of the axes") \
    FRONT("fft.irfftn", "a, s=None, axes=None, norm=None", NULL, FUNC, front_dft, "inverse of rfftn, real; the last length is even unless s says otherwise") \
    FRONT("fft.hfft", "a, n=None, axis=-1, norm=None", NULL, FUNC, front_dft, "the real Fourier transform of numbers whose second half is the conjugate of the first, which is given") \
    FRONT("fft.ihfft", "a, n=None, axis=-1, norm=None", NULL, FUNC, front_dft, "inverse of hfft") \
    FRONT("fft.fftfreq", "n, d=1.0", NULL, FUNC, front_fftfreq, "frequencies of the n elements of fft, for samples d apart") \
    FRONT("fft.rfftfreq", "n, d=1.0", NULL, FUNC, front_fftfreq, "frequencies of the n//2+1 elements of a half") \
    FRONT("fft.fftshift", "x, axes=None", NULL, FUNC, front_fftshift, "frequency 0 moved to the middle of each axis (None: all)") \
    FRONT("fft.ifftshift", "x, axes=None", NULL, FUNC, front_fftshift, "inverse of fftshift")
/* clang-format on */

#define FRONT_TENSOR(FRONT) \
    FRONT_FFT(FRONT) FRONT_DIAG(FRONT) FRONT_EINSUM(FRONT) FRONT_ORDER(FRONT) FRONT_POSITION(FRONT)

#endif
