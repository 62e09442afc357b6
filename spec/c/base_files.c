/* .npy, .npz and IDX files: round trips, NumPy's bytes, damaged and hostile files, failing memory. */
#include "base/base.h"
#include "test.h"
#include "theano_files.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char path[80], other[100];

static void put(const void *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

static size_t get(char *bytes, size_t size) {
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, size, f) : 0;
    if (f) fclose(f);
    return n;
}

/* A .npy file of version 1 (2, 3) with that header text, and data behind it. */
static void put_npy(int version, const char *head, const void *data, size_t n) {
    char file[4096];
    size_t m = strlen(head), at = version == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version;
    file[7] = 0;
    for (size_t i = 8; i < at; i++) file[i] = (char)(m >> 8 * (i - 8));
    memcpy(file + at, head, m);
    memcpy(file + at + m, data, n);
    put(file, at + m + n);
}

static ThArray *range(ThContext *c, ThDtype d, int ndim, const int64_t *shape) {
    ThArray *a = th_array_empty(c, TH_INT32, ndim, shape);
    for (int64_t i = 0; a && i < a->size; i++) ((int32_t *)(void *)a->data)[i] = (int32_t)i - 3;
    ThArray *b = a ? th_array_astype(a, d) : NULL;
    th_array_release(a);
    return b;
}

static void npy_round_trips(ThContext *c) {
    static const int64_t shape[3][3] = {{2, 3, 4}, {5, 0, 2}, {7, 1, 1}};
    for (int d = 0; d < TH_DTYPE_COUNT; d++)
        for (int ndim = 0; ndim <= 3; ndim++)
            for (int s = 0; s < 3; s++) {
                ThArray *a = range(c, (ThDtype)d, ndim, shape[s]), *t = th_array_transpose(a, 0, NULL);
                ThArray *rows = ndim ? th_array_view(t, ndim, th_array_shape(t), th_array_strides(t), 0) : NULL;
                ThArray *form[] = {a, t, rows};
                for (int i = 0; i < 3; i++) {
                    if (!form[i]) continue;
                    CHECK(th_save_npy(c, path, form[i]) == 0);
                    ThArray *b = th_load_npy(c, path);
                    CHECK(b && b->dtype == d && th_array_equal(b, form[i]));
                    th_array_release(b);
                }
                th_array_release(rows);
                th_array_release(t);
                th_array_release(a);
            }
}

