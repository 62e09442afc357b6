/*
 * model.h -- private to core/model: a saved model as bytes, and how a function becomes one and comes back.
 *
 * Little-endian. A head of 64 bytes: MODEL_MAGIC, uint32 version, uint32 parts, uint64 bytes of the whole, uint64 hash
 * (FNV-1a, 64 bits) of all behind the head, HMAC-SHA256 of the whole file with zeros in its place (32 bytes; zeros: not
 * signed). Then for each part 32 bytes: its tag (8, padded with zeros), uint64
 * offset, uint64 bytes, uint64 zero. Parts begin at multiples of MODEL_ALIGN, in order, and do not overlap:
 *   function  text: a line for each input and result (save.c), and the host's own note
 *   graph     graph text (docs/graph-text.md), optimized up to the passes that choose what is overwritten
 *   arrays    for each: dtype (16 characters, padded with zeros), int64 dimensions, int64 offset and bytes in `data`,
 *             lengths as int64
 *   data      the arrays' elements in C order, each at a multiple of MODEL_ALIGN
 *   native-2  machine code for x86-64-v2, a shared object; native-3, native-4 (core/build/native.c)
 * Unknown parts are passed over. Everything a file says is checked before it is used.
 */
#ifndef TH_MODEL_H
#define TH_MODEL_H

#include "compile/compile.h"

#define MODEL_MAGIC "\x93THEANO\n"
enum { MODEL_VERSION = 1, MODEL_HEAD = 64, MODEL_ENTRY = 32, MODEL_PARTS = 16, MODEL_ALIGN = 64, MODEL_TAG = 8 };

typedef struct ModelPart {
    char tag[MODEL_TAG + 1];
    const char *at;
    size_t n;
} ModelPart;

/* The file's signature, once it is whole; whether it is there, and by whom it was made. */
enum { MODEL_SIGN = 32 }; /* where in the head */
void model_sign(char *bytes, size_t n, const void *key, size_t key_bytes);
typedef enum { MODEL_UNSIGNED, MODEL_SIGNED, MODEL_FORGED } ModelSigned;
ModelSigned model_signed(const char *bytes, size_t n, const void *key, size_t key_bytes);
/* "x86-64-v3" -> 3; -1: no level that there is. */
int model_level(const char *name);

/* Appends the whole file made of these parts to t. */
bool model_write(Text *t, const ModelPart *part, int n);
/* The parts of a file, pointing into it; false with ValueError (`what` is what the file is called). */
bool model_read(ThContext *c, const char *bytes, size_t n, const char *what, ModelPart part[MODEL_PARTS], int *nparts);
/* The part of that tag; one without bytes where there is none. */
ModelPart model_part(const ModelPart *part, int n, const char *tag);

typedef VEC(ThArray *) ArrayVec;
/* Arrays as the parts `arrays` and `data`, and back: new references. */
bool model_arrays_write(Text *head, Text *data, ThArray *const *a, int n);
bool model_arrays_read(ThContext *c, ModelPart head, ModelPart data, const char *what, ArrayVec *out);
void model_arrays_free(ThContext *c, ArrayVec *a);

/* The tag of the part with level i's machine code. */
void model_native_tag(char tag[MODEL_TAG + 1], int i);

/* disk.c: a file's bytes, n + 1 to be given back by ctx_free; and a text as a file. */
bool model_to_file(ThContext *c, const char *path, const Text *t);
char *model_from_file(ThContext *c, const char *path, size_t *n);

/* Passes beyond this position of optdb run when a model is loaded: they choose the order and what is overwritten. */
#define MODEL_PASSES 49.4

#endif
