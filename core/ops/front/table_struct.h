/*
 * table_struct.h -- the public functions over structural operations: lines of the function table (see table.h for
 * the columns), and what their files share.
 */
#ifndef TH_FRONT_STRUCT_H
#define TH_FRONT_STRUCT_H

/* clang-format off */
/* shape.c */
#define FRONT_SHAPE(FRONT) \
    FRONT("shape", "x", NULL, FUNC, front_shape, "lengths of x as an int64 vector (x.shape)") \
    FRONT("size", "x, axis=None", NULL, FUNC, front_size, "number of elements of x (x.size), or its lengths along axis multiplied") \
    FRONT("reshape", "x, newshape, ndim=None", NULL, METHOD, front_reshape, "the elements of x in another shape; one entry may be -1") \
    FRONT("flatten", "x, ndim=1", NULL, METHOD, front_flatten, "x with its last dimensions merged so that ndim are left") \
    FRONT("ravel", "x", NULL, METHOD, front_flatten, "x as a vector") \
    FRONT("transpose", "x, *axes", NULL, METHOD, front_transpose, "x with its dimensions reversed, or in the order of axes") \
    FRONT("swapaxes", "y, axis1, axis2", NULL, METHOD, front_swapaxes, "y with two dimensions exchanged") \
    FRONT("shape_padleft", "t, n_ones=1", NULL, FUNC, front_shape_pad, "t with broadcastable dimensions put before its own") \
    FRONT("shape_padright", "t, n_ones=1", NULL, FUNC, front_shape_pad, "t with broadcastable dimensions put after its own") \
    FRONT("shape_padaxis", "t, axis", NULL, FUNC, front_shape_padaxis, "t with a broadcastable dimension put at axis") \
    FRONT("squeeze", "x, axis=None", NULL, METHOD, front_squeeze, "x without its broadcastable dimensions") \
    FRONT("addbroadcast", "x, *axes", NULL, FUNC, front_addbroadcast, "x with these dimensions promised to be 1 (checked when run)") \
    FRONT("unbroadcast", "x, *axes", NULL, FUNC, front_addbroadcast, "x with these dimensions no longer broadcastable") \
    FRONT("patternbroadcast", "x, broadcastable", NULL, FUNC, front_patternbroadcast, "x with exactly this broadcast pattern (checked when run)") \
    FRONT("specify_shape", "x, shape", NULL, FUNC, front_specify_shape, "x, raising when run unless it has this shape") \
    FRONT("tile", "x, reps, ndim=None", NULL, FUNC, front_tile, "x repeated reps[d] times along dimension d") \
    FRONT("repeat_", "x, repeats, axis=None", NULL, METHOD, front_repeat, "each element of x repeated along axis (flattened without axis)")

/* create.c */
#define FRONT_CREATE(FRONT) \
    FRONT("alloc", "value, *shape", NULL, FUNC, front_alloc, "value broadcast to a shape") \
    FRONT("zeros", "shape, dtype=None", NULL, FUNC, front_zeros, "zeros of a shape; dtype floatX by default") \
    FRONT("ones", "shape, dtype=None", NULL, FUNC, front_zeros, "ones of a shape; dtype floatX by default") \
    FRONT("zeros_like", "model, dtype=None, opt=False", NULL, METHOD, front_zeros_like, "zeros in the shape of model") \
    FRONT("ones_like", "model, dtype=None, opt=False", NULL, METHOD, front_zeros_like, "ones in the shape of model") \
    FRONT("arange", "start, stop=None, step=1, dtype=None", NULL, FUNC, front_arange, "start, start + step, .. below stop") \
    FRONT("eye", "n, m=None, k=0, dtype=None", NULL, FUNC, front_eye, "n x m matrix with ones on diagonal k") \
    FRONT("tri", "N, M=None, k=0, dtype=None", NULL, FUNC, front_eye, "N x M matrix with ones on and below diagonal k") \
    FRONT("identity_like", "x", NULL, FUNC, front_identity_like, "identity matrix in the shape of x") \
    FRONT("tril", "m, k=0", NULL, FUNC, front_tril, "m with zeros above diagonal k") \
    FRONT("triu", "m, k=0", NULL, FUNC, front_tril, "m with zeros below diagonal k")

/* index.c, inc.c. subtensor is x[index] and x:sub(..); its arguments are the entries of the subscript. */
#define FRONT_INDEX(FRONT) \
    FRONT("subtensor", "x, *index", NULL, FUNC, front_getitem, "part of x by integers, slices, ellipsis, newaxis, integer tensors") \
    FRONT("take", "a, indices, axis=None, mode=\"raise\"", NULL, METHOD, front_take, "elements of a along axis at integer positions") \
    FRONT("set_subtensor", "x, y, inplace=False, tolerate_inplace_aliasing=False", NULL, FUNC, front_set_subtensor, \
      "the tensor that x is a part of, with that part set to y") \
    FRONT("inc_subtensor", "x, y, inplace=False, set_instead_of_inc=False, tolerate_inplace_aliasing=False", NULL, FUNC, \
      front_inc_subtensor, "the tensor that x is a part of, with that part increased by y")

