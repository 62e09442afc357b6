#!/usr/bin/env python3
"""Writes spec/data/matrices.json: NumPy's and SciPy's linear algebra on small arrays, for spec/linalg_spec.lua.

    python3 scripts/make-linalg-data.py     (needs NumPy and SciPy; running the specs does not)

calls  functions of numpy.linalg and scipy.linalg: the Lua text of the call and its results that do not depend on signs
       or phases of vectors, as {dtype, shape, data}
"""
import json

import numpy as np
import scipy.linalg as sl

from numpy_json import plain

# Lua text (la: nd.linalg, sl: T.slinalg evaluated, T.nlinalg as tn) and Python text
CALLS = [
    ("la.inv(a)", "np.linalg.inv(a)"), ("la.inv(c)", "np.linalg.inv(c)"), ("la.inv(b)", "np.linalg.inv(b)"),
    ("la.det(a)", "np.linalg.det(a)"), ("la.det(c)", "np.linalg.det(c)"), ("la.det(b)", "np.linalg.det(b)"),
    ("la.det(i)", "np.linalg.det(i)"),
    ("la.slogdet(a)", "tuple(np.linalg.slogdet(a))"), ("la.slogdet(c)", "tuple(np.linalg.slogdet(c))"),
    ("la.slogdet(b)", "tuple(np.linalg.slogdet(b))"),
    ("la.solve(a, v)", "np.linalg.solve(a, v)"), ("la.solve(a, r)", "np.linalg.solve(a, r)"),
    ("la.solve(b, r)", "np.linalg.solve(b, r)"), ("la.solve(c, r)", "np.linalg.solve(c, r)"),
    ("la.cholesky(s)", "np.linalg.cholesky(s)"), ("la.cholesky(s, true)", "np.linalg.cholesky(s).T"),
    ("la.cholesky(h)", "np.linalg.cholesky(h)"), ("la.cholesky(sb)", "np.linalg.cholesky(sb)"),
    ("la.eigvalsh(s)", "np.linalg.eigvalsh(s)"), ("la.eigvalsh(h, 'U')", "np.linalg.eigvalsh(h, 'U')"),
    ("la.eigvalsh(sb)", "np.linalg.eigvalsh(sb)"), ("nd.abs((la.eigh(s)))", "abs(np.linalg.eigh(s)[0])"),
    ("nd.sort(nd.abs(la.eigvals(a)))", "np.sort(abs(np.linalg.eigvals(a)))"),
    ("nd.sort(nd.abs(la.eigvals(c)))", "np.sort(abs(np.linalg.eigvals(c)))"),
    ("nd.sort(la.eigvals(s))", "np.sort(np.linalg.eigvals(s))"),
    ("la.svdvals(w)", "np.linalg.svd(w, compute_uv=False)"), ("la.svdvals(wb)", "np.linalg.svd(wb, compute_uv=False)"),
    ("la.svd(c, true, false)", "np.linalg.svd(c, compute_uv=False)"),
    ("nd.abs(la.qr(w, 'r'))", "abs(np.linalg.qr(w, 'r'))"), ("nd.abs(la.qr(w.T, 'r'))", "abs(np.linalg.qr(w.T, 'r'))"),
    ("nd.abs((la.qr(wb)))", "abs(np.linalg.qr(wb)[0])"),
    ("nd.abs((la.qr(w, 'complete')))", "abs(np.linalg.qr(w, 'complete')[0])"),
    ("la.norm(a)", "np.linalg.norm(a)"), ("la.norm(v)", "np.linalg.norm(v)"), ("la.norm(b)", "np.linalg.norm(b)"),
    ("la.norm(c)", "np.linalg.norm(c)"),
] + [
    ("la.norm(w, %s)" % o, "np.linalg.norm(w, %s)" % p)
    for o, p in [("1", "1"), ("-1", "-1"), ("2", "2"), ("-2", "-2"), ("'fro'", "'fro'"), ("'nuc'", "'nuc'"),
                 ("math.huge", "np.inf"), ("-math.huge", "-np.inf")]
] + [
    ("la.norm(v, %s)" % o, "np.linalg.norm(v, %s)" % p)
    for o, p in [("0", "0"), ("1", "1"), ("-1", "-1"), ("2.5", "2.5"), ("3", "3"), ("-2", "-2"),
                 ("math.huge", "np.inf"), ("-math.huge", "-np.inf")]
] + [
    ("la.norm(wb, 1, { axis = { 1, 2 } })", "np.linalg.norm(wb, 1, axis=(1, 2))"),
    ("la.norm(wb, 2, { axis = { 0, 2 }, keepdims = true })", "np.linalg.norm(wb, 2, axis=(0, 2), keepdims=True)"),
    ("la.norm(wb, 'nuc', { axis = { 2, 0 } })", "np.linalg.norm(wb, 'nuc', axis=(2, 0))"),
    ("la.norm(wb, 3, { axis = 1 })", "np.linalg.norm(wb, 3, axis=1)"),
    ("la.norm(wb, nil, { axis = -1, keepdims = true })", "np.linalg.norm(wb, None, axis=-1, keepdims=True)"),
    ("la.matrix_norm(wb)", "np.linalg.matrix_norm(wb)"), ("la.vector_norm(wb)", "np.linalg.vector_norm(wb)"),
    ("la.vector_norm(wb, { 0, 2 })", "np.linalg.vector_norm(wb, axis=(0, 2))"),
    ("la.vector_norm(wb, 1, true, 1)", "np.linalg.vector_norm(wb, axis=1, keepdims=True, ord=1)"),
    ("la.cond(a)", "np.linalg.cond(a)"), ("la.cond(a, 1)", "np.linalg.cond(a, 1)"),
    ("la.cond(a, 'fro')", "np.linalg.cond(a, 'fro')"), ("la.cond(b)", "np.linalg.cond(b)"),
    ("la.cond(a, -2)", "np.linalg.cond(a, -2)"), ("la.cond(w)", "np.linalg.cond(w)"),
    ("la.matrix_rank(a)", "np.linalg.matrix_rank(a)"), ("la.matrix_rank(k)", "np.linalg.matrix_rank(k)"),
    ("la.matrix_rank(wb)", "np.linalg.matrix_rank(wb)"), ("la.matrix_rank(w, 1.5)", "np.linalg.matrix_rank(w, 1.5)"),
    ("la.matrix_rank(s, nil, true)", "np.linalg.matrix_rank(s, hermitian=True)"),
    ("la.matrix_rank(v)", "np.linalg.matrix_rank(v)"),
    ("la.matrix_power(a, 3)", "np.linalg.matrix_power(a, 3)"),
    ("la.matrix_power(a, 0)", "np.linalg.matrix_power(a, 0)"),
    ("la.matrix_power(a, -2)", "np.linalg.matrix_power(a, -2)"),
    ("la.matrix_power(b, 5)", "np.linalg.matrix_power(b, 5)"),
    ("la.matrix_power(b, 0)", "np.linalg.matrix_power(b, 0)"),
    ("la.matrix_power(i, 7)", "np.linalg.matrix_power(i, 7)"),
    ("la.multi_dot(v, a, w, w.T, v)", "np.linalg.multi_dot([v, a, w, w.T, v])"),
    ("la.multi_dot({ w, w.T, a })", "np.linalg.multi_dot([w, w.T, a])"),
    ("la.tensorinv(t, 2)", "np.linalg.tensorinv(t, 2)"), ("la.tensorinv(q, 1)", "np.linalg.tensorinv(q, 1)"),
    ("la.tensorsolve(t, y)", "np.linalg.tensorsolve(t, y)"),
    ("la.tensorsolve(t:transpose({ 2, 0, 1 }), y, { 0 })",
     "np.linalg.tensorsolve(t.transpose(2, 0, 1), y, axes=(0,))"),
    ("la.vecdot(w, w * 2)", "np.linalg.vecdot(w, w * 2)"),
    ("la.vecdot(c, c, 0)", "np.linalg.vecdot(c, c, axis=0)"),
    ("la.cross(w, w['::-1'])", "np.linalg.cross(w, w[::-1])"),
    ("la.trace(wb)", "np.trace(wb, 0, -2, -1)"), ("la.diagonal(wb, 1)", "np.diagonal(wb, 1, -2, -1)"),
    ("la.matrix_transpose(wb)", "np.swapaxes(wb, -1, -2)"), ("la.outer(v, v)", "np.outer(v, v)"),
    ("la.pinv(w)", "np.linalg.pinv(w)"), ("la.pinv(k, 1e-10)", "np.linalg.pinv(k, 1e-10)"),
    ("la.pinv(wb)", "np.linalg.pinv(wb)"), ("la.pinv(c)", "np.linalg.pinv(c)"),
    ("la.pinv(s, 1e-10, true)", "np.linalg.pinv(s, 1e-10, True)"),
    ("la.lstsq(w, v)", "tuple(np.linalg.lstsq(w, v))"), ("la.lstsq(w, r)", "tuple(np.linalg.lstsq(w, r))"),
    ("la.lstsq(w.T, r['0:3'])", "tuple(np.linalg.lstsq(w.T, r[0:3]))"),
    ("la.lstsq(k, v, 1e-10)", "tuple(np.linalg.lstsq(k, v, 1e-10))"),
    # SciPy's
    ("sl.solve(a, r, { trans = 1 })", "sl.solve(a.T, r)"),
    ("sl.solve(c, r, { trans = 'C' })", "sl.solve(c.conj().T, r)"),
    ("sl.solve(c, r, { trans = 'T' })", "sl.solve(c.T, r)"),
    ("sl.solve(s, v, { assume_a = 'pos' })", "sl.solve(s, v, assume_a='pos')"),
    ("sl.solve(h, r, { assume_a = 'her', lower = true })", "sl.solve(h, r, assume_a='her', lower=True)"),
    ("sl.solve(h + 1i * s, r, { assume_a = 'sym' })".replace("1i", "nd.complex(0, 1)"),
     "sl.solve(np.triu(h + 1j * s) + np.triu(h + 1j * s, 1).T, r)"),
    ("sl.solve_triangular(a, r)", "sl.solve_triangular(a, r)"),
    ("sl.solve_triangular(a, r, { lower = true, trans = 1, unit_diagonal = true })",
     "sl.solve_triangular(a, r, lower=True, trans=1, unit_diagonal=True)"),
    ("sl.solve_lower_triangular(a, v)", "sl.solve_triangular(a, v, lower=True)"),
    ("sl.solve_upper_triangular(a, v)", "sl.solve_triangular(a, v)"),
    ("sl.cho_solve({ la.cholesky(s), true }, r)", "sl.solve(s, r)"),
    ("sl.cho_solve(la.cholesky(h, true), r, false)", "sl.solve(h, r)"),
    ("sl.lu(a)", "sl.lu(a)"), ("sl.lu(w)", "sl.lu(w)"), ("sl.lu(w.T)", "sl.lu(w.T)"), ("sl.lu(c)", "sl.lu(c)"),
    ("sl.lu(w, true)", "sl.lu(w, permute_l=True)"), ("sl.lu_factor(a)", "sl.lu_factor(a)"),
    ("sl.eigvalsh(s, s + nd.eye(4) * 3)", "sl.eigvalsh(s, s + np.eye(4) * 3)"),
    ("sl.block_diag(a, w, v)", "sl.block_diag(a, w, v)"), ("sl.block_diag(i, s)", "sl.block_diag(i, s)"),
    ("sl.kron(a, w)", "np.kron(a, w)"),
    ("sl.expm(a)", "sl.expm(a)"), ("sl.expm(a * 20)", "sl.expm(a * 20)"), ("sl.expm(c)", "sl.expm(c)"),
    ("sl.expm(b)", "sl.expm(b)"), ("sl.sqrtm(s)", "sl.sqrtm(s)"), ("sl.sqrtm(c)", "sl.sqrtm(c)"),
    ("sl.logm(s)", "sl.logm(s)"), ("sl.logm(c)", "sl.logm(c)"),
]


