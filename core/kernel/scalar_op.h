/*
 * scalar_op.h -- what stands in the table of scalar operations (core/ops/table/scalar.h writes it), for whoever holds
 * numbers of operations: nodes, bodies of Composites, instructions of Kernels.
 */
#ifndef TH_SCALAR_OP_H
#define TH_SCALAR_OP_H

#include "base/base.h"

typedef enum {                /* result dtype and the dtype computed in (inventory 1.7) */
               RES_UP,        /* upcast of inputs, computed in it */
               RES_UP_NOBOOL, /* same, bool refused */
               RES_UP_BOOL8,  /* same, bool becomes int8 (pow) */
               RES_FLOAT,     /* FL: bool, 8/16-bit ints -> float32; 32/64-bit -> float64; floats and complex kept */
               RES_DIV,       /* true_div: both discrete -> floatX, else upcast */
               RES_SAME,      /* first input's */
               RES_SAME_NOBOOL,
               RES_BOOL,   /* computed in the upcast, result bool */
               RES_BITS,   /* all bool or all ints */
               RES_SWITCH, /* upcast of inputs 1 and 2; input 0 only tested */
               RES_ABS,    /* SAME, complex -> its float */
               RES_SECOND, /* second input's */
               RES_INT64,
               RES_CAST,
               RES_CUSTOM,
               RES_COMPLEX,    /* complex of the FL of real inputs */
               RES_FLOAT_REAL, /* FL, complex -> its float */
               RES_SHIFT,      /* integers; all bool gives int8 */
               RES_INTS        /* integers without bool */
} ScalarResult;
enum {
    SF_COMM = 1,
    SF_ASSOC = 2,
    SF_NARY = 4,
    SF_NO_COMPLEX = 8,
    SF_COMPLEX = 16 /* has a complex form */,
    SF_FLOAT_ONLY = 32,
    SF_FAILS = 64,
    SF_METHOD = 128,
    SF_CHEAP = 256,
    SF_IDENTITY0 = 512,
    SF_IDENTITY1 = 1024,
    SF_ZERO_GRAD = 2048 /* connected, real zeros */,
    SF_SIZES = 24, /* SF_SIZE(c) = c << SF_SIZES: on integers it is what ShapeAlg.op calls c; '=': its operand, '2': its
                      second one */
    SF_CGRAD = 4096 /* the gradient text holds for complex numbers as it stands; else it is of a holomorphic function */
};
#define SF_SIZE(c) ((c) << SF_SIZES)
typedef struct ScalarOp {
    const char *name;   /* "add": Elemwise{add,no_inplace} */
    const char *cls;    /* "Add": Elemwise{Add}[(0, 0)] */
    const char *infix;  /* "+" in pp and Composite, or NULL: name(args) */
    const char *fname;  /* name in Composite text: "scalar_sigmoid", NULL: name */
    const char *opname; /* printed whole instead of Elemwise{..,no_inplace}: "sigmoid", "softplus"; or NULL */
    uint32_t flags;
    int8_t arity;
    uint8_t result;     /* ScalarResult */
    const char *value;  /* text in a b c d (C and expr.h at once) */
    const char *cvalue; /* complex form as helper call text, or NULL */
    const char *grad;   /* "gz*y; gz*x"; "" input disconnected; "!" undefined */
    const char *metamethod;
    HelpLine doc;
} ScalarOp;
#ifndef TH_TABLE
#define TH_TABLE const /* the mutation check's build makes the tables writable */
#endif
extern TH_TABLE ScalarOp scalar_ops[];
extern const int scalar_count;
int scalar_find(const char *name); /* -1 */
static inline char scalar_size_op(int op) { return op < scalar_count ? (char)(scalar_ops[op].flags >> SF_SIZES) : 0; }

#endif
