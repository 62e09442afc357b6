/*
 * dlpack.c -- arrays lent to other libraries and taken from them: strides, dtypes, who lets go when, read-only ones,
 * what is refused; on the host and on the emulated GPU, by DLPack and by plain addresses.
 */
#include "runtime/device/device.h"
#include "test.h"

static int deleted;
static void theirs(ThDLManaged *m) {
    (void)m;
    deleted++;
}
static void theirs_versioned(ThDLVersioned *m) {
    (void)m;
    deleted++;
}
static void noted(void *user) { ++*(int *)user; }

static const int64_t six[] = {2, 3};

static void lent(ThContext *c) {
    ThArray *a = th_array_zeros(c, TH_FLOAT32, 2, six), *t = th_array_transpose(a, 2, NULL);
    float *at = th_array_data(a);
    for (int i = 0; i < 6; i++) at[i] = (float)i;
    ThDLManaged *m = th_array_to_dlpack(t);
    CHECK(m && m->tensor.data == at && m->tensor.ndim == 2 && m->tensor.byte_offset == 0);
    CHECK(m->tensor.device.type == 1 && m->tensor.device.number == 0);
    CHECK(m->tensor.dtype.code == 2 && m->tensor.dtype.bits == 32 && m->tensor.dtype.lanes == 1);
    CHECK(m->tensor.shape[0] == 3 && m->tensor.shape[1] == 2);
    CHECK(m->tensor.strides[0] == 1 && m->tensor.strides[1] == 3);
    th_array_free(t);
    CHECK_ERROR(c, TH_ValueError, "cannot be freed");
    th_array_release(t);
    th_array_release(a);
    CHECK(((float *)m->tensor.data)[5] == 5); /* it stays */
    m->deleter(m);

    a = th_array_zeros(c, TH_BOOL, 1, six);
    th_array_protect(a);
    CHECK(!th_array_to_dlpack(a));
    CHECK_ERROR(c, TH_ValueError, "may not be written");
    ThDLVersioned *v = th_array_to_dlpack_versioned(a);
    CHECK(v && v->major == 1 && v->flags == 1 && v->tensor.dtype.code == 6 && v->tensor.dtype.bits == 8);
    v->deleter(v);
    th_array_free(a);
    CHECK(!th_array_to_dlpack_versioned(a));
    CHECK_ERROR(c, TH_ValueError, "was freed");
    th_array_release(a);
}

static void every_dtype(ThContext *c) {
    for (int d = 0; d < TH_DTYPE_COUNT; d++) {
        ThArray *a = th_array_zeros(c, (ThDtype)d, 2, six);
        ThDLManaged *m = th_array_to_dlpack(a);
        CHECK(m && m->tensor.dtype.bits == 8 * th_dtype_bytes((ThDtype)d));
        ThArray *b = th_array_from_dlpack(c, m);
        CHECK(b && th_array_dtype(b) == (ThDtype)d && th_array_data(b) == th_array_data(a));
        CHECK(!b || th_array_shares_memory(a, b));
        th_array_release(a);
        th_array_release(b);
    }
}

/* A context goes with the last that was lent. */
static void outlives(void) {
    ThContext *c = th_context_new(NULL);
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 2, six);
    ThDLVersioned *v = th_array_to_dlpack_versioned(a);
    th_array_release(a);
    th_context_release(c);
    CHECK(v && ((double *)v->tensor.data)[5] == 0);
    if (v) v->deleter(v);
}

