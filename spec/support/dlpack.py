"""NumPy and libtheano exchange arrays by DLPack, with nothing but ctypes between them; prints "all is well"."""
import ctypes as c
import gc
import sys

import numpy as np

lib = c.CDLL(sys.argv[1])
api = c.pythonapi
P = c.c_void_p
for name, result, args in (
        ("th_context_new", P, [P]), ("th_context_release", None, [P]),
        ("th_array_zeros", P, [P, c.c_int, c.c_int, P]), ("th_array_release", None, [P]), ("th_array_data", P, [P]),
        ("th_array_transpose", P, [P, c.c_int, P]), ("th_dtype_from_name", c.c_int, [c.c_char_p]),
        ("th_array_to_dlpack", P, [P]), ("th_array_to_dlpack_versioned", P, [P]),
        ("th_array_from_dlpack", P, [P, P]), ("th_array_from_dlpack_versioned", P, [P, P]),
        ("th_array_str", P, [P, P]), ("th_array_writeable", c.c_bool, [P]), ("th_error_text", c.c_char_p, [P])):
    f = getattr(lib, name)
    f.restype, f.argtypes = result, args
api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = c.py_object, [P, c.c_char_p, P]
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = P, [c.py_object, c.c_char_p]
api.PyCapsule_SetName.restype, api.PyCapsule_SetName.argtypes = c.c_int, [c.py_object, c.c_char_p]
api.PyCapsule_IsValid.restype, api.PyCapsule_IsValid.argtypes = c.c_int, [c.py_object, c.c_char_p]

context = lib.th_context_new(None)
OLD, NEW = b"dltensor", b"dltensor_versioned"


class Lent:
    """An array of ours as NumPy asks for it."""

    def __init__(self, array, versioned):
        self.array, self.versioned = array, versioned

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **how):
        if self.versioned and how.get("max_version"):
            return api.PyCapsule_New(lib.th_array_to_dlpack_versioned(self.array), NEW, None)
        return api.PyCapsule_New(lib.th_array_to_dlpack(self.array), OLD, None)


for name in ("bool", "int8", "int64", "uint16", "float32", "float64", "complex64", "complex128"):
    for versioned in (False, True):
        shape = (c.c_int64 * 2)(2, 3)
        ours = lib.th_array_zeros(context, lib.th_dtype_from_name(name.encode()), 2, shape)
        there = np.frombuffer((c.c_char * (6 * np.dtype(name).itemsize)).from_address(lib.th_array_data(ours)), name)
        there[:] = np.arange(6) % 2 if name == "bool" else np.arange(6)
        turned = lib.th_array_transpose(ours, 2, None)
        seen = np.from_dlpack(Lent(turned, versioned))
        assert seen.dtype == name and seen.shape == (3, 2) and seen.ctypes.data == lib.th_array_data(ours)
        assert (seen == there.reshape(2, 3).T).all(), (name, seen)
        lib.th_array_release(turned)
        lib.th_array_release(ours)
        assert (seen[2, 1] == there[5]).all()  # NumPy keeps it
        del seen, there
        gc.collect()


def taken(array, **how):
    """An array of NumPy's as ours."""
    capsule = array.__dlpack__(**how)
    versioned = api.PyCapsule_IsValid(capsule, NEW)
    name = NEW if versioned else OLD
    take = lib.th_array_from_dlpack_versioned if versioned else lib.th_array_from_dlpack
    a = take(context, api.PyCapsule_GetPointer(capsule, name))
    assert a, lib.th_error_text(context)
    api.PyCapsule_SetName(capsule, b"used_" + name)  # it is ours now
    return a


for how in ({}, {"max_version": (1, 0)}):
    theirs = np.arange(24, dtype="float32").reshape(2, 3, 4)[:, ::-1, ::2]
    before = sys.getrefcount(theirs.base)
    try:
        a = taken(theirs, **how)
    except TypeError:
        continue  # NumPy 1 knows no versions
    assert lib.th_array_data(a) == theirs.ctypes.data
    text = c.string_at(lib.th_array_str(context, a)).decode()
    assert text.replace(".0", ".").split() == str(theirs).split(), text
    lib.th_array_release(a)
    gc.collect()
    assert sys.getrefcount(theirs.base) == before
lib.th_context_release(context)
print("all is well")
