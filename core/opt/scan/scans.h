/*
 * scans.h -- what the rewrites of loops share: a Scan taken apart, changed and put together again.
 */
#ifndef TH_OPT_SCANS_H
#define TH_OPT_SCANS_H

#include "opt/engine/rewrite.h"

#include "ops/control/scan.h"

/*
 * One node being rewritten. The caller changes `in` (inputs of the new node by the old node's numbers), clears keep[]
 * for outputs that go (a state that goes must not be read by what stays), adds replacements inside the body, sequences,
 * values and collected results; then scan_edit_make gives the new node.
 */
typedef struct ScanEdit {
    Opt *o;
    ThApply *a;
    Scan s;
    const GraphBody *body;
    Builder user; /* of inner variables */
    ThVar **in;
    bool keep[OP_MAX_OUT];
    VarVec from, to;                     /* inner variables and what replaces them */
    VarVec seq, seq_in, value, value_in; /* added */
    VarVec shape, collect;               /* added: shape outside, inner variable */
    int place[OP_MAX_OUT];               /* by scan_edit_make: number of old output o in the new node, or -1 */
    int added;                           /* ..and of the first collected result added */
} ScanEdit;
bool scan_edit_begin(ScanEdit *e, Opt *o, ThApply *a); /* always ended with scan_edit_end */
void scan_edit_end(ScanEdit *e);
ThApply *scan_edit_make(ScanEdit *e);
/* Users of the outputs that stay use those of b. */
bool scan_edit_replace(ScanEdit *e, ThApply *b, const char *rule);
/* uses[out * nin + in]: what of its inputs each result of the body is computed from; th_free. */
bool *scan_uses(const GraphBody *body);
/* A constant of a body in the graph being rewritten. */
ThVar *scan_import(Opt *o, ThVar *constant);
/* Calls fn for every Scan there is now; false stops with the error. */
bool scan_each(Opt *o, bool (*fn)(Opt *o, ThApply *a));

bool scan_push_after(Opt *o); /* push.c: results that are work on what loops keep, again once more is kept */

bool pass_scan_clean(Opt *o); /* edit.c */
bool pass_scan_push(Opt *o);  /* push.c */
bool pass_scan_sums(Opt *o);  /* sums.c */
bool pass_scan_merge(Opt *o); /* merge.c */
bool pass_scan_merge_inouts(Opt *o);
bool pass_scan_mem(Opt *o); /* mem.c */
bool pass_scan_inplace(Opt *o);

#endif