/* join.c */
#define FRONT_JOIN(FRONT) \
    FRONT("join", "axis, *tensors_list", NULL, FUNC, front_join, "tensors one after the other along axis") \
    FRONT("concatenate", "tensor_list, axis=0, dtype=None", NULL, FUNC, front_concatenate, "tensors one after the other along axis (None: flattened), of dtype") \
    FRONT("stack", "tensors, axis=0, dtype=None", NULL, FUNC, front_stack, "tensors one above the other along a new axis, of dtype") \
    FRONT("split", "x, splits_size, n_splits, axis=0", NULL, FUNC, front_split, "consecutive parts of x along axis: n_splits results") \
    FRONT("horizontal_stack", "*args", NULL, FUNC, front_hstack, "matrices side by side") \
    FRONT("vertical_stack", "*args", NULL, FUNC, front_hstack, "matrices one above the other") \
    FRONT("dot", "a, b", NULL, METHOD, front_dot, "product of vectors, matrices, tensors") \
    FRONT("tensordot", "a, b, axes=2", NULL, FUNC, front_tensordot, "sum of products over some axes of a and b") \
    FRONT("outer", "x, y", NULL, FUNC, front_outer, "matrix of the products of the elements of x and y")

/* nnet.c */
#define FRONT_NNET(FRONT) \
    FRONT("nnet.softmax", "c, axis=None", NULL, FUNC, front_softmax, "exp(c) / sum(exp(c)) along axis (each row by default)") \
    FRONT("nnet.logsoftmax", "c, axis=None", NULL, FUNC, front_softmax, "log of the softmax along axis (each row by default)") \
    FRONT("nnet.softmax_with_bias", "x, b", NULL, FUNC, front_softmax_with_bias, "softmax of x + b, b added to each row") \
    FRONT("nnet.softmax_graph", "c", NULL, FUNC, front_softmax_graph, "softmax written with exp and sum") \
    FRONT("nnet.ctc", "activations, labels, input_lengths", NULL, FUNC, front_ctc, \
      "cost of each sequence of labels under activations (time, sequence, class), over all alignments with blanks (class 0)") \
    FRONT("nnet.softsign", "x", NULL, FUNC, front_softsign, "x / (1 + |x|)") \
    FRONT("nnet.categorical_crossentropy", "coding_dist, true_dist", NULL, FUNC, front_categorical_crossentropy, \
      "cross-entropy of rows against distributions or class numbers") \
    FRONT("nnet.crossentropy_categorical_1hot", "coding_dist, true_one_of_n", NULL, FUNC, front_categorical_1hot, \
      "-log of the probability of each row's class") \
    FRONT("nnet.crossentropy_softmax_1hot", "x, y_idx", NULL, FUNC, front_xent_softmax, "loss and softmax of rows against class numbers") \
    FRONT("nnet.crossentropy_softmax_1hot_with_bias", "x, b, y_idx", NULL, FUNC, front_xent_softmax_bias, \
      "loss and softmax of x + b against class numbers") \
    FRONT("nnet.crossentropy_softmax_argmax_1hot_with_bias", "x, b, y_idx", NULL, FUNC, front_xent_softmax_bias, \
      "loss, softmax and argmax of x + b against class numbers") \
    FRONT("nnet.crossentropy_softmax_max_and_argmax_1hot", "x, y_idx", NULL, FUNC, front_xent_softmax, \
      "loss, softmax, row maximum and argmax against class numbers") \
    FRONT("nnet.crossentropy_softmax_max_and_argmax_1hot_with_bias", "x, b, y_idx", NULL, FUNC, front_xent_softmax_bias, \
      "loss, softmax, row maximum and argmax of x + b against class numbers")

/* grad.c */
#define FRONT_GRAD(FRONT) \
    FRONT("remat", "x", NULL, METHOD, front_remat, "x, recomputed for its later users (gradients) instead of kept in memory") \
    FRONT("transfer", "x, target=None", NULL, METHOD, front_transfer, \
      "x in another memory, \"cpu\", \"gpu\", \"cuda\", \"cuda0\": its value; a result goes where the last transfer says") \
    FRONT("gradient.disconnected_grad", "x", NULL, FUNC, front_grad_view, "x, for gradients a constant: disconnected from what it is made of") \
    FRONT("gradient.zero_grad", "x", NULL, FUNC, front_grad_view, "x, whose gradient is zero (but connected)") \
    FRONT("gradient.undefined_grad", "x", NULL, FUNC, front_grad_view, "x, through which no gradient is defined: grad raises") \
    FRONT("gradient.grad_clip", "x, lower_bound, upper_bound", NULL, FUNC, front_grad_clip, "x, whose gradient is clipped to an interval") \
    FRONT("gradient.grad_scale", "x, multiplier", NULL, FUNC, front_grad_scale, "x, whose gradient is multiplied by a number")
/* clang-format on */

#define FRONT_STRUCT(FRONT) \
    FRONT_SHAPE(FRONT) FRONT_CREATE(FRONT) FRONT_INDEX(FRONT) FRONT_JOIN(FRONT) FRONT_NNET(FRONT) FRONT_GRAD(FRONT)

#endif
