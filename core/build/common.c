/*
 * common.c -- kernels that many programs share are compiled with the library (CMake's TH_COMMON, scripts/common), for
 * each width of vectors, and found by their text: a unit is built without the text of such kernels, and calls them.
 *
 * In: the text of a unit. Out: the text that the compiler gets, and which kernels it leaves to the library. Always
 * holds: a common kernel was made of the very text that it stands for (a hash of 128 bits of what common_canonical
 * gives), by the flags that units are compiled with, so bits are the same; the user sees the whole text; the unit's key
 * tells which kernels these are, and a unit that wants one which this library has not is not loaded.
 */
#include "common.h"

#include "text/emit.h"

#include <dlfcn.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Made by the build where it makes them, else 0. */
extern const CommonSet theano_common_16 __attribute__((weak)), theano_common_32 __attribute__((weak)),
    theano_common_64 __attribute__((weak));

const CommonSet *common_here(ThContext *c) {
    const char *flags = config_str(c, "gcc.cxxflags");
    if (!config_bool(c, "compile.common") || config_bool(c, "repro") || flags[strspn(flags, " \t")]) return NULL;
    int bytes = machine_vector_bytes(c);
    const CommonSet *set = bytes == 64 ? &theano_common_64 : bytes == 32 ? &theano_common_32 : &theano_common_16;
    return set;
}

static int compare(const CommonKernel *k, const uint64_t key[2]) {
    if (k->key[0] != key[0]) return k->key[0] < key[0] ? -1 : 1;
    return (k->key[1] > key[1]) - (k->key[1] < key[1]);
}

/* Groups are sorted, each by itself. */
CommonRun *common_find(const CommonSet *set, const uint64_t key[2]) {
    for (int g = 0; set && g < set->n; g++) {
        int low = 0, high = set->group[g].n;
        while (low < high) {
            int middle = (low + high) / 2, way = compare(&set->group[g].at[middle], key);
            if (!way) return set->group[g].at[middle].run;
            if (way < 0) low = middle + 1;
            else high = middle;
        }
    }
    return NULL;
}

/* ---- a kernel's text without its number -------------------------------------------------------------------------- */
static bool word_char(char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

/* How long the part of a word up to the kernel's number is, where it is one of the names that emitters number; or 0. */
static size_t numbered(const char *word, size_t n, const char *digits, size_t ndigits) {
    static const char *const names[] = {"kernel_", "tile_", "Part_", "Blocks_", "block_", "piece_", "part_", "room_"};
    for (int i = 0; i < TH_LEN(names); i++) {
        size_t k = strlen(names[i]);
        if (n < k + ndigits || memcmp(word, names[i], k) != 0 || memcmp(word + k, digits, ndigits) != 0) continue;
        if (n == k + ndigits || word[k + ndigits] == '_') return k;
    }
    return 0;
}

char *common_canonical(ThContext *c, const char *text, size_t n) {
    const char *digits = text + sizeof PART_KERNEL - 1;
    size_t ndigits = strspn(digits, "0123456789");
    Text t;
    text_init(&t, c);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && word_char(text[end]);) end++;
        size_t k = end > i ? numbered(text + i, end - i, digits, ndigits) : 0;
        if (end == i) end++;
        text_put_n(&t, text + i, k ? k : end - i);
        if (!k) continue;
        text_putc(&t, COMMON_NUMBER);
        text_put_n(&t, text + i + k + ndigits, end - i - k - ndigits);
    }
    char *plain = text_take(&t), *key = plain ? key_canonical(c, plain) : NULL;
    th_free(c, plain);
    return key;
}

bool common_key(ThContext *c, const char *text, size_t n, uint64_t key[2]) {
    char *canonical = common_canonical(c, text, n);
    if (!canonical) return false;
    XXH128_hash_t h = XXH3_128bits(canonical, strlen(canonical));
    th_free(c, canonical);
    key[0] = h.high64, key[1] = h.low64;
    return true;
}

/* ---- a unit's text without what is common ------------------------------------------------------------------------ */
#define RUN "int kernel_%d(Frame *f, char *const *b, const i64 *s, const Cell *q, int step)"

/* What stands for the kernels of `list`, by number. */
static void put_calls(Text *t, const int *number, const uint64_t (*key)[2], int n) {
    text_printf(t,
                "__attribute__((visibility(\"default\"))) int (*theano_common[%d])(Frame *, char *const *, const i64 "
                "*, const Cell *, int);\n"
                "__attribute__((visibility(\"default\"))) const int theano_commons = %d;\n"
                "__attribute__((visibility(\"default\"))) const u64 theano_common_key[] = {\n",
                n, n);
    for (int i = 0; i < n; i++)
        text_printf(t, "    0x%llxul, 0x%llxul,\n", (unsigned long long)key[i][0], (unsigned long long)key[i][1]);
    text_put(t, "};\n");
    for (int i = 0; i < n; i++)
        text_printf(t, "static " RUN " { return theano_common[%d](f, b, s, q, step); }\n", number[i], i);
}

bool common_cut(ThContext *c, const CommonSet *set, const char *source, char **cut, uint64_t *which) {
    const char *first = set ? parts_line(source, PART_KERNEL) : NULL;
    const char *rest = first ? parts_line(first, PART_REST) : NULL;
    int n = 0, room = 0;
    *cut = NULL, *which = 0;
    if (!rest) return true;
    for (const char *p = first; p && p < rest; p = parts_line(p + 1, PART_KERNEL)) room++;
    int *number = ctx_alloc(c, (size_t)room * sizeof *number);
    uint64_t(*key)[2] = number ? ctx_alloc(c, (size_t)room * sizeof *key) : NULL;
    Text t;
    text_init(&t, c);
    text_put_n(&t, source, (size_t)(first - source));
    for (const char *p = first, *next; key && p < rest; p = next) {
        next = parts_line(p + 1, PART_KERNEL);
        if (!next || next > rest) next = rest;
        if (!common_key(c, p, (size_t)(next - p), key[n])) break;
        if (!common_find(set, key[n])) text_put_n(&t, p, (size_t)(next - p));
        else number[n++] = parts_number(p);
    }
    text_put(&t, PART_REST "\n");
    if (n) put_calls(&t, number, key, n);
    text_put(&t, rest + sizeof PART_REST - 1);
    if (n && !failed(c)) *which = XXH3_64bits(key, (size_t)n * sizeof *key), *cut = text_take(&t);
    text_free(&t);
    ctx_free(c, key, (size_t)room * sizeof *key);
    ctx_free(c, number, (size_t)room * sizeof *number);
    return !failed(c);
}

/* ---- a loaded unit gets its kernels ------------------------------------------------------------------------------ */
/* Another context may have the same module, and its functions may run: they find what is there already. */
bool common_bind(ThContext *c, void *handle) {
    const int *n = dlsym(handle, "theano_commons");
    const uint64_t *key = n ? dlsym(handle, "theano_common_key") : NULL;
    CommonRun **at = key ? dlsym(handle, "theano_common") : NULL;
    const CommonSet *set = at ? common_here(c) : NULL;
    if (!n) return true;
    for (int i = 0; at && i < *n; i++) {
        CommonRun *run = common_find(set, key + (size_t)i * 2);
        if (!run) return false;
        if (__atomic_load_n(&at[i], __ATOMIC_RELAXED) != run) __atomic_store_n(&at[i], run, __ATOMIC_RELAXED);
    }
    if (at) atomic_fetch_add(&c->common, *n);
    return at != NULL;
}
