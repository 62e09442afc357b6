#!/usr/bin/env python3
"""Writes spec/data/images.json: SciPy's and NumPy's answers for convolutions and pooling over borders, steps,
dilations, groups, dtypes.

    python3 scripts/make-image-data.py      (needs NumPy and SciPy; running the specs does not)

"convs" and "pools" are lists of cases: `expr` in Lua over T and the inputs x (images) and w (filters), arrays x, w, y
(the result) and, for floats, g (what comes back to y), gx, gw. Elements are small integers, so that sums of products
are exact in every dtype; only averages are not.
"""
import itertools
import json
import os

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import signal

from numpy_json import plain

rng = np.random.RandomState(9)


def small(shape, dtype):
    a = rng.randint(0 if dtype.startswith("u") else -3, 4, shape)
    if dtype.startswith("c"):
        a = a + 1j * rng.randint(-3, 4, shape)
    return a.astype(dtype)


def lua(v):
    if isinstance(v, (list, tuple)):
        return "{" + ", ".join(map(lua, v)) + "}"
    return {True: "true", False: "false"}[v] if isinstance(v, bool) else '"%s"' % v if isinstance(v, str) else str(v)


def keywords(**k):
    return "{" + ", ".join("%s = %s" % (name, lua(v)) for name, v in k.items()) + "}"


# ---- convolution ----
def spread(a, every, dims):
    """Elements `every` apart in the last dims, zeros between."""
    shape = a.shape[:-dims] + tuple((n - 1) * e + 1 for n, e in zip(a.shape[-dims:], every))
    out = np.zeros(shape, a.dtype)
    out[(Ellipsis,) + tuple(slice(None, None, e) for e in every)] = a
    return out


