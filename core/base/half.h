/* half.h -- the conversions of half_all.h as functions. */
#ifndef TH_HALF_H
#define TH_HALF_H

#include <stdint.h>

#define u16 uint16_t
#define u32 uint32_t
#define i32 int32_t
#define f32 float
#define f64 double
#define FN(result, name, params, ...) static inline result name params __VA_ARGS__
#include "half_all.h"
#undef FN
#undef u16
#undef u32
#undef i32
#undef f32
#undef f64

#endif
