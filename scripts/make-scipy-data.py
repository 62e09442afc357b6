#!/usr/bin/env python3
"""What SciPy answers: writes spec/data/scipy.json, which spec/scipy_spec.lua runs.

    python3 scripts/make-scipy-data.py        (NumPy 2, SciPy; what is committed comes from SciPy 1.17.1)

"inputs" are arrays by name; "cases" have `call`, the Lua text of a call, `want`, its results ({dtype, shape, data}
each), and `rtol`, by which each element may be off. A case is written here as SciPy's call and turned into Lua by its
syntax tree: keywords become a table behind the arguments.
"""
import ast
import json
import os
import warnings

import numpy as np
import scipy
from scipy import integrate, interpolate, optimize, signal, special

from numpy_json import plain

warnings.simplefilter("ignore")
np.seterr(all="ignore")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data")
nan, inf = float("nan"), float("inf")


# ---- Python's calls as Lua's ----------------------------------------------------------------------------------------
class Lua(ast.NodeVisitor):
    def visit_Expression(self, e):
        return self.visit(e.body)

    def visit_Call(self, e):
        args = [self.visit(a) for a in e.args]
        if e.keywords:
            args.append("{%s}" % ", ".join("%s = %s" % (k.arg, self.visit(k.value)) for k in e.keywords))
        return "%s(%s)" % (self.visit(e.func), ", ".join(args))

    def visit_Attribute(self, e):
        return "%s.%s" % (self.visit(e.value), e.attr)

    def visit_Name(self, e):
        modules = ("special", "signal", "integrate", "interpolate", "optimize")
        return "nd." + e.id if e.id in modules + ("nan", "inf") else e.id

    def visit_Constant(self, e):
        names = {None: "nil", True: "true", False: "false"}
        return names[e.value] if e.value is None or isinstance(e.value, bool) else json.dumps(e.value)

    def visit_List(self, e):
        return "{%s}" % ", ".join(self.visit(v) for v in e.elts)

    visit_Tuple = visit_List

    def visit_UnaryOp(self, e):
        return "-" + self.visit(e.operand)

    def visit_BinOp(self, e):
        sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}[type(e.op)]
        return "(%s %s %s)" % (self.visit(e.left), sign, self.visit(e.right))

    def generic_visit(self, e):
        raise TypeError("no Lua for %s" % ast.dump(e))


# ---- inputs ---------------------------------------------------------------------------------------------------------
rng = np.random.RandomState(23)
special_values = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1e-10, 1e5]
X = {
    "real": np.concatenate([[nan, inf, -inf], special_values, rng.uniform(-9, 9, 20), rng.uniform(0, 1, 12)]),
    "finite": np.concatenate([special_values, rng.uniform(-9, 9, 20)]),
    "unit": np.concatenate([[nan, 0.0, 1.0, -0.25, 1.25, 1e-12], rng.uniform(0, 1, 12)]),
    "positive": np.concatenate([[1.0, 2.0, 0.5, 60.0, 1e-3], rng.uniform(0.01, 30, 12)]),
    "other": np.concatenate([[2.0, 0.5, 3.0, 10.0, 7.5], rng.uniform(0.01, 30, 12)]),
    "third": np.concatenate([[0.0, 1.0, 0.5, 0.25, 0.9], rng.uniform(0, 1, 12)]),
    "single": rng.uniform(0.1, 0.9, 9).astype("float32"),
    "small": np.array([0, 1, 2, 3, 5, 9], "int64"),
    "m": rng.uniform(-3, 3, (3, 4)),
    "w": np.array([[1.0, 0, 2, 0.5]]),
    "i": np.array([5, 10, 3, 7, -1, 4]), "k": np.array([2, 4, 0, 9, 2, -1]),
    "t": np.sort(rng.uniform(0, 5, 8)), "y": rng.uniform(-2, 2, 8), "x": rng.uniform(0.4, 4.0, 11),
    "y2": rng.uniform(-2, 2, (8, 3)), "line": rng.uniform(-1, 1, 50), "short": rng.uniform(-1, 1, 7),
    "wide": rng.uniform(-1, 1, (3, 40)), "image": rng.uniform(-1, 1, (6, 5)), "mask": rng.uniform(-1, 1, (3, 2)),
    "beside": np.array([0.0, 1.0, 4.0, nan, -1.0]),
    "against": np.array([0.0, 2.0, 1.5, 1.0, 1.0]),
    "signs": np.array([-0.5, -1.5, -2.5, 3.2, 0.3]),
}