static void taken(ThContext *c) {
    static double memory[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    int64_t shape[] = {2, 3}, strides[] = {-6, 2};
    ThDLManaged m = {.tensor = {memory, {1, 0}, 2, {2, 64, 1}, shape, strides, 6 * sizeof(double)}, .deleter = theirs};
    ThArray *a = th_array_from_dlpack(c, &m), *view = th_array_transpose(a, 2, NULL);
    ThValue x = {0};
    deleted = 0;
    CHECK(a && !th_array_get(a, (int64_t[]){1, 2}, &x) && x.f == 4);
    th_array_release(a);
    CHECK(deleted == 0);
    th_array_release(view);
    CHECK(deleted == 1);
    m.tensor.strides = NULL;
    m.tensor.byte_offset = 0;
    a = th_array_from_dlpack(c, &m);
    CHECK(a && th_array_contiguous(a) && th_array_data(a) == memory);
    th_array_release(a);
    CHECK(deleted == 2);
    ThDLVersioned v = {.major = 1, .minor = 3, .flags = 1, .tensor = m.tensor, .deleter = theirs_versioned};
    a = th_array_from_dlpack_versioned(c, &v);
    CHECK(a && !th_array_writeable(a));
    th_array_release(a);
    CHECK(deleted == 3);
}

/* After an error the tensor is still the caller's. */
static void refused(ThContext *c) {
    static double memory[12];
    int64_t shape[] = {2, 3}, wild[] = {INT64_MAX, 1}, negative[] = {-2, 3};
    int64_t far[] = {INT64_MAX / 16, INT64_MAX / 16}, one[] = {1, 3};
    const ThDLTensor good = {memory, {1, 0}, 2, {2, 64, 1}, shape, NULL, 0};
    ThDLManaged m = {.deleter = theirs};
    deleted = 0;
#define REFUSED(change, kind, words) \
    do { \
        m.tensor = good; \
        change; \
        CHECK(!th_array_from_dlpack(c, &m)); \
        CHECK_ERROR(c, kind, words); \
    } while (0)
    REFUSED(m.tensor.dtype.lanes = 4, TH_TypeError, "by 4 lanes");
    REFUSED(m.tensor.dtype.code = 3, TH_TypeError, "code 3");
    REFUSED(m.tensor.dtype.bits = 7, TH_TypeError, "7 bits");
    REFUSED(m.tensor.ndim = -1, TH_ValueError, "-1 dimensions");
    REFUSED(m.tensor.ndim = 1000, TH_ValueError, "1000 dimensions");
    REFUSED(m.tensor.shape = NULL, TH_ValueError, "2 dimensions");
    REFUSED(m.tensor.shape = negative, TH_ValueError, "");
    REFUSED(m.tensor.strides = wild, TH_ValueError, "too large");
    REFUSED(m.tensor.strides = far, TH_ValueError, "out of all memory");
    far[0] = INT64_MIN / 8;
    REFUSED(m.tensor.strides = far, TH_ValueError, "out of all memory");
    REFUSED(m.tensor.data = NULL, TH_ValueError, "no memory");
    REFUSED(m.tensor.byte_offset = 3, TH_ValueError, "");
    REFUSED(m.tensor.device.type = 8, TH_ValueError, "device type 8");
    ThDLVersioned v = {.major = 2, .tensor = good, .deleter = theirs_versioned};
    CHECK(!th_array_from_dlpack_versioned(c, &v));
    CHECK_ERROR(c, TH_ValueError, "DLPack 2.0");
    CHECK(!th_array_from_dlpack(c, NULL) && th_error(c));
    th_error_clear(c);
    CHECK(deleted == 0);
    int64_t none[] = {0, 3};
    m.tensor = good, m.tensor.shape = none, m.tensor.data = NULL;
    m.tensor.strides = wild;
    ThArray *a = th_array_from_dlpack(c, &m);
    CHECK(a && th_array_size(a) == 0);
    th_array_release(a);
    CHECK(deleted == 1);
    m.tensor = good, m.tensor.shape = one, m.tensor.strides = wild; /* a stride of a length of 1 is nobody's way */
    a = th_array_from_dlpack(c, &m);
    CHECK(a && th_array_size(a) == 3 && th_array_contiguous(a));
    th_array_release(a);
    CHECK(deleted == 2);
}

static double at(ThArray *a, int64_t i, int64_t j) {
    ThValue x = {0};
    CHECK(a && !th_array_get(a, (int64_t[]){i, j}, &x));
    return x.f;
}

/* Memory of another GPU than the one that is said to have it, and numbers that no GPU has. */
static void not_there(ThContext *c, ThDLTensor t) {
    ThDLManaged m = {.tensor = t, .deleter = theirs};
    const int32_t numbers[] = {2, 7, 10, 9999, INT32_MAX, -1, INT32_MIN};
    deleted = 0;
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++) {
        m.tensor.device.number = numbers[i];
        CHECK(!th_array_from_dlpack(c, &m));
        bool sensible = numbers[i] >= 0 && numbers[i] < 10000;
        CHECK_ERROR(c, sensible ? TH_GpuError : TH_ValueError, "there is no ");
    }
    m.tensor.device.number = 0, m.tensor.device.type = 2;
    CHECK(!th_array_from_dlpack(c, &m));
    CHECK_ERROR(c, TH_ValueError, "device type 2 is not that of emulated");
    CHECK(deleted == 0);
    m.tensor.device.type = 12;
    ThArray *a = th_array_from_dlpack(c, &m);
    CHECK(a && deleted == 0);
    th_array_release(a);
    CHECK(deleted == 1);
}

