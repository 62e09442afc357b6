/*
 * driver.c -- the driver's library opened, its entry points found and its version looked at.
 */
#include "driver.h"

#include <string.h>

typedef struct Entry {
    const char *symbol;
    size_t at; /* of the field in Driver */
} Entry;

static const Entry entry[] = {
#define ENTRY(field, symbol, arguments) {symbol, offsetof(Driver, field)},
    CUDA_DRIVER(ENTRY)
#undef ENTRY
};

/* The first symbol that is missing, or NULL. A function's address goes through memcpy: ISO C has no such cast. */
static const char *find(Driver *d) {
    for (int i = 0; i < TH_LEN(entry); i++) {
        void *p = os_library_symbol(d->handle, entry[i].symbol);
        if (!p) return entry[i].symbol;
        memcpy((char *)d + entry[i].at, &p, sizeof p);
    }
    return NULL;
}

static const char *no_library(char why[DRIVER_WHY], const char *path) {
    number_format(why, DRIVER_WHY,
                  "the driver %s cannot be opened (%.200s): install NVIDIA's driver for this machine's GPU", path,
                  os_library_error());
    return why;
}

static const char *refused(Driver *d, char why[DRIVER_WHY], int code) {
    const char *name = NULL, *text = NULL;
    d->error_name(code, &name);
    d->error_text(code, &text);
    number_format(why, DRIVER_WHY, "the driver was opened and has no GPU to offer: cuInit says %s (%s)",
                  name ? name : "an unknown error", text ? text : "no text");
    return why;
}

static const char *fill(Driver *d, const char *path, char why[DRIVER_WHY]) {
    d->handle = os_library(path);
    if (!d->handle) return no_library(why, path);
    const char *missing = find(d);
    if (missing) {
        number_format(why, DRIVER_WHY, "the driver %s has no %s: a driver for CUDA %d.%d or later is needed", path,
                      missing, CU_NEEDED / 1000, CU_NEEDED % 1000 / 10);
        return why;
    }
    int code = d->version(&d->found);
    if (code == CU_OK && d->found < CU_NEEDED) {
        number_format(why, DRIVER_WHY, "the driver %s is for CUDA %d.%d, and %d.%d or later is needed", path,
                      d->found / 1000, d->found % 1000 / 10, CU_NEEDED / 1000, CU_NEEDED % 1000 / 10);
        return why;
    }
    if (code == CU_OK) code = d->init(0);
    return code == CU_OK ? NULL : refused(d, why, code);
}

const char *driver_open(Driver *d, const char *path, char why[DRIVER_WHY]) {
    memset(d, 0, sizeof *d);
    const char *bad = fill(d, path ? path : "libcuda.so.1", why);
    if (bad) memset(d, 0, sizeof *d); /* the library stays open: closing a driver is not safe */
    return bad;
}
