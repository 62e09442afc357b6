/*
 * image.c -- the text of kernels as what a device's driver loads: found in the cache, or compiled by NVRTC and kept
 * there.
 *
 * An image lies beside the units as KEY.cubin, sealed as they are. The key is a hash of everything that decides its
 * code: the text (key.c), the architecture, NVRTC's flags, its version and its file. A text that does not compile is
 * kept as KEY.cu, for looking into.
 */
#include "build.h"
#include "runtime/device/device.h"
#include "runtime/frame/backend.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct Image {
    Build *b;
    const Device *d;
    const char *text;
    char arch[16], key[BUILD_KEY], name[BUILD_IMAGE];
} Image;

static bool make_key(Image *m) {
    ThContext *c = m->b->c;
    char *canonical = key_canonical(c, m->text);
    Text t;
    text_init(&t, c);
    text_printf(&t, "%s|", m->arch);
    bool ok = canonical && nvrtc_identity(c, m->d, &t) && t.at;
    if (ok) {
        uint64_t of_head = XXH3_64bits_withSeed(t.at, strlen(t.at), 11);
        XXH128_hash_t h = XXH3_128bits_withSeed(canonical, strlen(canonical), of_head);
        snprintf(m->key, BUILD_KEY, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
        snprintf(m->name, sizeof m->name, "%s.cubin", m->key);
    }
    text_free(&t);
    th_free(c, canonical);
    return ok;
}

/* Writes under the name into the cache, else into the context's own directory; the directory, or NULL. */
static const CacheDir *keep(Image *m, const char *name, const char *key, const void *bytes, size_t n) {
    const CacheDir *d = cache_keep(m->b, CACHE_MAIN, name, key, bytes, n);
    return d || failed(m->b->c) ? d : cache_keep(m->b, CACHE_TEMP, name, key, bytes, n);
}

static void keep_source(Image *m) {
    ThContext *c = m->b->c;
    char name[BUILD_IMAGE], text[sizeof ctx_error_state(c)->text];
    ThError kind = error_kind(c);
    snprintf(text, sizeof text, "%s", th_error_text(c));
    snprintf(name, sizeof name, "%s.cu", m->key);
    th_error_clear(c);
    const CacheDir *d = keep(m, name, NULL, m->text, strlen(m->text));
    th_error_clear(c);
    err(c, kind, "%s", text);
    if (d) err_more(c, "\nThe text is kept as %s/%s", d->path, name);
}

static char *compile(Image *m, size_t *n) {
    ThContext *c = m->b->c;
    char *image = nvrtc_image(c, m->d, m->text, m->arch, n, NULL);
    if (!image && th_error(c) == TH_CompileError) keep_source(m);
    if (!image) return NULL;
    atomic_fetch_add(&c->compiles, 1);
    keep(m, m->name, m->key, image, *n); /* where there is no place for it, it serves once */
    if (!failed(c)) return image;
    ctx_free(c, image, *n);
    return NULL;
}

char *cuda_image(ThContext *c, const Device *d, const char *text, size_t *n) {
    Image m = {.b = build_state(c), .d = d, .text = text};
    if (!m.b) return NULL;
    snprintf(m.arch, sizeof m.arch, "sm_%d%d", d->info.major, d->info.minor);
    if (ctx_sealed(c)) return nvrtc_image(c, d, text, m.arch, n, NULL); /* which opens no files */
    if (!make_key(&m)) return NULL;
    for (int which = CACHE_MAIN; which <= CACHE_TEMP; which++) {
        const CacheDir *dir = cache_dir(m.b, which, false);
        char *image = dir ? cache_read(dir, m.name, m.key, n) : NULL;
        if (failed(c)) return NULL;
        if (!image) continue;
        cache_touch(dir, m.name);
        atomic_fetch_add(&c->cache_hits, 1);
        return image;
    }
    return compile(&m, n);
}