/* The bytes np.save writes for np.arange(6.).reshape(2, 3) - 3 and for its transpose. */
static void npy_bytes(ThContext *c) {
    static const char want[] = "\x93NUMPY\x01\0v\0{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
    char file[512];
    ThArray *a = range(c, TH_FLOAT64, 2, (int64_t[]){2, 3}), *t = th_array_transpose(a, 0, NULL);
    CHECK(th_save_npy(c, path, a) == 0 && get(file, sizeof file) == 128 + 48);
    CHECK(!memcmp(file, want, sizeof want - 1) && file[sizeof want] == ' ' && file[127] == '\n');
    CHECK(((double *)(void *)(file + 128))[5] == 2);
    CHECK(th_save_npy(c, path, t) == 0 && get(file, sizeof file) == 128 + 48);
    CHECK(!memcmp(file + 10, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }", 58));
    CHECK(((double *)(void *)(file + 128))[5] == 2);
    ThArray *b = th_load_npy(c, path);
    CHECK(th_array_strides(b)[0] == 8 && th_array_strides(b)[1] == 24 && th_array_equal(b, t));
    th_array_release(b);
    th_array_release(a);
    th_array_release(t);
    struct stat st;
    CHECK(symlink(path, other) == 0 && (a = range(c, TH_INT8, 1, (int64_t[]){3})) != NULL);
    CHECK(th_save_npy(c, other, a) == 0 && lstat(other, &st) == 0 && S_ISLNK(st.st_mode)); /* a link stays a link */
    b = th_load_npy(c, path);
    CHECK(b && th_array_equal(a, b));
    th_array_release(a);
    th_array_release(b);
    CHECK(!chmod(path, 0640) && !th_save_bytes(c, other, "bytes", 5) && !stat(path, &st));
    CHECK(st.st_size == 5 && (st.st_mode & 0777) == 0640 && !lstat(other, &st) && S_ISLNK(st.st_mode));
    CHECK(!th_save_bytes(c, path, NULL, 0) && !stat(path, &st) && st.st_size == 0);
    CHECK(th_save_bytes(c, path, NULL, 1) && th_error(c) == TH_TypeError);
    th_error_clear(c);
    unlink(other);
}

static void npy_forms(ThContext *c) {
    static const char big[] = {1, 2, 3, 4};
    put_npy(1, "{'shape':(2,),\"descr\" : '>i2' , 'fortran_order':False}\n", big, 4);
    ThArray *a = th_load_npy(c, path);
    CHECK(a && a->dtype == TH_INT16 && ((int16_t *)th_array_data(a))[0] == 0x102 &&
          ((int16_t *)th_array_data(a))[1] == 0x304);
    th_array_release(a);
    for (int v = 1; v <= 3; v++) {
        put_npy(v, "{'descr': '|b1', 'fortran_order': False, 'shape': (2L, 2L), }", "\0\1\2\0trailing", 12);
        a = th_load_npy(c, path);
        CHECK(a && a->dtype == TH_BOOL && a->size == 4 && a->data[2] == 1); /* a bool is 0 or 1 */
        th_array_release(a);
    }
}

static void npy_refused(ThContext *c) {
    for (int v = 0; v <= 4; v += 4) {
        put_npy(v, "{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\1", 1);
        CHECK(!th_load_npy(c, path));
        CHECK_ERROR(c, TH_IOError, v ? "version 4 is unknown" : "version 0 is unknown");
    }
    static const struct {
        const char *head;
        ThError kind;
        const char *words;
    } bad[] = {
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", TH_TypeError, "object arrays"},
        {"{'descr': '<V4', 'fortran_order': False, 'shape': (1,), }", TH_TypeError, "'<V4' is not supported"},
        {"{'descr': '<U3', 'fortran_order': False, 'shape': (1,), }", TH_TypeError, "'<U3' is not supported"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", TH_TypeError, "structured"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,), }", TH_IOError, "truncated or corrupt"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", TH_IOError, "too large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", TH_IOError, "too large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", TH_IOError, "not a length"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 3, }", TH_IOError, "not a tuple"},
        {"{'descr': '<f8', 'fortran_order': 1, 'shape': (1,), }", TH_IOError, "neither True nor False"},
        {"{'descr': '<f8', 'shape': (1,), }", TH_IOError, "it needs descr"},
        {"{'descr': '<f8', 'descr': '<f8', 'shape': (1,), }", TH_IOError, "repeated"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } + 1", TH_IOError, "nothing after"},
        {"__import__('os')", TH_IOError, "not a dictionary"},
    };
    for (int i = 0; i < TH_LEN(bad); i++) {
        put_npy(1, bad[i].head, "12345678", 8);
        CHECK(!th_load_npy(c, path));
        CHECK(strstr(th_error_text(c), path) != NULL);
        CHECK_ERROR(c, bad[i].kind, bad[i].words);
    }
    CHECK(!th_load_npy(c, "/nonexistent.npy"));
    CHECK_ERROR(c, TH_IOError, "cannot open /nonexistent.npy: No such file");
    CHECK(!th_load_npy(c, "/tmp"));
    CHECK_ERROR(c, TH_IOError, "/tmp is not a regular file");
    ThArray *a = range(c, TH_INT8, 0, NULL);
    CHECK(th_save_npy(c, "/nonexistent/x.npy", a) != 0);
    CHECK_ERROR(c, TH_IOError, "cannot write /nonexistent/x.npy");
    CHECK(th_save_npy(c, path, NULL) != 0);
    CHECK_ERROR(c, TH_TypeError, "NULL");
    th_array_release(a);
}

static int read_any(ThContext *c, int kind) {
    ThNpz z;
    if (kind == 2) {
        int ok = th_load_npz(c, path, &z) == 0;
        if (ok) th_npz_free(c, &z);
        return ok;
    }
    ThArray *a = kind ? th_load_idx(c, path) : th_load_npy(c, path);
    th_array_release(a);
    return a != NULL;
}

/* Every cut is an IOError that names the file; a changed byte is an error or another valid file, never a crash. */
static void damage(ThContext *c, int kind, const char *file, size_t n) {
    char copy[4096];
    for (size_t m = 0; m < n; m++) {
        put(file, m);
        CHECK(!read_any(c, kind));
        CHECK_ERROR(c, TH_IOError, path);
    }
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit += 3) {
            memcpy(copy, file, n);
            copy[i] = (char)(copy[i] ^ 1 << bit);
            put(copy, n);
            bool ok = read_any(c, kind);
            CHECK(ok == (th_error(c) == TH_OK));
            if (!ok) CHECK_ERROR(c, th_error(c), path);
        }
}

