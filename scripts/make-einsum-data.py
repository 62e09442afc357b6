#!/usr/bin/env python3
"""Writes spec/data/einsum.json: NumPy's einsum and matmul on small arrays, for spec/einsum_spec.lua.

    python3 scripts/make-einsum-data.py     (needs NumPy; running the specs does not)

einsum  `text`, its `operands` and `output`, as arrays
matmul  `operands` and `output`
"""
import json
import random

import numpy as np

from numpy_json import plain

LENGTHS = dict(a=2, b=3, c=4, d=5, e=2, f=3, B=4, _=3)
TEXTS = [
    "ab,bc->ac", "ab,bc", "ab,bc,cd->ad", "ab,bc,cd,de,ef->af", "abc,abc->", "abc,abc->a", "abc,cba->b", "aab,b->a",
    "aab->b", "aa", "aa->a", "a,b->ab", "a,b->ba", "a,a->a", "ab->ba", "ab->", "ab->b", "abc,bd->acd", "abc,cd,ad->b",
    "...ab,...bc->...ac", "...a,a->...", "a...,...a->...", "a...->...", "...,...->...", "ab...,b...->a...", "...ab,bc",
    "ab,ab,ab->ab", "ab,b,a->", "abcd,bd->ac", "ab,cb,ad,cd->", "a,ab,abc->abc", "ab, bc -> ac", "aabb->ab",
    "abab->ba", "a,b,c,d->abcd", "ab,ab->", "aB,Bc", "ab,cd,ef,ab,cd,ef,ab,cd,ef->a", "aaa->a", ",ab->ab",
    "ab,bcd,cde,ef,fd->a", "abc,abd,acd->bd",
]
MATMUL = [
    [(3,), (3,)], [(3,), (3, 4)], [(2, 3), (3,)], [(2, 3), (3, 4)], [(5, 2, 3), (3, 4)], [(2, 3), (5, 3, 4)],
    [(5, 2, 3), (5, 3, 4)], [(5, 1, 2, 3), (4, 3, 2)], [(1, 2, 3), (4, 3, 2)], [(4, 2, 3), (1, 3, 2)],
    [(3,), (5, 3, 4)], [(5, 2, 3), (3,)], [(2, 5, 1, 3), (2, 5, 3, 1)], [(0, 2, 3), (0, 3, 2)], [(2, 0), (0, 3)],
    [(2, 1, 1, 2, 3), (1, 4, 1, 3, 2)],
]


def texts():
    yield from TEXTS
    for _ in range(60):
        parts = ["".join(random.choice("abcdef") for _ in range(random.randint(0, 4)))
                 for _ in range(random.randint(1, 4))]
        used = sorted(set("".join(parts)))
        random.shuffle(used)
        yield ",".join(parts) + "->" + "".join(used[:random.randint(0, len(used))])


def operand(rng, i, part, text):
    shape = [LENGTHS[c] for c in part.strip().replace("...", "_")]
    if "..." in part and i % 2 and text.count("...") > 2 and part.startswith("..."):
        shape = [2] + shape
    if i % 7 == 3 and shape and len(set(part)) == len(part) and text.split("->")[0].count(part[0]) > 1:
        shape[0] = 1
    a = rng.randint(-3, 4, shape)
    return a.astype("float64" if i % 3 else "int64")


def main():
    random.seed(3)
    rng = np.random.RandomState(5)
    cases = []
    for i, text in enumerate(texts()):
        given = [operand(rng, i, part, text) for part in text.split("->")[0].split(",")]
        cases.append({"text": text, "operands": [plain(a) for a in given], "output": plain(np.einsum(text, *given))})
    products = []
    for i, shapes in enumerate(MATMUL):
        given = [rng.randint(-3, 4, s).astype("float64") for s in shapes]
        products.append({"operands": [plain(a) for a in given], "output": plain(np.matmul(*given))})
    with open("spec/data/einsum.json", "w") as f:
        f.write('{"numpy": "%s",\n"einsum": [\n' % np.__version__)
        f.write(",\n".join(json.dumps(x) for x in cases))
        f.write('\n],\n"matmul": [\n')
        f.write(",\n".join(json.dumps(x) for x in products))
        f.write("\n]}\n")


main()
