/*
 * tuned.c -- numbers that timing found, in a file. In: keys, numbers. Out: those of earlier processes too. Always
 * holds: the file is read only if nobody else can change it or what leads to it; a record counts only with its own
 * check sum, and who asks says which numbers there are, so that a file that is cut off, changed or of another machine
 * costs no more than timing anew.
 */
#include "tuned.h"
#include "base/trusted.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 4096, MOST_FILE = 4 * SLOTS }; /* of the table; records read of a file, and written to it */

typedef struct Record {
    uint64_t key, value, check;
} Record;

struct Tuned { /* open addressing; key 0: free */
    const char *file;
    uint64_t machine;
    int n;
    Record slot[SLOTS];
};

static uint64_t check_of(const Record *x) { return hash_mix(hash_mix(0x7475, x->key), x->value); }

/* There is always a free one. */
static int find(const Tuned *t, uint64_t key) {
    uint64_t i = key % SLOTS;
    while (t->slot[i].key && t->slot[i].key != key) i = (i + 1) % SLOTS;
    return (int)i;
}

bool tuned_get(const Tuned *t, uint64_t key, uint64_t most, uint64_t *value) {
    const Record *x = &t->slot[find(t, key)];
    if (!x->key || x->value >= most) return false;
    *value = x->value;
    return true;
}

bool tuned_put(Tuned *t, uint64_t key, uint64_t value) {
    Record *x = &t->slot[find(t, key)];
    if (!x->key && t->n >= SLOTS / 2) return false;
    t->n += !x->key;
    *x = (Record){.key = key, .value = value};
    return true;
}

/* The file, if nobody else can change it or what leads to it; -1 otherwise. */
static int open_file(ThContext *c, const Tuned *t, int flags) {
    char why[TRUSTED_WHY];
    int dir = trusted_compiledir(c, NULL, flags & O_CREAT, NULL, why);
    if (dir < 0) return -1;
    int fd = trusted_open(dir, t->file, flags);
    os_close(dir);
    return fd;
}

static uint64_t machine(void) {
    char text[4096] = "";
    int bytes = isa_vector_bytes();
    uint64_t h = hash_bytes(&bytes, sizeof bytes, 1);
    FILE *f = fopen("/proc/cpuinfo", "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    const char *model = strstr(text, "model name");
    return model ? hash_bytes(model, strcspn(model, "\n"), h) : h;
}

Tuned *tuned_open(ThContext *c, const char *file) {
    Record x;
    Tuned *t = ctx_alloc0(c, sizeof *t);
    if (!t) return NULL;
    t->file = file;
    t->machine = machine();
    int fd = open_file(c, t, O_RDONLY);
    if (fd < 0) return t;
    for (int i = 0; i < MOST_FILE && os_read(fd, &x, sizeof x) == (int64_t)sizeof x; i++)
        if (x.key && x.check == check_of(&x) && !tuned_put(t, x.key, x.value)) break;
    os_close(fd);
    return t;
}

void tuned_free(ThContext *c, Tuned *t) { ctx_free(c, t, sizeof *t); }

/* Appended in one write; behind a cut off record of another process, so that records stay aligned. */
void tuned_save(ThContext *c, const Tuned *t, uint64_t key, uint64_t value) {
    OsFile file;
    Record x = {.key = key, .value = value};
    x.check = check_of(&x);
    int fd = open_file(c, t, O_WRONLY | O_APPEND | O_CREAT);
    if (fd < 0) return;
    bool good = os_look(fd, &file);
    int64_t rest = good ? file.bytes % (int64_t)sizeof x : 0;
    if (rest) good = os_truncate(fd, file.bytes - rest);
    if (good && file.bytes < (int64_t)(MOST_FILE * sizeof x)) os_write(fd, &x, sizeof x);
    os_close(fd);
}

uint64_t tuned_machine(const Tuned *t) { return t->machine; }