/* Deflated members: the same arrays, fewer bytes where there is something to save, and the errors of stored ones. */
static void npz_packed(ThContext *c, int n, const char *const *names, ThArray *const *arrays) {
    ThArray *zeros = range(c, TH_FLOAT64, 1, (int64_t[]){2000}),
            *one = th_array_view(zeros, 1, (int64_t[]){2000}, (int64_t[]){0}, 0);
    char file[4096];
    ThNpz z;
    CHECK(th_save_npz_compressed(c, path, n, names, arrays) == 0 && th_load_npz(c, path, &z) == 0 && z.n == n);
    for (int i = 0; i < z.n; i++) CHECK(th_array_equal(z.arrays[i], arrays[i]));
    th_npz_free(c, &z);
    CHECK(th_save_npz_compressed(c, path, 1, names, &one) == 0);
    size_t size = get(file, sizeof file);
    CHECK(size < 500 && th_load_npz(c, path, &z) == 0 && th_array_equal(z.arrays[0], one));
    th_npz_free(c, &z);
    CHECK(th_save_npz_compressed(c, path, 1, names, (ThArray *const[]){NULL}) != 0);
    CHECK_ERROR(c, TH_TypeError, "missing");
    CHECK(th_save_npz_compressed(c, path, 1, NULL, &one) != 0 && th_save_npz_compressed(c, path, -1, names, &one) != 0);
    CHECK_ERROR(c, TH_TypeError, "th_save_npz_compressed");
    CHECK(th_save_npz_compressed(NULL, path, 1, names, &one) != 0);
    CHECK(get(file, sizeof file) == size); /* the old archive is still there */
    damage(c, 2, file, size);
    th_array_release(zeros);
    th_array_release(one);
}

static void npz(ThContext *c) {
    ThArray *w = range(c, TH_FLOAT32, 2, (int64_t[]){4, 5}), *t = th_array_transpose(w, 0, NULL);
    ThArray *b = range(c, TH_INT64, 0, NULL), *e = range(c, TH_FLOAT64, 2, (int64_t[]){0, 3});
    ThArray *arrays[] = {w, b, t, e};
    const char *names[] = {"w", "deep/b", "t", "e"};
    char first[4096], again[4096];
    npz_packed(c, 4, names, arrays);
    CHECK(th_save_npz(c, path, 4, names, arrays) == 0);
    size_t n = get(first, sizeof first);
    CHECK(th_save_npz(c, path, 4, names, arrays) == 0 && get(again, sizeof again) == n && !memcmp(first, again, n));
    ThNpz z;
    CHECK(th_load_npz(c, path, &z) == 0 && z.n == 4);
    for (int i = 0; i < z.n; i++) {
        CHECK_TEXT(z.names[i], names[i]);
        CHECK(th_array_equal(z.arrays[i], arrays[i]));
    }
    th_npz_free(c, &z);
    CHECK(z.n == 0 && !z.names);
    const char *twice[] = {"x", "x"};
    CHECK(th_save_npz(c, path, 2, twice, arrays) != 0);
    CHECK_ERROR(c, TH_ValueError, "two arrays are named 'x'");
    CHECK(get(again, sizeof again) == n); /* the old archive is still there */
    CHECK(th_save_npz(c, path, 0, NULL, NULL) == 0 && th_load_npz(c, path, &z) == 0 && z.n == 0);
    CHECK(th_save_npz(c, "/nonexistent/x.npz", 1, names, arrays) != 0);
    CHECK_ERROR(c, TH_IOError, "/nonexistent/x.npz");
    CHECK(th_save_npz(c, path, 1, (const char *const[]){""}, arrays) != 0);
    CHECK_ERROR(c, TH_ValueError, "no name");
    CHECK(th_save_npz(c, path, 1, names, (ThArray *const[]){NULL}) != 0);
    CHECK_ERROR(c, TH_TypeError, "missing");
    CHECK(th_save_npz(c, path, 1, names, (ThArray *const[]){b}) == 0);
    n = get(first, sizeof first);
    damage(c, 2, first, n);
    put("not a zip", 9);
    CHECK(th_load_npz(c, path, &z) != 0);
    CHECK_ERROR(c, TH_IOError, path);
    for (int i = 0; i < 4; i++) th_array_release(arrays[i]);
}

