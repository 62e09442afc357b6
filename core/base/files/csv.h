/*
 * csv.h -- lines of numbers, for whole files (csv.c) and for streams of them (stream.c).
 */
#ifndef TH_BASE_CSV_H
#define TH_BASE_CSV_H

#include "file.h"

typedef struct Csv Csv;
Csv *csv_open(ThContext *c, const char *path, const ThTextOptions *options, char **names);
ThArray *csv_read(Csv *t, int64_t rows); /* at most so many rows, 0 at the end: (rows, columns) */
void csv_close(Csv *t);

#endif
