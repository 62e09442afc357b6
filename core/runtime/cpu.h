/* cpu.h -- what a context has found out about its machine, lazily and once: instruction set, BLAS, thread pool. */
#ifndef TH_CPU_H
#define TH_CPU_H

#include "gemm_kernels.h"

#include <pthread.h>

typedef struct Blas Blas; /* blas.h */
typedef struct Pool Pool; /* parallel.h */

typedef struct Cpu {
    const GemmKernels *const *gemm; /* [0] float32, [1] float64 */
    pthread_mutex_t lock;           /* taken while `blas` or `pool` is being opened */
    _Atomic(Blas *) blas;
    _Atomic(Pool *) pool;
} Cpu;

/* The context's record, made on the first call (from any thread). NULL with MemoryError. */
Cpu *cpu_of(ThContext *c);
/* The best kernels that this CPU can run. */
const GemmKernels *const *cpu_gemm_kernels(void);

#endif
