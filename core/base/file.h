/*
 * file.h -- reading bytes from a plain file, a gzip file or a member of a zip archive through one face.
 *
 * A length that a file claims is compared with `limit` before memory is taken for it, so a corrupt or hostile file
 * costs no more memory than its own size explains.
 */
#ifndef TH_BASE_FILE_H
#define TH_BASE_FILE_H

#include "base.h"

typedef struct Reader Reader;
struct Reader {
    ThContext *c;
    char where[600];                                /* what messages start with: "path" or "path(member)" */
    int64_t limit;                                  /* no more than this many bytes can still come */
    bool end;                                       /* the source said so */
    int64_t (*read)(Reader *r, char *p, int64_t n); /* up to n bytes, 0 at the end, -1 with the error set */
    void (*close)(Reader *r);
    int fd;
    void *state; /* of the gzip or zip reader */
};

bool reader_open(Reader *r, ThContext *c, const char *path);      /* plain */
bool reader_open_gzip(Reader *r, ThContext *c, const char *path); /* gzip or plain, by its first bytes */
void reader_close(Reader *r);
bool reader_take(Reader *r, void *p, int64_t n, const char *what); /* exactly n; IOError "truncated" naming what */
bool reader_fits(Reader *r, int64_t n, const char *what);          /* whether n bytes can still come; else IOError */
/* Bytes of an array of that shape, if they can still come; else -1 with IOError, also where they cannot be counted. */
int64_t reader_array(Reader *r, ThDtype d, int ndim, const int64_t *shape);
bool reader_finish(Reader *r); /* nothing may follow (and checksums are right) */
/* The deflate format cannot grow data further than this. */
#define DEFLATE_RATIO 1032

/* npy.c, for npz.c */
ThArray *npy_read(Reader *r);
enum { NPY_HEADER = 2048 };
/* Head of the .npy file of a into head (NPY_HEADER bytes); returns its length, and in *flat (a new reference) an array
   whose memory is the file's data. 0 with the error set. */
size_t npy_head(ThArray *a, char *head, ThArray **flat);
/* Swaps the bytes of n parts of `bytes` each. */
void file_swap(void *p, int64_t n, size_t bytes);

#endif
