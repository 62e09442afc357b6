/*
 * c.h -- private to the C emitter: what its files share beyond the words of core/text.
 */
#ifndef TH_BACKEND_C_H
#define TH_BACKEND_C_H

#include "text/emit.h"

/* moves.c: rows as columns and back, rows repeated */
void emit_move(Emit *e, const NestNode *n);
/* blocks.c: kernel_N of a nest of FOR_BLOCK; threads.c: over the part_N just written, of one of FOR_PIECE */
bool blocks_emit(Emit *e, int number, const NestNode *blocks);
bool threads_emit(Emit *e, int number, const NestNode *pieces);
/* reduce.c */
void emit_red_vectors(Emit *e, int n, bool begin); /* names for n vectors of every accumulator, or back to arrays */
void emit_red_join(Emit *e, int red); /* a block's result to what those before it give; of a position the value too */
/* The same for rows in lanes: element j of each row waits in w<red>[j]. */
void emit_side_init(Emit *e, int red);
void emit_side_step(Emit *e, int red, int column);
void emit_side_final(Emit *e, int red, int column);
const char *emit_columns(const Emit *e, char out[16]); /* loops.c: how many are in use */
/* loops.c, kernel.c */
bool kernel_is_scalar(const Kernel *k);
bool emit_nodes(Emit *e, const NestNode *n);    /* n and those after it */
bool emit_leaf(Emit *e, const NestNode *n);     /* one without children */
void emit_head(Emit *e, const LoopStage *tile); /* extents and pointers; tile: of its part of c alone */
/* calls.c: the functions that end a tile of what a call of k computes, before the kernel's; a call */
bool emit_tiles(Emit *e);
void emit_call(Emit *e, const NestNode *n);
bool emit_kernel(Emit *e, const Kernel *k, int number);
/* unit.c: the parameters of a step as a list, and as `static const Cell q[]` */
void emit_cell_list(const Emit *e, Text *t, const Step *s, const Kernel *k);
void emit_cells(Emit *e, const Step *s, const Kernel *k, int number);
/* rows.c */
bool rows_wanted(const Plan *p);        /* its steps are to be data */
bool rows_has(const Emit *e, int step); /* `row(f, step)` does it, not `step_<number>(f)` */
void emit_rows(Emit *e);
bool rows_chain(Emit *e, int step); /* writes the chain that starts here (core/plan/chains.c); false: none does */
/* registers.c: single values in the body of one loop that are C variables x<buffer> instead of memory */
typedef struct Registers {
    const Region *g;
    int lo, hi;    /* steps of the body; hi < lo: it holds loops or branches, nothing is a variable */
    bool all;      /* every step of the body works on variables alone or is one kernel without loops */
    bool fails;    /* a step can fail */
    uint8_t *here; /* by buffer: 1 a variable, 2 loaded at the start of a turn, 4 stored at its end */
} Registers;
bool registers_find(Emit *e, const Region *g, Registers *r);
bool registers_has(const Registers *r, int buf);
bool registers_step(Emit *e, const Registers *r, int step); /* writes the step if it works on variables */
void registers_declare(Emit *e, const Registers *r);
void registers_start_turn(Emit *e, const Registers *r);
void registers_end_turn(Emit *e, const Registers *r); /* stores; before the loop's end is decided */
void registers_next_turn(Emit *e, const Registers *r);
/* target: a processor, with glibc's vector math; NULL: this machine, under the user's flags.
 * known: by slot, its value in all calls of this unit or INT64_MIN; NULL: nothing is known */
bool emit_c(Text *t, const Plan *p, const char *function_name, const Target *target, const int64_t *known,
            const uint8_t *candidate);
extern const char *const prelude_c99;

#endif
