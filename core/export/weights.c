/*
 * weights.c -- constants, shared variables and defaults beside the program, in NAME.weights. In: a function that is
 * being written. Out: the file, where each array lies in it, and the C that reads it. Always holds: what it says is
 * compared with what the program was written for (size, layout, hash) before any of it is used; the program may be
 * given another file of the same layout.
 *
 * The file: uint64 WEIGHTS_MAGIC, layout (hash of dtypes and lengths), bytes of the whole, hash of all behind the head,
 * as this machine writes numbers; zeros up to 64 bytes; arrays in C order at multiples of 64.
 */
#include "export.h"

#include <string.h>

enum { WEIGHTS_HEAD = 64 };
#define WEIGHTS_MAGIC UINT64_C(0x31535447574f4548) /* backwards elsewhere */

static uint64_t hash_of(const char *p, size_t n) {
    uint64_t h = UINT64_C(0xcbf29ce484222325), w;
    for (size_t i = 0; i + 8 <= n; i += 8) {
        memcpy(&w, p + i, 8);
        h = (h ^ w) * UINT64_C(0x100000001b3);
    }
    return h;
}

bool export_own_weights(const char *head, int64_t n) {
    const uint64_t magic = WEIGHTS_MAGIC;
    return n >= WEIGHTS_HEAD && !memcmp(head, &magic, sizeof magic);
}

static void fill(Text *t, size_t to) {
    static const char zeros[WEIGHTS_HEAD];
    text_put_n(t, zeros, (to - t->n % to) % to);
}

static bool put(Export *x, const ThArray *a, uint64_t *layout, int64_t *at) {
    ThArray *flat = th_array_copy((ThArray *)a);
    if (!flat) return false;
    *layout = hash_mix(*layout, (uint64_t)a->dtype << 32 | (uint64_t)a->ndim);
    for (int d = 0; d < a->ndim; d++) *layout = hash_mix(*layout, (uint64_t)ARRAY_SHAPE(a)[d]);
    *at = (int64_t)x->weights.n;
    text_put_n(&x->weights, flat->data, (size_t)a->size * th_dtype_bytes((ThDtype)a->dtype));
    fill(&x->weights, WEIGHTS_HEAD);
    th_array_release(flat);
    return true;
}

bool export_weights(Export *x) {
    Text *t = &x->weights;
    uint64_t head[4] = {WEIGHTS_MAGIC, 1};
    bool ok = true;
    if (!x->how->weights) return true;
    if (x->how->lua) return err(x->c, TH_ValueError, "export: a module of Lua has its weights in itself");
    text_put_n(t, (const char *)head, sizeof head);
    fill(t, WEIGHTS_HEAD);
    for (int b = 0; ok && b < x->p->nbuf; b++)
        if (x->place[b].how == PLACE_CONSTANT)
            ok = put(x, x->p->constant[x->p->buf[b].index], &head[1], &x->place[b].at);
    for (int i = 0; ok && i < x->nfield; i++) ok = put(x, x->field[i].value, &head[1], &x->field[i].weights);
    for (int i = 0; ok && i < x->nin; i++)
        if (x->in[i].usual) ok = put(x, x->in[i].usual, &head[1], &x->in[i].weights);
    if (!ok || t->failed) return false;
    head[2] = t->n;
    head[3] = hash_of(t->at + WEIGHTS_HEAD, t->n - WEIGHTS_HEAD);
    memcpy(t->at, head, sizeof head);
    x->layout = head[1];
    return true;
}

void export_weights_header(Export *x, Text *t) {
    text_printf(t, "/* Bytes of %s.weights. */\n#define %s_WEIGHTS_BYTES %lld\n", x->name, x->upper,
                (long long)x->weights.n);
    text_printf(
        t,
        "/*\n * %s.weights, or a file of the same layout, with the numbers that the function works with: in memory,"
        " where it\n * stays as long as the state (aligned by 8), or read into memory of %s_WEIGHTS_BYTES. Shared "
        "variables are as they\n * were when it was written. 0, or the code of an error: it is none of this "
        "function's, or damaged.\n */\n",
        x->name, x->upper);
    text_printf(t, "int %s_load(%s_state *state, const void *bytes, size_t n);\n", x->name, x->name);
    text_printf(t, "#ifndef %s_NO_FILES\nint %s_load_file(%s_state *state, const char *path, void *memory);\n#endif\n",
                x->upper, x->name, x->name);
}

static const char *const load_text =
    "    uint64_t head[4], h = UINT64_C(0xcbf29ce484222325), w;\n    size_t i;\n"
    "    state->error[0] = WEIGHTS_ERROR;\n    if (!bytes || (uintptr_t)bytes % 8 || n != WEIGHTS) return VALUE_CODE;\n"
    "    memcpy(head, bytes, sizeof head);\n"
    "    if (head[0] != MAGIC || head[1] != LAYOUT || head[2] != n) return VALUE_CODE;\n"
    "    for (i = 64; i + 8 <= n; i += 8) {\n        memcpy(&w, (const char *)bytes + i, 8);\n"
    "        h = (h ^ w) * UINT64_C(0x100000001b3);\n    }\n    if (h != head[3]) return VALUE_CODE;\n"
    "    state->weights = (const unsigned char *)bytes;\n";

static const char *const file_text =
    "    FILE *file = fopen(path, \"rb\");\n    size_t n = 0;\n    int more = 1;\n    if (file) {\n"
    "        n = fread(memory, 1, WEIGHTS, file);\n        more = fgetc(file) != EOF;\n        fclose(file);\n    }\n";

void export_weights_source(Export *x, Text *t) {
    text_printf(t,
                "#define MAGIC UINT64_C(0x%llx)\n#define LAYOUT UINT64_C(0x%llx)\n#define WEIGHTS %s_WEIGHTS_BYTES\n",
                (unsigned long long)WEIGHTS_MAGIC, (unsigned long long)x->layout, x->upper);
    text_printf(t, "enum { WEIGHTS_ERROR = %d, VALUE_CODE = %d };\n\n", EXPORT_WEIGHTS_ERROR, TH_ValueError);
    text_printf(t, "int %s_load(%s_state *state, const void *bytes, size_t n) {\n%s", x->name, x->name, load_text);
    for (int i = 0; i < x->nfield; i++)
        text_printf(t, "    memcpy(state->%s, state->weights + %lld, %lld);\n", x->field[i].name,
                    (long long)x->field[i].weights,
                    (long long)(x->field[i].value->size * (int64_t)th_dtype_bytes((ThDtype)x->field[i].value->dtype)));
    text_put(t, "    state->error[0] = INT64_MIN;\n    return 0;\n}\n\n");
    text_printf(t, "#ifndef %s_NO_FILES\n#include <stdio.h>\n", x->upper);
    text_printf(t, "int %s_load_file(%s_state *state, const char *path, void *memory) {\n%s", x->name, x->name,
                file_text);
    text_printf(t, "    return %s_load(state, memory, more ? 0 : n);\n}\n#endif\n\n", x->name);
}
