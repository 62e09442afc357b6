#!/usr/bin/env python3
"""Writes spec/data/stable_forms.json: functions that naive formulas lose far out, to full precision.

    python3 scripts/make-stable-data.py            (needs mpmath; running the specs does not)

`points` are the places, `scalar` {name: [[value, first derivative, second derivative], ..]} one triple a point.
`rows` are vectors, `weights` one vector w as long, `direction` another, v. `vector` {name: [{value, grad, hess}, ..]}
has for each row of `rows` the value of a function of it (a vector, or a number), the gradient of its sum weighted by w,
and that gradient's derivative along v. Infinities are texts.
"""
import json
import os

from mpmath import mp, mpf

mp.dps = 900
POINTS = [-1000, -745, -709, -100, -37, -1, -1e-20, 0, 1e-20, 1, 37, 100, 709, 745, 1000]
ROWS = [[0, 0, 0], [1000, 1000, 1000], [900, -900, 0], [-1000, -1000, -999], [1, 2, 3], [1e-20, 0, -1e-20],
        [709, 745, 710], [-745, 37, 100]]
WEIGHTS = [2, -0.5, 3]
DIRECTION = [0.5, 1, -2]

exp, log = mp.exp, mp.log
SCALAR = {
    "sigmoid": lambda x: 1 / (1 + exp(-x)),
    "softplus": lambda x: log(1 + exp(x)),
    "sigmoid_slope": lambda x: exp(-x) / (1 + exp(-x)) ** 2,
    "sigmoid_square": lambda x: 1 / (1 + exp(-x)) ** 2,
    "swish": lambda x: x / (1 + exp(-x)),
    "tanh": mp.tanh,
    "expm1": mp.expm1,
    "erfc": mp.erfc,
    "erf": mp.erf,
    "log_erfc": lambda x: log(mp.erfc(x)),
    "erfcx": lambda x: exp(x * x) * mp.erfc(x),
    "identity": lambda x: x,
    "log_cosh2": lambda x: log(exp(x) + exp(-x)),
    "entropy": lambda x: (lambda p: -p * log(p) - (1 - p) * log(1 - p))(1 / (1 + exp(-x))),
    "bce": lambda x: log(1 + exp(x)) - mpf("0.25") * x,
}


def softmax(x):
    e = [exp(v) for v in x]
    return [v / sum(e) for v in e]


VECTOR = {
    "softmax": softmax,
    "log_softmax": lambda x: [v - log(sum(exp(u) for u in x)) for v in x],
    "logsumexp": lambda x: log(sum(exp(u) for u in x)),
    "softmax_entropy": lambda x: -sum(p * log(p) for p in softmax(x)),
}


def plain(v):
    v = float(v)
    return ("inf" if v > 0 else "-inf") if v in (float("inf"), float("-inf")) else v


def scalar_rows(f):
    return [[plain(f(mpf(x)))] + [plain(mp.diff(f, mpf(x), n)) for n in (1, 2)] for x in POINTS]


def vector_row(f, row):
    w = [mpf(v) for v in WEIGHTS]
    x = [mpf(v) for v in row]

    def cost(x):
        y = f(x)
        return sum(a * b for a, b in zip(w, y)) if isinstance(y, list) else 2 * y

    def moved(x, i, t, s=mpf(0)):
        return [v + (t if k == i else 0) + s * mpf(DIRECTION[k]) for k, v in enumerate(x)]

    y = f(x)
    grad = [mp.diff(lambda t: cost(moved(x, i, t)), 0) for i in range(len(x))]
    hess = [mp.diff(lambda t, s: cost(moved(x, i, t, s)), (0, 0), (1, 1)) for i in range(len(x))]
    return {"value": [plain(v) for v in y] if isinstance(y, list) else [plain(y)],
            "grad": [plain(v) for v in grad], "hess": [plain(v) for v in hess]}


def main():
    out = {"points": [float(x) for x in POINTS], "rows": [[float(v) for v in r] for r in ROWS],
           "weights": WEIGHTS, "direction": DIRECTION,
           "scalar": {name: scalar_rows(f) for name, f in SCALAR.items()},
           "vector": {name: [vector_row(f, r) for r in ROWS] for name, f in VECTOR.items()}}
    path = os.path.join(os.path.dirname(__file__), "..", "spec", "data", "stable_forms.json")
    with open(path, "w") as file:
        json.dump(out, file, indent=0)
        file.write("\n")


main()
