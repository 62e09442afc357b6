/*
 * picture.c -- a picture in memory (picture.h).
 */
#include "picture.h"

#include <stdio.h>
#include <string.h>

void picture_fill(Picture *p, uint32_t color) {
    for (int y = 0; y < PICTURE_H; y++)
        for (int x = 0; x < PICTURE_W; x++) p->at[y][x] = color;
}

static void blend(uint32_t *to, uint32_t color, float part) {
    uint32_t mixed = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        float a = (float)(*to >> shift & 255), b = (float)(color >> shift & 255);
        mixed |= (uint32_t)(a + (b - a) * part + 0.5f) << shift;
    }
    *to = mixed;
}

/* A pixel at the rim is covered in part. */
void picture_disc(Picture *p, float x, float y, float radius, uint32_t color) {
    for (int j = (int)(y - radius) - 1; j <= (int)(y + radius) + 1; j++)
        for (int i = (int)(x - radius) - 1; i <= (int)(x + radius) + 1; i++) {
            if (i < 0 || j < 0 || i >= PICTURE_W || j >= PICTURE_H) continue;
            float dx = (float)i - x, dy = (float)j - y, most = radius + 0.5f, part = 1;
            float far = dx * dx + dy * dy;
            if (far >= most * most) continue;
            if (far > (radius - 0.5f) * (radius - 0.5f)) part = (most * most - far) / (2 * radius);
            blend(&p->at[j][i], color, part > 1 ? 1 : part);
        }
}

/* Letters that words on the screen have, seven rows of five dots. */
static const struct {
    char sign;
    unsigned char row[7];
} letters[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},      {'2', {14, 17, 1, 2, 4, 8, 31}},
    {'3', {31, 2, 4, 2, 1, 17, 14}},     {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},       {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},   {'.', {0, 0, 0, 0, 0, 12, 12}},      {'A', {14, 17, 17, 31, 17, 17, 17}},
    {'E', {31, 16, 16, 30, 16, 16, 31}}, {'F', {31, 16, 16, 30, 16, 16, 16}}, {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'M', {17, 27, 21, 21, 17, 17, 17}}, {'N', {17, 17, 25, 21, 19, 17, 17}}, {'R', {30, 17, 17, 30, 20, 18, 17}},
    {'S', {15, 16, 16, 14, 1, 1, 30}},   {'T', {31, 4, 4, 4, 4, 4, 4}},       {'U', {17, 17, 17, 17, 17, 17, 14}},
};

static void dots(Picture *p, int x, int y, int size, uint32_t color, const unsigned char row[7]) {
    for (int j = 0; j < 7 * size; j++)
        for (int i = 0; i < 5 * size; i++) {
            int px = x + i, py = y + j;
            if (px < 0 || py < 0 || px >= PICTURE_W || py >= PICTURE_H) continue;
            if (row[j / size] >> (4 - i / size) & 1) p->at[py][px] = color;
        }
}

void picture_text(Picture *p, int x, int y, int size, uint32_t color, const char *text) {
    for (; *text; text++, x += 6 * size)
        for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
            if (letters[i].sign == *text) dots(p, x, y, size, color, letters[i].row);
}

/* ---- PNG: one stored block a line ----------------------------------------------------------------------------------
 */
typedef struct Png {
    FILE *f;
    uint32_t crc, sum1, sum2; /* of the chunk; Adler-32 of the lines */
} Png;

static void put(Png *w, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) {
        w->crc ^= p[i];
        for (int k = 0; k < 8; k++) w->crc = w->crc >> 1 ^ (w->crc & 1 ? 0xedb88320u : 0);
    }
    fwrite(bytes, 1, n, w->f);
}

static void put32(Png *w, uint32_t v) {
    unsigned char b[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16), (unsigned char)(v >> 8),
                          (unsigned char)v};
    put(w, b, 4);
}

static void begin(Png *w, uint32_t length, const char *type) {
    put32(w, length);
    w->crc = 0xffffffffu;
    put(w, type, 4);
}

static void end(Png *w) { put32(w, ~w->crc); }

static void line(Png *w, const uint32_t *pixel, int last) {
    unsigned char b[5 + 1 + 3 * PICTURE_W];
    const unsigned n = 1 + 3 * PICTURE_W;
    b[0] = (unsigned char)last;
    b[1] = n & 255, b[2] = n >> 8, b[3] = ~n & 255, b[4] = ~n >> 8 & 255;
    b[5] = 0; /* no filter */
    for (int x = 0; x < PICTURE_W; x++)
        for (int k = 0; k < 3; k++) b[6 + 3 * x + k] = (unsigned char)(pixel[x] >> (16 - 8 * k));
    for (unsigned i = 0; i < n; i++) {
        w->sum1 = (w->sum1 + b[5 + i]) % 65521;
        w->sum2 = (w->sum2 + w->sum1) % 65521;
    }
    put(w, b, sizeof b);
}

int picture_save(const Picture *p, const char *path) {
    Png w = {.f = fopen(path, "wb"), .sum1 = 1};
    if (!w.f) return -1;
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, w.f);
    begin(&w, 13, "IHDR");
    put32(&w, PICTURE_W);
    put32(&w, PICTURE_H);
    put(&w, "\x08\x02\0\0\0", 5); /* 8 bits, red green blue */
    end(&w);
    begin(&w, 2 + PICTURE_H * (6 + 3 * PICTURE_W) + 4, "IDAT");
    put(&w, "\x78\x01", 2);
    for (int y = 0; y < PICTURE_H; y++) line(&w, p->at[y], y == PICTURE_H - 1);
    put32(&w, w.sum2 << 16 | w.sum1);
    end(&w);
    begin(&w, 0, "IEND");
    end(&w);
    int bad = ferror(w.f);
    return fclose(w.f) || bad ? -1 : 0;
}
