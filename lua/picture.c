/*
 * picture.c -- PNG as libpng reads and writes it, from and to bytes: core.png_decode, core.png_encode. The library is
 * opened when it is first needed; its simplified interface (png.h, "Section 5", version 1 of png_image) is declared
 * here.
 */
#include "binding.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { PNG_ALPHA = 1, PNG_COLOR = 2, PNG_FORMATS = 3, PNG_VERSION = 1 };
enum { LARGEST = 1 << 30 }; /* bytes of pixels that a file may unfold to */

typedef struct PngImage {
    void *opaque;
    uint32_t version, width, height, format, flags, colors, warning_or_error;
    char message[64];
} PngImage;

typedef struct Png {
    int (*begin_read)(PngImage *image, const void *bytes, size_t n);
    int (*finish_read)(PngImage *image, const void *background, void *pixels, int32_t stride, void *map);
    int (*write)(PngImage *image, void *bytes, size_t *n, int to_8_bits, const void *pixels, int32_t stride,
                 const void *map);
    void (*release)(PngImage *image);
} Png;

static const char key; /* its address names the library in the registry */

static bool open_png(Png *p) {
    void *h = dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
    if (!h) return false;
    const struct {
        const char *name;
        void *at;
    } names[] = {{"png_image_begin_read_from_memory", &p->begin_read},
                 {"png_image_finish_read", &p->finish_read},
                 {"png_image_write_to_memory", &p->write},
                 {"png_image_free", &p->release}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *f = dlsym(h, names[i].name);
        if (!f) {
            dlclose(h);
            return false;
        }
        memcpy(names[i].at, &f, sizeof f);
    }
    return true;
}

static const Png *png(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
    const Png *p = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (p) return p;
    Png *new = lua_newuserdatauv(L, sizeof *new, 0);
    if (!open_png(new)) lt_error(L, TH_NotImplementedError, "PNG files need libpng 1.6: install libpng16-16");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
    return new;
}

/* png_decode(bytes) -> pixels, height, width, channels (1 grey, 2 with alpha, 3 colours, 4 with alpha), 8 bits each */
static int decode(lua_State *L) {
    size_t n;
    const char *bytes = luaL_checklstring(L, 1, &n);
    const Png *p = png(L);
    PngImage image = {.version = PNG_VERSION};
    if (!p->begin_read(&image, bytes, n)) return lt_error(L, TH_ValueError, "no PNG picture: %s", image.message);
    image.format &= PNG_FORMATS;
    uint32_t channels = 1 + (image.format & PNG_ALPHA) + (image.format & PNG_COLOR);
    uint64_t size = (uint64_t)image.width * image.height * channels;
    if (size > LARGEST) {
        p->release(&image);
        return lt_error(L, TH_ValueError, "a picture of %d x %d pixels is too large", (int)image.height,
                        (int)image.width);
    }
    char *pixels = malloc(size ? (size_t)size : 1);
    if (!pixels) {
        p->release(&image);
        return lt_error(L, TH_MemoryError, "no memory for a picture of %d x %d pixels", (int)image.height,
                        (int)image.width);
    }
    if (!p->finish_read(&image, NULL, pixels, (int32_t)(image.width * channels), NULL)) {
        free(pixels);
        p->release(&image);
        return lt_error(L, TH_ValueError, "no PNG picture: %s", image.message);
    }
    lua_pushlstring(L, pixels, (size_t)size);
    free(pixels);
    lua_pushinteger(L, image.height);
    lua_pushinteger(L, image.width);
    lua_pushinteger(L, channels);
    return 4;
}

/* png_encode(pixels, height, width, channels) -> bytes */
static int encode(lua_State *L) {
    size_t n, size = 0;
    const char *pixels = luaL_checklstring(L, 1, &n);
    lua_Integer height = luaL_checkinteger(L, 2), width = luaL_checkinteger(L, 3), channels = luaL_checkinteger(L, 4);
    const Png *p = png(L);
    if (height < 1 || width < 1 || channels < 1 || channels > 4 || height > LARGEST || width > LARGEST ||
        (size_t)height > LARGEST / (size_t)(width * channels) || (size_t)(height * width * channels) != n)
        return lt_error(L, TH_ValueError, "a picture of %d x %d pixels cannot be a PNG file", (int)height, (int)width);
    PngImage image = {.version = PNG_VERSION,
                      .width = (uint32_t)width,
                      .height = (uint32_t)height,
                      .format = (channels > 2 ? PNG_COLOR : 0) | (channels % 2 ? 0 : PNG_ALPHA)};
    int32_t stride = (int32_t)(width * channels);
    if (!p->write(&image, NULL, &size, 0, pixels, stride, NULL))
        return lt_error(L, TH_ValueError, "PNG: %s", image.message);
    char *bytes = malloc(size);
    if (!bytes) return lt_error(L, TH_MemoryError, "no memory for a PNG file");
    if (!p->write(&image, bytes, &size, 0, pixels, stride, NULL)) {
        free(bytes);
        return lt_error(L, TH_ValueError, "PNG: %s", image.message);
    }
    lua_pushlstring(L, bytes, size);
    free(bytes);
    return 1;
}

void lt_open_picture(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"png_decode", decode}, {"png_encode", encode}, {NULL, NULL}};
    lt_register(L, s, fns);
}
