/*
 * picture.h -- a picture in memory for examples/game: discs, digits and letters, and PNG files. Pixels are 0xRRGGBB.
 */
#ifndef GAME_PICTURE_H
#define GAME_PICTURE_H

#include <stdint.h>

enum { PICTURE_W = 640, PICTURE_H = 480 };
typedef struct Picture {
    uint32_t at[PICTURE_H][PICTURE_W];
} Picture;

void picture_fill(Picture *p, uint32_t color);
void picture_disc(Picture *p, float x, float y, float radius, uint32_t color);
/* Capital letters, digits and a few signs, `size` times as large as 5 by 7 pixels. */
void picture_text(Picture *p, int x, int y, int size, uint32_t color, const char *text);
int picture_save(const Picture *p, const char *path); /* PNG; 0, or -1 */

#endif