static void put_gzip(const void *bytes, unsigned n) {
    gzFile f = gzopen(path, "wb");
    CHECK(f && gzwrite(f, bytes, n) == (int)n && gzclose(f) == Z_OK);
}

static void idx(ThContext *c) {
    static const unsigned char u8[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255};
    static const unsigned char f4[] = {0, 0, 0x0d, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0};
    static const unsigned char i2[] = {0, 0, 0x0b, 1, 0, 0, 0, 2, 0xff, 0xfe, 1, 0};
    char gz[512];
    for (int zip = 0; zip < 2; zip++) {
        zip ? put_gzip(u8, sizeof u8) : put(u8, sizeof u8);
        ThArray *a = th_load_idx(c, path);
        CHECK(a && a->dtype == TH_UINT8 && a->ndim == 2 && th_array_shape(a)[1] == 3 && (uint8_t)a->data[5] == 255);
        th_array_release(a);
    }
    size_t n = get(gz, sizeof gz);
    damage(c, 1, gz, n);
    damage(c, 1, (const char *)u8, sizeof u8);
    put(f4, sizeof f4);
    ThArray *a = th_load_idx(c, path);
    CHECK(a && a->dtype == TH_FLOAT32 && *(float *)th_array_data(a) == 1);
    th_array_release(a);
    put(i2, sizeof i2);
    a = th_load_idx(c, path);
    CHECK(a && ((int16_t *)th_array_data(a))[0] == -2 && ((int16_t *)th_array_data(a))[1] == 256);
    th_array_release(a);
    put("\0\0\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff", 12);
    CHECK(!th_load_idx(c, path));
    CHECK_ERROR(c, TH_IOError, "too large");
    put_gzip("\0\0\x08\x01\x7f\xff\xff\xff", 8); /* 2 GB claimed by 28 bytes */
    CHECK(!th_load_idx(c, path));
    CHECK_ERROR(c, TH_IOError, "truncated or corrupt");
    for (int i = 0; i < 4; i++) { /* each byte of the first four counts */
        char head[9] = {0, 0, 8, 1, 0, 0, 0, 1, 7};
        head[i] = (char)(i < 2 ? 1 : i == 2 ? 10 : 33);
        put(head, sizeof head);
        CHECK(!th_load_idx(c, path));
        CHECK_ERROR(c, TH_IOError, "not an IDX file");
    }
    put("\0\0\x08\x01\0\0\0\1xy", 10);
    CHECK(!th_load_idx(c, path));
    CHECK_ERROR(c, TH_IOError, "longer than its header says");
}

static int sequence(ThContext *c) {
    ThArray *a = range(c, TH_FLOAT64, 2, (int64_t[]){20, 30}), *t = a ? th_array_transpose(a, 0, NULL) : NULL;
    ThArray *odd = t ? th_array_view(t, 2, (int64_t[]){15, 20}, (int64_t[]){16, 240}, 0) : NULL;
    const char *names[] = {"a", "odd"};
    ThNpz z = {0};
    int ok = odd && th_save_npy(c, path, odd) == 0;
    ThArray *b = ok ? th_load_npy(c, path) : NULL;
    ok = b && th_save_npz(c, path, 2, names, (ThArray *const[]){a, odd}) == 0;
    ok = ok && th_save_npz_compressed(c, path, 2, names, (ThArray *const[]){a, odd}) == 0 &&
         th_load_npz(c, path, &z) == 0;
    CHECK(!ok || (z.n == 2 && th_array_equal(z.arrays[1], odd)));
    th_npz_free(c, &z);
    th_array_release(b);
    th_array_release(a);
    th_array_release(t);
    th_array_release(odd);
    return ok;
}

static int unzip(ThContext *c) {
    ThArray *a = th_load_idx(c, path);
    th_array_release(a);
    return a != NULL;
}

int main(void) {
    snprintf(path, sizeof path, "/tmp/theano-test-%ld.file", (long)getpid());
    snprintf(other, sizeof other, "%s.link", path);
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    npy_round_trips(c);
    npy_bytes(c);
    npy_forms(c);
    npy_refused(c);
    ThArray *small = range(c, TH_INT16, 1, (int64_t[]){5});
    char file[512];
    CHECK(th_save_npy(c, path, small) == 0);
    damage(c, 0, file, get(file, sizeof file));
    th_array_release(small);
    npz(c);
    idx(c);
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    test_every_failure(sequence);
    put_gzip("\0\0\x08\x01\0\0\0\4abcd", 12);
    test_every_failure(unzip);
    unlink(path);
    return test_done("base_files");
}