def main():
    rng = np.random.RandomState(7)
    a = rng.randn(4, 4) + 2 * np.eye(4)
    c = rng.randn(4, 4) + 1j * rng.randn(4, 4) + 3 * np.eye(4)
    g = rng.randn(2, 3, 3)
    arrays = {
        "a": a, "c": c, "b": rng.randn(2, 4, 4) + 2 * np.eye(4), "i": rng.randint(-3, 4, (3, 3)), "v": rng.randn(4),
        "r": rng.randn(4, 2), "s": a @ a.T + np.eye(4), "h": c @ c.conj().T + np.eye(4), "sb": g @ g.swapaxes(1, 2),
        "w": rng.randn(4, 3), "wb": rng.randn(2, 4, 3), "k": rng.randn(4, 2) @ rng.randn(2, 3),
        "t": rng.randn(2, 3, 6), "q": rng.randn(6, 2, 3), "y": rng.randn(2, 3),
    }
    calls = []
    for lua, python in CALLS:
        value = eval(python, {"np": np, "sl": sl, **arrays})
        value = value if isinstance(value, tuple) else (value,)
        value = [int(x) if isinstance(x, np.int32) else x for x in value]  # ranks
        calls.append({"call": lua, "results": [plain(x) for x in value]})
    with open("spec/data/matrices.json", "w") as f:
        f.write('{"numpy": "%s",\n"arrays": %s,\n"calls": [\n' %
                (np.__version__, json.dumps({k: plain(v) for k, v in arrays.items()})))
        f.write(",\n".join(json.dumps(x) for x in calls))
        f.write("\n]}\n")


main()