def padding(border, reach):
    if border == "valid":
        return [(0, 0)] * len(reach)
    if border == "half":
        return [(r // 2, r // 2) for r in reach]
    if border == "full":
        return [(r - 1, r - 1) for r in reach]
    if isinstance(border, int):
        return [(border, border)] * len(reach)
    return [tuple(b) if isinstance(b, (list, tuple)) else (b, b) for b in border]


def conv(x, w, border, step, dilation, groups, flip):
    """(y, function from g to (gx, gw)), each sum by scipy.signal."""
    dims = x.ndim - 2
    turn = (slice(None),) * 2 + (slice(None, None, -1),) * dims
    taps = spread(w if not flip else w[turn], dilation, dims)  # as they are laid on
    pad = padding(border, taps.shape[2:])
    px = np.pad(x, [(0, 0), (0, 0)] + pad)
    n, o, c = len(x), len(w) // groups, w.shape[1]
    every = tuple(slice(None, None, s) for s in step)

    def correlate(a, b, mode="valid"):
        # scipy.signal.correlate conjugates b; direct sums are exact for integers
        return signal.correlate(a, np.conj(b), mode, method="direct")

    whole = tuple(p - t + 1 for p, t in zip(px.shape[2:], taps.shape[2:]))
    y = np.zeros((n, len(w)) + whole, np.result_type(x, w))
    for i, k, j in itertools.product(range(n), range(len(w)), range(c)):
        y[i, k] += correlate(px[i, k // o * c + j], taps[k, j])
    y = y[(slice(None),) * 2 + every]

    def back(g):
        full = np.zeros((n, len(w)) + whole, g.dtype)
        full[(slice(None),) * 2 + every] = g
        gpx, gtaps = np.zeros_like(px), np.zeros_like(taps)
        for i, k, j in itertools.product(range(n), range(len(w)), range(c)):
            at = k // o * c + j
            gpx[i, at] += signal.convolve(full[i, k], taps[k, j], "full", method="direct")
            gtaps[k, j] += correlate(px[i, at], full[i, k])
        inner = tuple(slice(a, a + m) for (a, _), m in zip(pad, x.shape[2:]))
        gw = gtaps[(slice(None),) * 2 + tuple(slice(None, None, d) for d in dilation)]
        return gpx[(slice(None),) * 2 + inner], gw[turn] if flip else gw

    return y, back


def conv_case(dims, dtypes, border, step, dilation, groups, flip, lengths=None, sizes=None):
    lengths = lengths or ([7, 6] if dims == 2 else [4, 5, 4])
    sizes = sizes or ([3, 2] if dims == 2 else [2, 3, 2])
    x = small([2, 2 * groups] + lengths, dtypes[0])
    w = small([2 * groups, 2] + sizes, dtypes[1])
    y, back = conv(x, w, border, step, dilation, groups, flip)
    k = dict(border_mode=border, subsample=step, filter_dilation=dilation, num_groups=groups, filter_flip=flip)
    case = {"expr": "T.nnet.conv%dd(x, w, %s)" % (dims, keywords(**k)), "x": x, "w": w, "y": y}
    if dtypes[0] == dtypes[1] and dtypes[0].startswith("f"):
        case["g"] = small(y.shape, dtypes[0])
        case["gx"], case["gw"] = back(case["g"])
    return {name: v if name == "expr" else plain(v) for name, v in case.items()}


def conv_cases():
    borders = {2: ["valid", "half", "full", 1, [2, 0], [[1, 0], [0, 2]]], 3: ["valid", "half", "full", 1, [0, 1, 2]]}
    for dims in (2, 3):
        steps = [[1, 1], [2, 1], [2, 3]] if dims == 2 else [[1, 1, 1], [2, 1, 2]]
        dilations = [[1, 1], [2, 1]] if dims == 2 else [[1, 1, 1], [1, 2, 1]]
        for i, (border, step, dilation) in enumerate(itertools.product(borders[dims], steps, dilations)):
            dtype = ("float32", "float64")[i % 2]
            yield conv_case(dims, (dtype, dtype), border, step, dilation, 1 + i // 2 % 2, i % 3 != 1)
    for dtypes in (("int8", "int8"), ("int32", "int64"), ("uint8", "int16"), ("complex64", "complex64"),
                   ("complex128", "complex128"), ("float32", "float64"), ("float64", "int32"),
                   ("complex64", "float32")):
        yield conv_case(2, dtypes, [[1, 0], [0, 2]], [1, 2], [1, 1], 2, True)
    for dtype in ("float32", "float64"):  # rows of whole vectors, filters of many taps
        yield conv_case(2, (dtype, dtype), "half", [1, 1], [1, 1], 1, True, [5, 37], [3, 9])
        yield conv_case(2, (dtype, dtype), [[0, 3], [5, 0]], [1, 1], [1, 2], 1, False, [6, 33], [4, 5])


# ---- pooling ----
def windows(n, ws, st, pad, ignore):
    """(first element, one behind the last, elements an average with padding counts) of each window."""
    whole = n + 2 * pad
    if ignore:
        count = max((whole - ws) // st + 1, 0)
    elif st >= ws:
        count = (whole - 1) // st + 1
    else:
        count = max(0, (whole - 1 - ws + st) // st) + 1
    for q in range(count):
        first = q * st - pad
        last = min(first + ws, n if not ignore else n + pad)
        yield max(first, 0), min(last, n), ws if ignore else last - first


def pool(x, ws, st, pad, ignore, mode, g=None):
    """The result and, with g, its gradient for x."""
    dims = len(ws)
    axes = [list(windows(n, *a, ignore)) for n, *a in zip(x.shape[-dims:], ws, st, pad)]
    flat = x.reshape((-1,) + x.shape[-dims:])
    y = np.zeros((len(flat),) + tuple(map(len, axes)), "float64")
    gx = np.zeros(flat.shape, "float64")
    gs = None if g is None else g.reshape(y.shape)
    for q in itertools.product(*(range(len(a)) for a in axes)):
        at = tuple(slice(axes[d][i][0], axes[d][i][1]) for d, i in enumerate(q))
        counted = np.prod([axes[d][i][2] for d, i in enumerate(q)])
        for k in range(len(flat)):
            part = flat[k][at]
            here = gs[(k,) + q] if gs is not None else 0
            by = {"average_inc_pad": counted, "average_exc_pad": part.size}.get(mode, 1)
            y[(k,) + q] = part.max() if mode == "max" else part.sum() / by
            gx[k][at] += here * (part == part.max()) if mode == "max" else here / by
    return y.reshape(x.shape[:-dims] + y.shape[1:]), gx.reshape(x.shape)


def pool_cases():
    # where windows do not overlap and nothing is padded, NumPy alone says it
    x = small((2, 2, 6, 9), "float64")
    view = sliding_window_view(x, (2, 3), (2, 3))[:, :, ::2, ::3]
    assert (view.max((-1, -2)) == pool(x, (2, 3), (2, 3), (0, 0), True, "max")[0]).all()
    assert np.allclose(view.mean((-1, -2)), pool(x, (2, 3), (2, 3), (0, 0), True, "average_exc_pad")[0])
    for dims in (2, 3):
        forms = [((2, 2), (2, 2), (0, 0)), ((3, 2), (1, 2), (0, 0)), ((2, 3), (3, 2), (0, 0)), ((3, 3), (2, 2), (1, 2)),
                 ((1, 4), (1, 1), (0, 1))]
        for i, (form, ignore, mode) in enumerate(itertools.product(
                forms, (True, False), ("max", "sum", "average_inc_pad", "average_exc_pad"))):
            ws, st, pad = form if dims == 2 else (f + (2 - j // 2,) for j, f in enumerate(form))
            pad = tuple(pad) if dims == 2 else tuple(pad[:2]) + (0,)
            if (any(pad) and not ignore) or (dims == 3 and i % 3):
                continue
            dtype = "int32" if mode in ("max", "sum") and i % 5 == 4 else ("float32", "float64")[i % 2]
            x = small((2, 2, 7, 6) if dims == 2 else (1, 2, 5, 4, 5), dtype)
            g = small(pool(x, ws, st, pad, ignore, mode)[0].shape, "float64")
            y, gx = pool(x, ws, st, pad, ignore, mode, g)
            k = keywords(ws=ws, stride=st, pad=pad, ignore_border=ignore, mode=mode)
            case = {"expr": "T.signal.pool.pool_%dd(x, %s)" % (dims, k), "x": plain(x), "y": plain(y.astype(dtype))}
            if dtype != "int32":
                case.update(g=plain(g.astype(dtype)), gx=plain(gx.astype(dtype)))
            yield case


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data", "images.json")
    with open(path, "w") as f:
        f.write('{"convs": [\n')
        f.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in conv_cases()))
        f.write('\n], "pools": [\n')
        f.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in pool_cases()))
        f.write("\n]}\n")


main()
