/*
 * collective.h -- collective operations over the ranks of an Open MPI job. A thread of its own makes every call of the
 * library, one job after the other, while the thread that started them computes on. Sums are made in the order of the
 * ranks, so that their bits do not depend on how messages travel.
 */
#ifndef LT_COLLECTIVE_H
#define LT_COLLECTIVE_H

#include "theano.h"

typedef struct Mpi Mpi;

/* clang-format off */
typedef enum { MPI_JOB_END, MPI_JOB_ALLREDUCE, MPI_JOB_REDUCE_SCATTER, MPI_JOB_BCAST, MPI_JOB_GATHER, MPI_JOB_SCATTER, MPI_JOB_WATCH } MpiWhat;
/* clang-format on */

/* What one rank asks for; all ranks ask for the same, with arrays of the same n. */
typedef struct MpiAsk {
    MpiWhat what;
    ThRanksOp op; /* of reductions */
    int root;     /* of bcast, gather and scatter; -1: gather for all ranks */
    ThDtype dtype;
    int64_t n;  /* elements of one rank's part */
    bool asked; /* this process was told to end: every rank hears of it */
    /* Of a job that is others' (MPI_JOB_WATCH): over(of) says that it is done, lost(of, why) that it cannot be. Nobody
     * waits for it. */
    int (*over)(void *of);
    void (*lost)(void *of, const char *why);
    void *of;
} MpiAsk;

/* The job that this process is one rank of; NULL with a message in why: the library is not there, or refuses. */
Mpi *mpi_open(char *why, size_t n, int *rank, int *size);
/* Ends after the other ranks have come to their ends, or to anything else. */
void mpi_close(Mpi *m);
/* Elements that a rank gives and gets. */
int64_t mpi_given(const Mpi *m, const MpiAsk *a);
int64_t mpi_gotten(const Mpi *m, const MpiAsk *a);
/* Begins with a copy of data; the number by which mpi_wait knows it, or 0: no memory. */
int64_t mpi_start(Mpi *m, const MpiAsk *a, const void *data);
/* What came of it, to be given back by buffers_give once; NULL with a message. *asked: some rank was told to end. */
void *mpi_wait(Mpi *m, int64_t id, bool *asked, char *why, size_t n);

#endif
