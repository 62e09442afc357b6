/*
 * table_image.h -- the public functions over images: lines of the function table (see table.h for the columns).
 * Those written with these and others are in lua/theano/images.lua.
 */
#ifndef TH_FRONT_IMAGE_H
#define TH_FRONT_IMAGE_H

/* clang-format off */
/* conv.c */
#define FRONT_CONV(FRONT) \
    FRONT("nnet.conv2d", "input, filters, input_shape=None, filter_shape=None, border_mode=\"valid\", subsample=None, filter_flip=True, " \
      "image_shape=None, filter_dilation=None, num_groups=1, unshared=False", NULL, FUNC, front_conv, \
      "convolution of images (batch, channels, rows, columns) with filters (filters, channels, rows, columns)") \
    FRONT("nnet.conv3d", "input, filters, input_shape=None, filter_shape=None, border_mode=\"valid\", subsample=None, filter_flip=True, " \
      "filter_dilation=None, num_groups=1", NULL, FUNC, front_conv, "convolution over three dimensions: (batch, channels, depth, rows, columns)") \
    FRONT("nnet.abstract_conv.conv2d_grad_wrt_inputs", "output_grad, filters, input_shape, filter_shape=None, border_mode=\"valid\", " \
      "subsample=None, filter_flip=True, filter_dilation=None, num_groups=1, unshared=False", NULL, FUNC, front_conv_grad_inputs, \
      "gradient of conv2d for its images, from the gradient of its result") \
    FRONT("nnet.abstract_conv.conv3d_grad_wrt_inputs", "output_grad, filters, input_shape, filter_shape=None, border_mode=\"valid\", " \
      "subsample=None, filter_flip=True, filter_dilation=None, num_groups=1", NULL, FUNC, front_conv_grad_inputs, \
      "gradient of conv3d for its images, from the gradient of its result") \
    FRONT("nnet.abstract_conv.conv2d_grad_wrt_weights", "input, output_grad, filter_shape, input_shape=None, border_mode=\"valid\", " \
      "subsample=None, filter_flip=True, filter_dilation=None, num_groups=1, unshared=False", NULL, FUNC, front_conv_grad_weights, \
      "gradient of conv2d for its filters, from the gradient of its result") \
    FRONT("nnet.abstract_conv.conv3d_grad_wrt_weights", "input, output_grad, filter_shape, input_shape=None, border_mode=\"valid\", " \
      "subsample=None, filter_flip=True, filter_dilation=None, num_groups=1", NULL, FUNC, front_conv_grad_weights, \
      "gradient of conv3d for its filters, from the gradient of its result") \
    FRONT("nnet.conv2d_transpose", "input, filters, output_shape, filter_shape=None, border_mode=\"valid\", input_dilation=None, " \
      "filter_flip=True, filter_dilation=None, num_groups=1, unshared=False", NULL, FUNC, front_conv_grad_inputs, \
      "what conv2d maps to input: a convolution that makes images larger")

/* pool.c */
#define FRONT_POOL(FRONT) \
    FRONT("signal.pool.pool_2d", "input, ws=None, ignore_border=None, stride=None, pad=None, mode=\"max\", ds=None, st=None, padding=None", NULL, FUNC, \
      front_pool, "maximum, sum or mean (\"max\", \"sum\", \"average_inc_pad\", \"average_exc_pad\") of windows over the last two dimensions") \
    FRONT("signal.pool.pool_3d", "input, ws=None, ignore_border=None, stride=None, pad=None, mode=\"max\", ds=None, st=None, padding=None", NULL, FUNC, \
      front_pool, "maximum, sum or mean of windows over the last three dimensions") \
    FRONT("signal.pool.max_pool_2d_same_size", "input, patch_size", NULL, FUNC, front_pool_same_size, \
      "input where it is the maximum of its patch, else 0") \
    FRONT("nnet.neighbours.images2neibs", "ten4, neib_shape, neib_step=None, mode=\"valid\"", NULL, FUNC, front_images2neibs, \
      "patches of images (batch, channels, rows, columns) as rows of a matrix")
/* clang-format on */

#define FRONT_IMAGE(FRONT) FRONT_CONV(FRONT) FRONT_POOL(FRONT)

#endif
