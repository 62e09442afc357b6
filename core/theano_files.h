/*
 * theano_files.h -- bytes in a file, for pages, pictures and the like; beside theano.h, which it includes. The rules of
 * theano.h hold.
 */
#ifndef THEANO_FILES_H
#define THEANO_FILES_H

#include "theano.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a file as all savers do: what stood there is replaced when the new one is whole, which has its owner and
 * rights; links are followed, devices and pipes written in place. Nonzero: IOError. */
TH_API int th_save_bytes(ThContext *c, const char *path, const void *bytes, size_t n);

#ifdef __cplusplus
}
#endif

#endif
