/*
 * apart.h -- why steps stand apart and why results have memory of their own: what the code that decides has noted
 * (kernels/group.c, kernels/stages.c, memory.c), for tools. In: nothing. Out: reasons, and their texts.
 */
#ifndef TH_PLAN_APART_H
#define TH_PLAN_APART_H

/* Of a buffer: why what reads it is another kernel than what writes it; of a step: why the step behind it is not one
 * loop over rows with it; of a temporary: why it lies in place of nothing (IN_). */
#define APART_MAP(X) \
    X(NONE, "") \
    X(RESULT, "it is a result of the function, so it is stored") \
    X(NOBODY, "no kernel reads it: a call of the library, a loop or a branch does") \
    X(EFFECT, "it does more than to compute, so it stays where it was written") \
    X(WHOLE, "it is a call of the library, a loop or a branch, which works on whole arrays") \
    X(KIND, "its elements are not computed one by one: some depend on others, or places are computed") \
    X(STORAGE, "it writes an argument, a shared variable or memory that others write, too") \
    X(MANY, "more than eight kernels read it") \
    X(FAILS, "it may fail, and what reads it overwrites what outlives the call") \
    X(READER, "what reads it wants the whole array") \
    X(PLACES, "what reads it visits other elements, or in another order, than it computes") \
    X(AGAIN, "several kernels read it, and to compute it in each costs more than to store it") \
    X(REPEATED, "it would be computed again for every point of further dimensions of what reads it") \
    X(ROOM, "together they have more instructions or operands than a kernel may have") \
    X(OVERWRITTEN, "something that it reads is overwritten before what reads it runs") \
    X(RESULTS, "it gives several results") \
    X(SUMS, "it adds up, and so does what reads it: its sums must be complete before") \
    X(SUMS_READERS, "it adds up, and several kernels read its sums") \
    X(CALL_FAILS, "what reads it may fail, and a call of the library cannot be left halfway") \
    X(DRAWN, "random numbers are drawn in one run, and not only this kernel reads them in that order") \
    X(UPDATES, "a GPU does updates of several variables by one launch, apart from what makes the gradients") \
    X(NEXT_WHOLE, "the next step is no kernel") \
    X(TILES, "it follows a product, on whose tiles it runs, and what reads it adds up columns") \
    X(ADDED, "a GPU adds it to a product where that is stored, so that what reads the sum need not read both") \
    X(PRODUCT, "a GPU runs a product by tiles, alone") \
    X(NO_LOOPS, "one of them calls the library, or writes at computed places") \
    X(NO_ROWS, "they have no outer loop in common") \
    X(OTHER_ROWS, "their rows differ in number") \
    X(COLUMNS, "one of them runs along columns, so that vectors lie across rows") \
    X(ACROSS, "the second reads or writes of the first one's other rows, too") \
    X(NO_GAIN, "they read and write nothing in common") \
    X(IN_STAGES, "a kernel of several stages may still read what it would overwrite") \
    X(IN_CALL, "a call of the library may not write over its operands") \
    X(IN_NOTHING, "nothing of its size is read here for the last time") \
    X(IN_ARGUMENT, "it is an argument: only In(.., {mutable = true}) lets it be overwritten") \
    X(IN_SHARED, "it is a shared variable, whose value is still needed") \
    X(IN_CONSTANT, "it is a constant") \
    X(IN_RESULT, "it is a result of the function") \
    X(IN_LATER, "it is read again later") \
    X(IN_TURNS, "the next turn of the loop finds it there") \
    X(IN_ORDER, "it is read at other elements, or after, where the result is written") \
    X(IN_TAKEN, "another result lies there already")
typedef enum {
#define X(name, text) APART_##name,
    APART_MAP(X)
#undef X
        APART_COUNT
} Apart;
const char *apart_text(int why);

#endif
