/*
 * spec.h -- the operations of linear algebra by what goes in and comes out, a text such as "nn,nk>nk": the last
 * dimensions of each operand by letters, equal letters being equal lengths and p the smaller of m and n. Types, lengths
 * and operands follow from it.
 */
#ifndef TH_LINALG_SPEC_H
#define TH_LINALG_SPEC_H

#include "ops/table/linalg.h"
#include "ops/table/option.h"

typedef struct LinalgSpec {
    FactorKind kind;
    const char *dims;
    const char *types; /* of the results: t as the inputs, r its real part, c complex, i int32, l int64 */
    const char *takes; /* of the inputs: t all one float or complex dtype, i int32, s a 0-d number of no batch */
} LinalgSpec;

bool linalg_infer(Infer *q, const LinalgSpec *s);
bool linalg_shape(ShapeQ *q, const LinalgSpec *s);
int linalg_run(HostCall *h, const LinalgSpec *s);
bool linalg_refit(Builder *b, const ThApply *a, ThVar **in);
bool linalg_batch(Batch *q);
extern const OpFailure linalg_failures[]; /* by FactorFault (runtime/factor/factor.h): of one matrix, of a batch's */
ThVar *linalg_apply(Builder *b, const Op *op, const LinalgAttrs *at, ThVar **in, int nin);
ThApply *linalg_node(Builder *b, const Op *op, const LinalgAttrs *at, ThVar **in, int nin);

/* One operation: `spec` may use the attributes `at`; reads: DEVICE_READS of its inputs. */
#define LINALG_OP(var, title, n, results, fields, spec_of, ...) \
    LINALG_OP_READS(var, title, n, results, fields, spec_of, 0, __VA_ARGS__)
#define LINALG_OP_READS(var, title, n, results, fields, spec_of, reads, ...) \
    static const LinalgSpec *spec_##var(const LinalgAttrs *at) { \
        (void)at; \
        return spec_of; \
    } \
    static bool infer_##var(Infer *q) { return linalg_infer(q, spec_##var(q->attrs)); } \
    static bool shape_##var(ShapeQ *q) { return linalg_shape(q, spec_##var(q->node->attrs)); } \
    static int run_##var(HostCall *h) { return linalg_run(h, spec_##var(h->attrs)); } \
    static bool lower_##var(Lower *l) { return l->api->host(l, run_##var, 0); } \
    const Op op_##var = {.name = title, \
                         .flags = OP_FAILS | OP_MACHINE, \
                         .nin = n, \
                         .nout = results, \
                         .attr_bytes = sizeof(LinalgAttrs), \
                         .attrs = fields, \
                         .nattr = TH_LEN(fields), \
                         .infer = infer_##var, \
                         .shape = shape_##var, \
                         .lower = OP_IF(TH_LINALG, lower_##var), \
                         .refit = linalg_refit, \
                         .batch = linalg_batch, \
                         .device = DEVICE_FORM | (reads), \
                         .failures = linalg_failures, \
                         __VA_ARGS__}
#define LINALG_FIELD(kind, name, field) \
    { name, kind, offsetof(LinalgAttrs, field), false }

#endif
