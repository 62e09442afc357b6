/*
 * sparse_work.h -- what operations on sparse matrices hand to a device (HostServices.sparse; the host has loops of its
 * own): matrices taken apart, their heads read on the host and their addresses on the device, dense arrays by their
 * headers. A sparse result is a vector of words, which the device lays out and fills; nobody on the host waits for how
 * much it holds.
 */
#ifndef TH_SPARSE_WORK_H
#define TH_SPARSE_WORK_H

#include "base/array/sparse.h"

typedef enum SparseTask {
    SPARSE_TASK_CSM,        /* z: of values a, numbers b, pointers c */
    SPARSE_TASK_WITH,       /* z: x's structure with values a */
    SPARSE_TASK_SORT,       /* z: x with places that ascend.. */
    SPARSE_TASK_FOLD,       /* ..and values of one place added */
    SPARSE_TASK_REMOVE0,    /* z: x without stored zeros */
    SPARSE_TASK_TURN,       /* z: x by its places */
    SPARSE_TASK_TRIPLETS,   /* z: of values a at lines b and places c, those of one place added */
    SPARSE_TASK_FROM_DENSE, /* z: what is not zero of matrix a, lines by its dimension `rows ? 0 : 1` */
    SPARSE_TASK_ADD_DENSE,  /* z += x, lines likewise; `flag`: z is zeros before */
    SPARSE_TASK_DOT,        /* z = x . a, or x^T . a where not `rows`; a is a vector or a matrix */
    SPARSE_TASK_DOT_BOTH,   /* z = x . y, or its transpose where not `rows` */
    SPARSE_TASK_DOT_COUNT,  /* z: room for the values of x . y */
    SPARSE_TASK_TRUE_DOT,   /* z: x . y */
    SPARSE_TASK_ROWS_DOT,   /* z[k] = a[line of k] . b[place of k]: rows of C-contiguous matrices */
    SPARSE_TASK_TAKE_DENSE, /* z[k] = a at x's places */
    SPARSE_TASK_TAKE,       /* z[k] = y at x's places */
    SPARSE_TASK_SPREAD,     /* z[k] = a[line of k], or a[place of k] where not `flag` */
    SPARSE_TASK_SUM,        /* z = sums of a (a number for each of x's values) by line, or by place where not `flag` */
    SPARSE_TASK_TOTAL,      /* z = sum of all values of x */
    SPARSE_TASK_MERGE,      /* z: x + y, or x * y where not `flag` */
    SPARSE_TASK_STACK,      /* z: x is block `at` of `lines` by `places`, `flag`: behind the lines of those before */
    SPARSE_TASK_DIAGONAL,   /* z[i] = x[i, i] */
    SPARSE_TASK_SQUARE,     /* z: the matrix with diagonal a */
    SPARSE_TASK_AT,         /* z[k] = x[b[k], c[k]] */
    SPARSE_TASK_CHOICE,     /* z: how many values x has in lines b and places c */
    SPARSE_TASK_CHOOSE,     /* z: these */
    SPARSE_TASKS
} SparseTask;

/* What may be wrong with an element: OpFailures of the operations, by number. */
typedef enum SparseFault {
    SPARSE_FAULT_ORDER, /* {operand, lines, places, values} */
    SPARSE_FAULT_ROW,   /* {number, of how many} */
    SPARSE_FAULT_COLUMN,
    SPARSE_FAULT_ROW_TWICE, /* {number} */
    SPARSE_FAULT_COLUMN_TWICE,
    SPARSE_FAULT_POINTER, /* {position, number} */
    SPARSE_FAULT_NUMBER,
    SPARSE_FAULT_START, /* {rows, columns, values} */
    SPARSE_FAULT_END,
    SPARSE_FAULT_DESCENDS,
    SPARSE_FAULT_RANGE,
    SPARSE_FAULT_ENTRY_ROW, /* {entry, row, rows} */
    SPARSE_FAULT_ENTRY_COLUMN,
    SPARSE_FAULTS
} SparseFault;

typedef struct SparseWork {
    SparseTask task;
    Sparse x, y;
    const ThArray *a, *b, *c;
    ThArray *z;
    int64_t lines, places, room; /* of a sparse z */
    int64_t at, before;          /* of a block: its number, values of the blocks before it */
    bool rows;                   /* lines are rows */
    bool flag;
} SparseWork;

#endif
