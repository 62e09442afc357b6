/* cpu.h -- what a context has found out about its machine, lazily and once: instruction set, BLAS, threads. */
#ifndef TH_CPU_H
#define TH_CPU_H

#include "blas.h"
#include "gemm_kernels.h"
#include "parallel.h"
#include "team.h"
#include "tuned.h"

typedef struct Cpu {
    const GemmKernels *const *gemm; /* [0] float32, [1] float64 */
    OsLock lock;                    /* taken while what is below is being filled */
    atomic_bool blas_asked;
    Blas blas;
    Team team;
    Tuned *conv_tuned, *kernel_tuned, *grid_tuned; /* NULL: not looked at yet; under `lock` */
} Cpu;

/* The context's record, made on the first call (from any thread): its only allocation. NULL with MemoryError. */
Cpu *cpu_of(ThContext *c);
/* Vectors of the kernels of this context: isa_vector_bytes, or the least, which has no fused multiply-adds, where bits
 * are to be those of every processor (the flag repro). */
int cpu_vector_bytes(ThContext *c);
const GemmKernels *const *cpu_gemm_kernels(ThContext *c); /* the best ones with such vectors */

#endif
