/*
 * theano_debug.h -- the part of theano.h, which includes it, about looking into functions. The rules of theano.h hold.
 */
#ifndef THEANO_DEBUG_H
#define THEANO_DEBUG_H

/* ---- where nodes come from ----------------------------------------------------------------------------------------
 */
/* "mlp.lua:41 (hidden), gradient of mlp.lua:12": lines, and the user's names of what was made there, of all that went
 * into the node; "" when unknown. th_free. */
TH_API char *th_apply_places(const ThApply *a);
TH_API char *th_var_places(const ThVar *v);
TH_API const char *th_apply_rule(const ThApply *a); /* the rewrite that made it, or NULL */
/* The input that the node's first output overwrites, or is a view of; -1: none. */
TH_API int th_apply_destroys(const ThApply *a);
TH_API int th_apply_views(const ThApply *a);
/* Result number i of body number `body` of a loop or branch, as it was optimized in a function's graph; borrowed, or
 * NULL: there is none. */
TH_API ThVar *th_apply_body(const ThApply *a, int body, int i);

/* ---- functions as data: JSON, th_free; NULL with the error set ----------------------------------------------------
 */
/*
 * {"nodes": [{"op", "kind", "rule", "places", "inputs", "types"}], "leaves": [..], "steps": [{"title", "nodes",
 * "flops", "bytes", "calls", "seconds", ..}], "buffers": [..], "kernels": [..], ..}: docs/debugging.md names all
 * fields. Numbers of bytes and operations hold for the lengths of the last call; null before the first.
 */
TH_API char *th_function_describe(ThFunction *f);
/*
 * The way from the user's expression to the function's graph, by rewriting it once more: {"records": [nodes as they
 * were, each once], "graphs": [{"body": .., "passes": [{"name", "seconds", "events": [[rule, old, new], ..], "order":
 * [records]}], "rules": [{"name", "tried", "fired", "seconds"}]}]}. The function itself is as it was.
 */
TH_API char *th_function_rewrites(ThFunction *f);
/*
 * What a call with the lengths of the last one does on a GPU, whatever the function was made for: {"steps": [{"title",
 * "kernel", "kind", "blocks", "threads", "flops", "bytes", "moved", "runs", "library", ..}], "transfers": [..],
 * "graph"}: docs/cuda.md names all fields. ValueError before the first call.
 */
TH_API char *th_function_launches(ThFunction *f);
/* Its kernels, compiled by NVRTC for a GPU that need not be there ("sm_90"), and what the assembler says of each; both
 * th_free. NULL without an error: there is no NVRTC. */
TH_API char *th_function_cubin(ThFunction *f, const char *arch, size_t *bytes, char **log);

/* ---- how numbers of arrays are printed, beside ThPrintOptions
 * --------------------------------------------------------
 */
typedef enum ThFloatMode {
    TH_FLOAT_MAXPREC,       /* the shortest digits that read back, at most `precision` behind the point */
    TH_FLOAT_FIXED,         /* always `precision` of them */
    TH_FLOAT_MAXPREC_EQUAL, /* as many for all as the longest has */
    TH_FLOAT_UNIQUE         /* the shortest, whatever `precision` is */
} ThFloatMode;
typedef struct ThPrintStyle {
    ThFloatMode floatmode;
    char sign;                   /* '+' in front of positive numbers, ' ' room for it, '-' or 0 neither */
    char nanstr[16], infstr[16]; /* "": nan and inf */
} ThPrintStyle;
/* What it is comes into `before`, `now` holds from now on; either may be NULL. */
TH_API int th_print_style(ThContext *c, const ThPrintStyle *now, ThPrintStyle *before);

/* ---- pictures -----------------------------------------------------------------------------------------------------
 */
/* Runs Graphviz's dot on file `in` ("svg", "png", "pdf", ..) without a shell; nonzero: RuntimeError says what is
 * missing. */
TH_API int th_graphviz(ThContext *c, const char *format, const char *in, const char *out);

/* ---- traces -------------------------------------------------------------------------------------------------------
 */
/* From now on every call and step of functions compiled with profile is noted, at most so many; nonzero on error. */
TH_API int th_trace_begin(ThContext *c, int64_t most);
/* Ends that: {"events": [[function, step, thread, start, nanoseconds], ..], "functions": [{"name", "steps": [..]}],
 * "lost": n}; step -1 is the whole call, start is in nanoseconds since the beginning. NULL when no trace has begun. */
TH_API char *th_trace_end(ThContext *c);

#endif
