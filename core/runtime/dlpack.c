/*
 * dlpack.c -- arrays for other libraries and theirs, without a copy: DLPack's tensors, of the host and of GPUs, and
 * plain addresses of a GPU. In: an array, or what another library gives. Out: the other one of the two. Always holds:
 * the memory stays until the last who has it lets go, on whichever thread; after an error nothing has changed hands.
 */
#include "runtime/device/space.h"
#include "base/parts.h"
#include "graph/graph.h"

#include <string.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_PINNED = 3, DL_EMULATED = 12 }; /* kDLExtDev */
enum { DL_INT, DL_UINT, DL_FLOAT, DL_BFLOAT = 4, DL_COMPLEX, DL_BOOL };
enum { DL_MAJOR = 1, DL_READ_ONLY = 1 };

/* ---- dtypes ------------------------------------------------------------------------------------------------------ */
static const struct DlType {
    const char *name; /* that is none of ours means nothing */
    uint8_t code, bits;
} dl_types[] = {
    {"bool", DL_BOOL, 8},        {"int8", DL_INT, 8},           {"int16", DL_INT, 16},
    {"int32", DL_INT, 32},       {"int64", DL_INT, 64},         {"uint8", DL_UINT, 8},
    {"uint16", DL_UINT, 16},     {"uint32", DL_UINT, 32},       {"uint64", DL_UINT, 64},
    {"float16", DL_FLOAT, 16},   {"float32", DL_FLOAT, 32},     {"float64", DL_FLOAT, 64},
    {"bfloat16", DL_BFLOAT, 16}, {"complex64", DL_COMPLEX, 64}, {"complex128", DL_COMPLEX, 128},
};

static ThDtype dtype_from(const ThDLTensor *t) {
    for (int i = 0; i < TH_LEN(dl_types); i++)
        if (dl_types[i].code == t->dtype.code && dl_types[i].bits == t->dtype.bits && t->dtype.lanes == 1)
            return th_dtype_from_name(dl_types[i].name);
    return TH_DTYPE_NONE;
}

static void dtype_to(ThDLTensor *t, ThDtype d) {
    for (int i = 0; i < TH_LEN(dl_types); i++)
        if (!strcmp(dl_types[i].name, th_dtype_name(d)))
            t->dtype.code = dl_types[i].code, t->dtype.bits = dl_types[i].bits, t->dtype.lanes = 1;
}

/* ---- out --------------------------------------------------------------------------------------------------------- */
typedef struct Lent {
    union {
        ThDLManaged old;
        ThDLVersioned versioned;
    } is;
    ThArray *a;
    size_t bytes;
    int64_t dims[]; /* lengths, then strides */
} Lent;

static void let_go(Lent *l) {
    ThArray *a = l->a;
    ThContext *c = array_ctx(a);
    atomic_fetch_sub(&a->buf->pins, 1);
    ctx_free(c, l, l->bytes); /* the array may be the last that keeps the context */
    th_array_release(a);
}
static void old_deleter(ThDLManaged *m) {
    if (m) let_go(m->manager);
}
static void versioned_deleter(ThDLVersioned *m) {
    if (m) let_go(m->manager);
}

/* Where it lies, and that whoever looks there finds its value. */
static bool place(ThContext *c, ThArray *a, ThDLTensor *t) {
    Device *d = space_of(a->buf);
    if (a->buf->passing || a->flags & (ARRAY_CSR | ARRAY_CSC))
        return err(c, TH_ValueError,
                   a->buf->passing ? "an array that is lent for a callback cannot be lent further"
                                   : "a sparse matrix has no strides to be lent by");
    if (!array_there(c, a)) return false;
    if (!d) {
        t->device.type = DL_CPU;
        return !a->size || (t->data = th_array_data(a)) != NULL;
    }
    uint64_t at = th_array_device_address(a);
    t->device.type = d->info.emulated ? DL_EMULATED : DL_CUDA;
    t->device.number = d->info.ordinal;
    t->data = (void *)(uintptr_t)at;
    return !failed(c);
}

