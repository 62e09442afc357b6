/*
 * file.h -- reading bytes from a plain file, a gzip file or a member of a zip archive through one face.
 *
 * A length that a file claims is compared with `limit` before memory is taken for it, so a corrupt or hostile file
 * costs no more memory than its own size explains.
 */
#ifndef TH_BASE_FILE_H
#define TH_BASE_FILE_H

#include "base/base.h"

typedef struct Reader Reader;
struct Reader {
    ThContext *c;
    char where[600];                                /* what messages start with: "path" or "path(member)" */
    int64_t limit;                                  /* no more than this many bytes can still come */
    bool end;                                       /* the source said so */
    int64_t (*read)(Reader *r, char *p, int64_t n); /* up to n bytes, 0 at the end, -1 with the error set */
    void (*close)(Reader *r);
    int fd;
    ThFile by;   /* its bytes, where the host gave some: the contents, instead of fd, and.. */
    size_t at;   /* ..how far they are read */
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
/* n bytes at a place of a plain file; false with IOError where there are fewer. */
bool reader_at(Reader *r, void *p, int64_t n, int64_t at, const char *what);
/* The end of an array that read its own data: swaps what is big-endian, makes bytes of bool 0 or 1. */
void file_native(ThArray *a, bool swapped);

/* ---- writing: aside and renamed; in place where a path leads to a device or a pipe ------------------------------- */
typedef struct Writer {
    ThContext *c;
    const char *path; /* must live as long, and the Writer stay where it is */
    FileAt at;        /* what is written */
    char tmp[4160];
    int fd, error; /* errno of the first failure; nothing is written after it */
    bool direct;
    struct Deflate *gzip; /* when the path ends in .gz */
    size_t used;
    char buf[1 << 14];
} Writer;
bool writer_open(Writer *w, ThContext *c, const char *path);
bool writer_open_plain(Writer *w, ThContext *c, const char *path); /* never gzip */
void writer_put(Writer *w, const void *p, size_t n);
/* Other bytes at the beginning; not with gzip. */
void writer_head(Writer *w, const void *p, size_t n);
/* All bytes are in the new file, which has its name when writer_close comes; false where one is not. */
bool writer_end(Writer *w);
bool writer_close(Writer *w, bool keep); /* !keep drops the new file; false with IOError when anything failed */
/* Bytes of an array in C order, whatever its strides. */
bool writer_array(Writer *w, const ThArray *a);

/* ---- npy.c, for npz.c, map.c and stream.c ------------------------------------------------------------------------ */
typedef struct NpyHead {
    Reader *r;
    const char *p; /* of the parser */
    ThDtype dtype;
    bool swapped, fortran;
    int ndim;
    int64_t shape[TH_MAX_NDIM];
    int64_t text;  /* bytes of each element, of dtype S; they are the last dimension */
    int64_t bytes; /* of magic and header: the data begins behind them */
} NpyHead;
bool npy_head_read(NpyHead *h, Reader *r);
ThArray *npy_read(Reader *r);
enum { NPY_HEADER = 2048 };
/* Head of the .npy file of a into head (NPY_HEADER bytes); returns its length, and in *flat (a new reference) an array
   whose memory is the file's data. 0 with the error set. */
size_t npy_head(ThArray *a, char *head, ThArray **flat);
size_t npy_head_text(char *head, ThDtype d, bool fortran, int ndim, const int64_t *shape);
/* idx.c: the head of an IDX file; the data behind it is big-endian. */
bool idx_head_read(Reader *r, ThDtype *d, int *ndim, int64_t *shape);

/* map.c: a file in memory. */
typedef enum { MAP_READ, MAP_CHANGE, MAP_COPY } MapMode;     /* read-only, writes go to the file, writes stay private */
bool map_mode(ThContext *c, const char *mode, MapMode *out); /* "r", "r+", "c" */
ThBuffer *map_file(ThContext *c, const char *path, MapMode mode);
/* An array at byte `at` of a mapped file; ValueError where its elements would not be aligned. */
ThArray *map_array(ThContext *c, ThBuffer *b, const char *where, MapMode mode, ThDtype d, int ndim,
                   const int64_t *shape, int64_t at);

/* Swaps the bytes of n parts of `bytes` each. */
void file_swap(void *p, int64_t n, size_t bytes);

#endif
