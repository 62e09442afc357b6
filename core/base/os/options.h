/*
 * options.h -- what this library was built with (CMake's options of the same names); a file that is compiled without
 * them has everything. What is left out raises NotImplementedError, or is done another way, and the text names the
 * option.
 */
#ifndef TH_BASE_OPTIONS_H
#define TH_BASE_OPTIONS_H

#ifndef TH_COMPILER
#define TH_COMPILER 1 /* generated C: writing it, running a compiler, loading what that made */
#endif
#ifndef TH_DLOPEN
#define TH_DLOPEN 1 /* other libraries are opened: BLAS, LAPACK, FFTW, the units of a compiler, CUDA */
#endif
#ifndef TH_ZIP
#define TH_ZIP 1 /* zlib: gzip files and .npz archives */
#endif
#ifndef TH_CUDA
#define TH_CUDA 1 /* device=cuda */
#endif
#ifndef TH_FFT
#define TH_FFT 1 /* Fourier transforms, and convolutions by them */
#endif
#ifndef TH_RANDOM
#define TH_RANDOM 1 /* the distributions of nd.random and of random variables in graphs */
#endif
#ifndef TH_LINALG
#define TH_LINALG 1 /* factorizations of matrices and what is solved by them */
#endif
#ifndef TH_SPARSE
#define TH_SPARSE 1 /* what is computed with sparse matrices */
#endif
#ifndef TH_SPECIAL
#define TH_SPECIAL 1 /* special functions but erf and erfc: gamma, beta, Bessel, of complex numbers */
#endif
#ifndef TH_HELP
#define TH_HELP 1 /* a line about each function */
#endif
/* Kernels for AVX2 and AVX-512 beside those of every x86-64, chosen by the processor. Not on Windows, whose stacks are
 * not aligned for them. */
#ifndef TH_WIDE
#if defined(__x86_64__) && !defined(_WIN32)
#define TH_WIDE 1
#else
#define TH_WIDE 0
#endif
#endif

#endif
