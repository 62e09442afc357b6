/*
 * export.h -- what the files of this folder share: one function being written as C.
 *
 * The program that comes out has the kernels' text of core/backend_c in standard C, a table of functions in the place
 * of th_rt, and one struct that holds everything that changes: shared variables, new states, temporaries. Addresses are
 * worked out at every call, so that the struct may be copied and moved.
 */
#ifndef TH_EXPORT_H
#define TH_EXPORT_H

#include "runtime/function.h"
#include "theano.h"

/* Where a buffer of the plan lies. */
typedef enum {
    PLACE_NONE,
    PLACE_ARGUMENT, /* at: number of the parameter */
    PLACE_FIELD,    /* at: number of the field of the state */
    PLACE_CONSTANT, /* at: where in NAME.weights, if that is written */
    PLACE_WORK,     /* at: bytes from the start of the state's work */
    PLACE_RESULT,   /* at: number of the result, whose memory the caller gives */
    PLACE_WINDOW
} PlaceHow;
typedef struct Place {
    uint8_t how;
    int64_t at;
} Place;

/* A value that lives in the state between calls: a shared variable, or an input that has a new value after each call.
 */
typedef struct Field {
    const char *name;
    ThArray *value; /* retained: what it begins with */
    int buf;
    int64_t weights; /* where it begins in NAME.weights */
} Field;

/* A parameter of the call: an argument or a result. */
typedef struct Param {
    const char *name;
    ThDtype dtype;
    int ndim;
    const int64_t *shape; /* at the example */
    int buf;              /* of an argument */
    int input;            /* which input of the function it is */
    bool written;         /* a mutable argument */
    bool moves;           /* calls have lengths of their own, told beside it */
    ThArray *usual;       /* the default of an argument, retained, or NULL */
    int64_t weights;      /* where that begins in NAME.weights */
} Param;

enum { EXPORT_CALLS = 2 };                                   /* that are recorded */
enum { EXPORT_WEIGHTS_ERROR = -1000000000 };                 /* error[0] where weights are no good */
#define EXPORT_MARK "written by an export of Theano for Lua" /* in the first line of every file */

typedef struct Export {
    ThContext *c;
    ThFunction *f; /* ours alone: a copy of the user's through bytes */
    const Plan *p;
    const ThExport *how;
    const char *name;
    char upper[80];
    Arena *arena;
    int64_t *sym;   /* slots at the example */
    int64_t *known; /* those that all calls have the same, SIZE_UNKNOWN others */
    Place *place;   /* by buffer */
    int64_t work;   /* bytes */
    Field *field;
    int nfield;
    Param *in, *out;
    int nin, nout;
    ThArray **arg;      /* examples by input of the function, in C order; NULL: the default */
    ThArray **recorded; /* results of the calls, one call behind the other */
    bool conv[2], pool[2], fft[2], factor[2], products[2]; /* by float32, float64: texts that are wanted */
    bool attention[2];                                     /* likewise */
    bool picks;
    bool squares;     /* of convolutions, Winograd's */
    bool other_convs; /* some go by transforms here, and by tiles there */
    bool sort[TH_DTYPE_COUNT], where[TH_DTYPE_COUNT], unique[TH_DTYPE_COUNT];
    bool state, dist; /* draws of a RandomState; others than uniform and normal ones */
    bool hosts;       /* there is a host_call */
    int64_t room;     /* bytes that its steps need while they run, at the end of the work */
    Text host;        /* its text */
    int64_t scratch;  /* where the place of a convolution's image begins in the work, or -1 */
    Text source, header, test, cmake, module, weights;
    uint64_t layout; /* of weights */
} Export;

bool export_name(Export *x, const char *wanted, const char *otherwise, const char **out); /* a fresh identifier */
const char *export_ctype(ThDtype d);
int export_parts(ThDtype d); /* numbers that an element is written as */

bool export_tells(const Export *x); /* what NAME_error says has numbers of the call in it */
bool export_allowed(Export *x);     /* refuse.c: NotImplementedError naming operation and line */
bool export_record(Export *x);      /* record.c: parameters, fields, two calls of the example */
bool export_place(Export *x);       /* place.c: slots and buffers */
bool export_weights(Export *x);     /* weights.c: NAME.weights, and what header and source say of it */
bool export_own_weights(const char *head, int64_t n);
void export_weights_header(Export *x, Text *t);
void export_weights_source(Export *x, Text *t);
bool export_header(Export *x); /* header.c */
bool export_source(Export *x); /* source.c */
bool export_test(Export *x);   /* rest.c: the test, CMakeLists.txt */
bool export_cmake(Export *x);
bool export_module(Export *x);                                        /* module.c */
void export_numbers(Text *t, ThDtype d, const void *data, int64_t n); /* numbers.c: in lines, parted by commas */
bool export_constant(Export *x, Text *t, const char *name, const ThArray *a); /* static const TYPE name[] = {..}; */
/* sizes.c: lengths that only a call tells */
bool export_dynamic(const Export *x);                     /* there are some */
bool export_varies(const Export *x, Size z);              /* z is one */
bool export_moves(const Export *x, const PlanValue *v);   /* some of v's are */
void export_size(const Export *x, Text *t, Size z);       /* as an expression over `sym` */
bool export_sizes(Export *x, Text *t);                    /* prepare, size_step, late_alloc */
void export_params(const Export *x, Text *t);             /* header.c: of the call, behind the state */
bool export_refuse(Export *x, int node, const char *why); /* false, with the error */
bool export_hosts(Export *x);                             /* host.c: host_call, in x->host; room in the work */
int64_t convs_stage_room(Export *x);                      /* convs.c: bytes; -1: no memory */
void convs_stages(Export *x, Text *t);                    /* conv_any */
void where_bounds(Export *x);                             /* where.c: of such lengths, in x->sym */
bool export_products(const Export *x);                    /* of matrices: BLAS may make them */
bool export_runtime(Export *x, Text *t);                  /* runtime.c: the functions that f->rt has, and that table */

#endif
