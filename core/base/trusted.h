/*
 * trusted.h -- directories and files that nobody else can change, and programs that nobody else can have put there.
 */
#ifndef TH_TRUSTED_H
#define TH_TRUSTED_H

#include "base.h"

#include <stdio.h>

enum { TRUSTED_PATH = 4096, TRUSTED_WHY = 600 };

/*
 * Opens a directory, which is only to hand names on (O_PATH); -1 with the reason in `why`. Every directory from the
 * root on, links included, belongs to us or to the system, and nobody else can write it (a directory with the sticky
 * bit, as /tmp, may lie on the way); the last one is ours. make: what is missing is made, for its owner only. full
 * (TRUSTED_PATH, may be NULL): its path from the root, without links.
 */
int trusted_dir(const char *path, bool make, char *full, char why[TRUSTED_WHY]);
/* The directory of built code (config base_compiledir), or one in it (sub not NULL), likewise. */
int trusted_compiledir(ThContext *c, const char *sub, bool make, char *full, char why[TRUSTED_WHY]);
/* A regular file of ours in the directory that nobody else can write; -1: there is none. */
int trusted_open(int dir, const char *name, int flags);
/*
 * The program's path: as it is when it holds a "/", else in the first fitting directory of PATH. Directories that are
 * relative, or that everybody may write, are passed over: anybody may have put the program there.
 */
bool trusted_program(ThContext *c, const char *name, char out[TRUSTED_PATH]);
/* PATH without those directories; NULL: nothing was taken out, or no memory. th_free. */
char *trusted_search(ThContext *c);
/* The number of the user, for names. */
long trusted_user(void);

#endif