/* One array lends its memory on the GPU, another one takes it: what either writes there the other one sees. */
static void on_a_gpu(ThContext *c) {
    CHECK(!th_config_set(c, "cuda.driver", TH_EMULATED));
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 2, six);
    double *v = th_array_data(a);
    for (int i = 0; i < 6; i++) v[i] = i;
    CHECK(th_array_device_address(a) == 0 && !th_error(c));
    ThArray *g = th_array_to_device(a, "cuda");
    ThArray *turned = th_array_transpose(g, 2, NULL);
    ThDLManaged *m = th_array_to_dlpack(turned);
    CHECK(m && m->tensor.device.type == 12 && m->tensor.device.number == 0);
    CHECK(m && (uintptr_t)m->tensor.data == th_array_device_address(g));
    ThArray *b = th_array_from_dlpack(c, m);
    CHECK(th_array_device(b) == 0 && at(b, 2, 1) == 5 && th_array_device_address(b) == th_array_device_address(g));
    th_array_release(turned);
    ThDevice before, now;
    th_device_get(c, "cuda", &before);
    th_array_release(g);
    th_device_get(c, "cuda", &now);
    CHECK(now.used == before.used); /* b has it still */
    th_array_release(b);
    th_device_get(c, "cuda", &now);
    CHECK(now.used < before.used);

    g = th_array_to_device(a, "cuda");
    ThDLTensor there = {(void *)(uintptr_t)th_array_device_address(g), {12, 0}, 2, {2, 64, 1}, (int64_t *)six, NULL, 0};
    not_there(c, there);
    th_array_release(g);

    int gone = 0;
    g = th_array_to_device(a, "cuda");
    uint64_t address = th_array_device_address(g);
    CHECK(!th_array_on_device(c, "cuda", TH_FLOAT64, 2, six, NULL, 0, noted, &gone));
    CHECK_ERROR(c, TH_ValueError, "the address is 0");
    CHECK(!th_array_on_device(c, "cuda", TH_FLOAT64, 2, six, NULL, address + 3, noted, &gone));
    CHECK_ERROR(c, TH_ValueError, "no multiple");
    CHECK(!th_array_on_device(c, "cpu", TH_FLOAT64, 2, six, NULL, address, noted, &gone));
    CHECK_ERROR(c, TH_ValueError, "is no GPU");
    int64_t back[] = {-24, 8};
    ThArray *w = th_array_on_device(c, "cuda", TH_FLOAT64, 2, six, back, address + 24, noted, &gone);
    CHECK(w && at(w, 0, 1) == 4 && at(w, 1, 2) == 2 && gone == 0);
    th_array_release(w);
    CHECK(gone == 1);
    CHECK(at(g, 1, 2) == 5);
    th_array_release(g);
    th_array_release(a);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    lent(c);
    every_dtype(c);
    outlives();
    taken(c);
    refused(c);
    on_a_gpu(c);
    th_context_release(c);
    return test_done("dlpack");
}