# ---- cases ----------------------------------------------------------------------------------------------------------
cases = []


def case(call, rtol=2e-13):
    value = eval(call, {"special": special, "signal": signal, "integrate": integrate, "interpolate": interpolate,
                        "optimize": optimize, "np": np, "nan": nan, "inf": inf, **X})
    results = value if isinstance(value, tuple) else (value,)
    cases.append({"call": Lua().visit(ast.parse(call, mode="eval")), "rtol": rtol, "want": [plain(v) for v in results]})


def special_cases():
    for name in ("ndtr log_ndtr erf erfc erfcx gamma gammaln psi digamma rgamma gammasgn expi exp1 expit "
                 "exprel cosm1 exp2 exp10 expm1 log1p cbrt entr factorial").split():
        case("special.%s(real)" % name, 2e-13 if name in ("gamma", "rgamma", "expi", "exp1", "factorial") else 5e-14)
    for name in "i0 i1 i0e i1e".split():
        case("special.%s(finite)" % name, 5e-14)  # SciPy's are NaN of infinities
    for name in "ndtri logit erfinv erfcinv ellipk ellipe".split():
        case("special.%s(unit)" % name)
        case("special.%s(single)" % name, 1e-6)
    for name in "j0 j1 ndtr i0e ellipk expi".split():
        case("special.%s(single)" % name, 1e-6)
    case("special.ellipk(-positive)")
    case("special.ellipe(-positive)")
    case("special.log_expit(real)", 1e-14)
    for name in "beta betaln zeta gammainc gammaincc xlogy xlog1py rel_entr kl_div binom comb poch perm jv iv".split():
        case("special.%s(positive, other)" % name, 1e-11 if name in ("poch", "perm", "comb", "binom") else 1e-12)
    for name in "xlogy xlog1py rel_entr kl_div huber".split():
        case("special.%s(beside, against)" % name)
    case("special.betainc(positive, other, third)", 1e-12)
    for edge in ("0.0, 1.0, 0.5", "1.0, 0.0, 0.5", "1.0, 2.0, 1.5", "2.0, 3.0, 0.0", "2.0, 3.0, 1.0"):
        case("special.betainc(%s)" % edge)
    case("special.comb(i, k)")
    case("special.comb(i, k, repetition=True)")
    case("special.perm(i, k)")
    case("special.factorial(small)")
    case("special.beta(signs, 1.25)")
    case("special.binom(signs, 2.5)", 1e-12)
    case("special.zeta(positive)")
    case("special.zeta(1.0 - positive)", 2e-11)
    case("special.zetac(positive)", 1e-11)
    case("special.polygamma(0, other)")
    case("special.polygamma(1, other)")
    case("special.polygamma(3, other)", 1e-12)
    case("special.polygamma(small, 2.5)", 1e-12)
    case("special.multigammaln(other + 2.0, 3)")
    case("special.softmax(m)")
    case("special.softmax(m, axis=1)")
    case("special.log_softmax(m, axis=0)")
    case("special.logsumexp(m)")
    case("special.logsumexp(m, axis=1)")
    case("special.logsumexp(m, axis=1, keepdims=True)")
    case("special.logsumexp(m, b=w)")
    case("special.logsumexp(m, axis=0, b=w)")
    case("special.logsumexp([-inf, 1.0], b=[0.0, 2.0])")


special_cases()


def main():
    with open(os.path.join(ROOT, "scipy.json"), "w") as f:
        f.write('{"scipy": "%s",\n"inputs": {\n' % scipy.__version__)
        f.write(",\n".join("%s: %s" % (json.dumps(k), json.dumps(plain(v))) for k, v in X.items()))
        f.write('},\n"cases": [\n')
        f.write(",\n".join(json.dumps(c) for c in cases))
        f.write("\n]}\n")
    print(len(cases), "cases")


if __name__ == "__main__":
    main()