static Lent *lend(ThArray *a, bool versioned) {
    ThContext *c = array_ctx(a);
    if (failed(c)) return NULL;
    if (!versioned && !th_array_writeable(a) && array_there(c, a)) {
        err(c, TH_ValueError, "this array may not be written, which only DLPack 1.0 can say: lend it versioned");
        return NULL;
    }
    size_t bytes = sizeof(Lent) + 2 * sizeof(int64_t) * (size_t)a->ndim;
    Lent *l = failed(c) ? NULL : ctx_alloc0(c, bytes);
    if (!l) return NULL;
    ThDLTensor *t = versioned ? &l->is.versioned.tensor : &l->is.old.tensor;
    if (!place(c, a, t)) {
        ctx_free(c, l, bytes);
        return NULL;
    }
    t->ndim = a->ndim, t->shape = l->dims, t->strides = l->dims + a->ndim;
    dtype_to(t, (ThDtype)a->dtype);
    for (int i = 0; i < a->ndim; i++) {
        l->dims[i] = ARRAY_SHAPE(a)[i];
        l->dims[a->ndim + i] = ARRAY_STRIDES(a)[i] / (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    }
    l->bytes = bytes;
    l->a = th_array_retain(a);
    atomic_fetch_add(&a->buf->pins, 1); /* th_array_free refuses */
    return l;
}

ThDLManaged *th_array_to_dlpack(ThArray *a) {
    Lent *l = a ? lend(a, false) : NULL;
    if (!l) return NULL;
    l->is.old.manager = l, l->is.old.deleter = old_deleter;
    return &l->is.old;
}

ThDLVersioned *th_array_to_dlpack_versioned(ThArray *a) {
    Lent *l = a ? lend(a, true) : NULL;
    if (!l) return NULL;
    ThDLVersioned *v = &l->is.versioned;
    v->major = DL_MAJOR, v->manager = l, v->deleter = versioned_deleter;
    v->flags = th_array_writeable(a) ? 0 : DL_READ_ONLY;
    return v;
}

/* ---- in ---------------------------------------------------------------------------------------------------------- */
static void delete_old(void *m) {
    ThDLManaged *t = m;
    if (t->deleter) t->deleter(t);
}
static void delete_versioned(void *m) {
    ThDLVersioned *t = m;
    if (t->deleter) t->deleter(t);
}

/* All that its strides reach, and where its first element stands in that. */
static ThArray *adopt(ThContext *c, Device *d, ThDtype dtype, int ndim, const int64_t *shape, const int64_t *strides,
                      uint64_t at, void (*release)(void *user), void *user) {
    int64_t size, bytes, own[TH_MAX_NDIM], low, high, item;
    if (!array_count(c, dtype, ndim, shape, &size, &bytes)) return NULL;
    if (!strides) {
        array_c_strides(dtype, ndim, shape, own);
        strides = own;
    }
    item = (int64_t)th_dtype_bytes(dtype);
    if (!size) {
        ThArray *none = th_array_empty(c, dtype, ndim, shape);
        if (none && release) release(user);
        return none;
    }
    if (!at || at % (uint64_t)item) {
        err(c, TH_ValueError, at ? "the address is no multiple of the element's %lld bytes" : "the address is 0",
            (long long)item);
        return NULL;
    }
    for (int i = 0; i < ndim; i++)
        if (strides[i] % item) {
            err(c, TH_ValueError, "a stride of %lld bytes is no multiple of the element's %lld", (long long)strides[i],
                (long long)item);
            return NULL;
        }
    if (!array_reach(c, dtype, ndim, shape, strides, &low, &high)) return NULL;
    ThArray *whole = space_adopt(c, d, dtype, (high - low) / item, at + (uint64_t)low);
    ThArray *a = whole ? th_array_view(whole, ndim, shape, strides, -low) : NULL;
    if (a) space_owner(a->buf, release, user);
    th_array_release(whole);
    return a;
}

static bool device_for(ThContext *c, const ThDLTensor *t, Device **d) {
    char name[40];
    *d = NULL;
    if (t->device.type == DL_CPU || t->device.type == DL_PINNED) return true;
    if (t->device.type != DL_CUDA && t->device.type != DL_EMULATED)
        return err(
            c, TH_ValueError,
            "DLPack's device type %d is neither the CPU's (1), CUDA's (2, pinned: 3) nor the emulated GPU's (12)",
            (int)t->device.type);
    bool by_driver = t->device.type == DL_CUDA || *config_str(c, "cuda.driver"); /* which may be the emulated one */
    number_format(name, sizeof name, by_driver ? "cuda%d" : "cuda-emulated%d", (int)t->device.number);
    if (!device_named(c, name, d)) return false;
    return (*d)->info.emulated == (t->device.type == DL_EMULATED) ||
           err(c, TH_ValueError, "DLPack's device type %d is not that of %s", (int)t->device.type, (*d)->info.name);
}

static ThArray *take(ThContext *c, const ThDLTensor *t, bool read_only, void (*release)(void *user), void *user) {
    int64_t strides[TH_MAX_NDIM];
    ThDtype dtype = dtype_from(t);
    Device *d;
    if (t->ndim < 0 || t->ndim > TH_MAX_NDIM || (t->ndim && !t->shape)) {
        err(c, TH_ValueError, "DLPack: %d dimensions (0 to %d have a meaning here)", (int)t->ndim, TH_MAX_NDIM);
        return NULL;
    }
    if (dtype == TH_DTYPE_NONE) {
        err(c, TH_TypeError, "DLPack: there is no dtype for code %d of %d bits by %d lanes", (int)t->dtype.code,
            (int)t->dtype.bits, (int)t->dtype.lanes);
        return NULL;
    }
    if (!device_for(c, t, &d)) return NULL;
    bool none = false;
    for (int i = 0; i < t->ndim; i++) none |= !t->shape[i];
    for (int i = 0; i < t->ndim && t->strides; i++)
        if (none || t->shape[i] == 1) strides[i] = (int64_t)th_dtype_bytes(dtype); /* nobody goes by it */
        else if (__builtin_mul_overflow(t->strides[i], (int64_t)th_dtype_bytes(dtype), &strides[i])) {
            err(c, TH_ValueError, "DLPack: a stride of %lld elements is too large", (long long)t->strides[i]);
            return NULL;
        }
    const int64_t *by = t->strides ? strides : NULL;
    char *at = t->data ? (char *)t->data + t->byte_offset : NULL;
    ThArray *a = d ? adopt(c, d, dtype, t->ndim, t->shape, by, (uintptr_t)at, release, user)
                   : th_array_wrap(c, dtype, t->ndim, t->shape, by, at, release, user);
    if (a && read_only) th_array_protect(a);
    return a;
}

ThArray *th_array_from_dlpack(ThContext *c, ThDLManaged *m) {
    if (!c) return NULL;
    if (!m) return err_missing(c, __func__), NULL;
    return failed(c) ? NULL : take(c, &m->tensor, false, delete_old, m);
}

ThArray *th_array_from_dlpack_versioned(ThContext *c, ThDLVersioned *m) {
    if (!c) return NULL;
    if (!m) return err_missing(c, __func__), NULL;
    if (failed(c)) return NULL;
    if (m->major > DL_MAJOR) {
        err(c, TH_ValueError, "DLPack %u.%u: versions up to %d are known", (unsigned)m->major, (unsigned)m->minor,
            DL_MAJOR);
        return NULL;
    }
    return take(c, &m->tensor, m->flags & DL_READ_ONLY, delete_versioned, m);
}

/* ---- addresses of a GPU ------------------------------------------------------------------------------------------ */
uint64_t th_array_device_address(ThArray *a) {
    ThContext *c = a ? array_ctx(a) : NULL;
    if (!a || failed(c) || !array_there(c, a) || !space_of(a->buf) || !space_settled(c, a->buf)) return 0;
    return space_at(a->buf) + (uint64_t)(a->data - a->buf->data);
}

ThArray *th_array_on_device(ThContext *c, const char *device, ThDtype d, int ndim, const int64_t *shape,
                            const int64_t *strides, uint64_t address, void (*release)(void *user), void *user) {
    Device *there;
    if (!c) return NULL;
    if (!device || (ndim > 0 && !shape)) return err_missing(c, __func__), NULL;
    if (failed(c) || !device_named(c, device, &there)) return NULL;
    if (!there) {
        err(c, TH_ValueError, "\"%s\" is no GPU: th_array_wrap takes memory of the host", device);
        return NULL;
    }
    return adopt(c, there, d, ndim, shape, strides, address, release, user);
}
