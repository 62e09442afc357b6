"""How far the answers of bench/ulp.lua are from the exact ones (mpmath, 60 digits), in units in the last place of the
exact answer. `C`, `interpreter`: the worst over all points. `beyond`: what remains after moving each operand by half a
unit in its last place is allowed for, err / (ulp(f) + |f'| ulp(x) / 2): near an irrational zero that is all a function of
rounded operands can give. Complex numbers: the worst of either part; `beyond` by modulus."""
import glob
import os
import sys
import time

import mpmath
import numpy as np
from mpmath import mp, mpf

mp.dps = 60
FOLDER = "build/bench/ulp"
pi, sqrt, exp, log = mp.pi, mp.sqrt, mp.exp, mp.log
LIMIT = int(os.environ.get("ULP_MOST", "100000"))


def erfcinv(q):
    if q > mpf("0.01"):
        return mp.erfinv(1 - q)
    y = sqrt(-log(q))
    for _ in range(100):
        d = (mp.erfc(y) - q) * sqrt(pi) / -2 * exp(y * y)
        y -= d / (1 + y * d)
        if abs(d) < mpf(10) ** -50 * y:
            break
    return y


def erfcx(x):
    if x < 1e4:
        with mp.workdps(60 + int(min(x * x, 900) if x > 0 else 0)):
            return exp(x * x) * mp.erfc(x)
    return (1 - 1 / (2 * x * x) + 3 / (4 * x**4) - 15 / (8 * x**6) + 105 / (16 * x**8)) / (x * sqrt(pi))


def wide(f):
    def g(*a):
        with mp.workdps(60 + int(min(400, sum(abs(v) for v in a)))):
            return f(*a)

    return g


def real_log_gamma(x):
    if x > 0:
        return mp.loggamma(x)
    return log(abs(mp.gamma(x)))


REAL = {
    "exp": exp,
    "exp2": lambda x: mpf(2) ** x,
    "expm1": mp.expm1,
    "sigmoid": lambda x: 1 / (1 + exp(-x)),
    "log": log,
    "softplus": lambda x: mp.log1p(exp(x)),
    "log2": lambda x: log(x) / log(2),
    "log10": lambda x: log(x) / log(10),
    "log1p": mp.log1p,
    "sqrt": sqrt,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "arcsin": mp.asin,
    "arccos": mp.acos,
    "arctan": mp.atan,
    "arctanh": mp.atanh,
    "arcsinh": lambda x: mp.sign(x) * mp.asinh(abs(x)),
    "arccosh": mp.acosh,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfcx": erfcx,
    "erfinv": lambda x: mp.sign(x) * (mp.erfinv(abs(x)) if abs(x) < 0.9 else erfcinv(1 - abs(x))),
    "erfcinv": lambda x: erfcinv(x) if x <= 1 else -erfcinv(2 - x),
    "gamma": mp.gamma,
    "gammaln": real_log_gamma,
    "psi": mp.digamma,
    "tri_gamma": lambda x: mp.polygamma(1, x),
    "j0": wide(lambda x: mp.besselj(0, x)),
    "j1": wide(lambda x: mp.besselj(1, x)),
    "i0": lambda x: mp.besseli(0, x),
    "i1": lambda x: mp.besseli(1, x),
    "inv": lambda x: 1 / x,
    "jv": wide(mp.besselj),
    "iv": mp.besseli,
    "gammainc": lambda a, x: mp.gammainc(a, 0, x, regularized=True),
    "gammaincc": lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True),
    "chi2sf": lambda x, k: mp.gammainc(k / 2, x / 2, mp.inf, regularized=True),
    "pow": mp.power,
    "arctan2": mp.atan2,
    "true_div": lambda x, y: x / y,
    "mod": lambda x, y: x - y * mp.floor(x / y),
}


def c_sgn(z):
    return z / abs(z)


COMPLEX = {
    "exp": exp,
    "expm1": lambda z: exp(z) - 1,
    "exp2": lambda z: exp(z * log(2)),
    "log": log,
    "log2": lambda z: log(z) / log(2),
    "log10": lambda z: log(z) / log(10),
    "log1p": lambda z: log(1 + z),
    "sqrt": sqrt,
    "inv": lambda z: 1 / z,
    "sqr": lambda z: z * z,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "arcsin": mp.asin,
    "arccos": mp.acos,
    "arctan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "arcsinh": mp.asinh,
    "arccosh": mp.acosh,
    "arctanh": mp.atanh,
    "sgn": c_sgn,
    "abs": abs,
    "angle": mp.arg,
}


def ulp(v, dtype):
    info = np.finfo(dtype)
    v = abs(v)
    if v < mpf(float(info.tiny)):
        return mpf(float(info.smallest_subnormal))
    return mpf(2) ** (mp.floor(mp.log(v, 2)) - info.nmant)


def error(got, exact, dtype):
    """In ulp, or None where both overflow or are no numbers."""
    if not np.isfinite(got):
        return None if abs(exact) >= mpf(float(np.finfo(dtype).max)) else mpf("inf")
    return abs(mpf(float(got)) - exact) / ulp(exact, dtype)


def real_function(name, dtype, xs, answers):
    f, worst = REAL[name], {k: (mpf(0), None) for k in answers}
    beyond = mpf(0)
    beyond_at = None
    h = mpf(10) ** -25
    for i in range(min(len(xs[0]), LIMIT)):
        x = [mpf(float(v[i])) for v in xs]
        try:
            exact = mp.re(f(*x))
        except (ValueError, ZeroDivisionError, mpmath.libmp.NoConvergence, OverflowError):
            continue
        if mp.isnan(exact) or mp.isinf(exact) or abs(exact) < mpf(float(np.finfo(dtype).tiny)):
            continue
        for k, a in answers.items():
            e = error(a[i], exact, dtype)
            if e is None:
                continue
            if e > worst[k][0]:
                worst[k] = (e, tuple(float(v) for v in x))
            if e > max(beyond, 1):
                move = mpf(0)
                for j, v in enumerate(x):
                    y = list(x)
                    y[j] = v * (1 + h)
                    move += abs(mp.re(f(*y)) - exact) / h * ulp(v, dtype) / 2 / abs(v) if v else 0
                b = e * ulp(exact, dtype) / (ulp(exact, dtype) + move)
                if b > beyond:
                    beyond, beyond_at = b, tuple(float(v) for v in x)
            elif e > beyond:
                beyond, beyond_at = e, tuple(float(v) for v in x)
    return worst, beyond, beyond_at


def complex_function(name, xs, answers):
    f, worst, beyond, at = COMPLEX[name], {k: (mpf(0), None) for k in answers}, mpf(0), None
    for i in range(min(len(xs[0]), LIMIT)):
        z = mp.mpc(float(xs[0][i].real), float(xs[0][i].imag))
        exact = mp.mpc(f(z))
        for k, a in answers.items():
            got = complex(a[i])
            parts = [error(g, e, np.float64) for g, e in ((got.real, exact.real), (got.imag, exact.imag)) if e]
            e = max([p for p in parts if p is not None] or [mpf(0)])
            if e > worst[k][0]:
                worst[k] = (e, complex(z))
            if np.isfinite(got):
                b = abs(mp.mpc(got) - exact) / ulp(abs(exact), np.float64)
                if b > beyond:
                    beyond, at = b, complex(z)
    return worst, beyond, at


def main():
    print("%-10s %-10s %11s %11s %9s   at" % ("function", "dtype", "C", "interpreter", "beyond"))
    only = sys.argv[1:]
    for path in sorted(glob.glob(FOLDER + "/*.c.npy")):
        name, dtype = os.path.basename(path).split(".")[:2]
        if only and name not in only and name + "." + dtype not in only:
            continue
        start = time.time()
        base = path[: -len("c.npy")]
        xs = [np.load(p) for p in sorted(glob.glob(base + "x?.npy"))]
        answers = {"c": np.load(path), "interpreter": np.load(base + "interpreter.npy")}
        with np.errstate(all="ignore"):
            worst, beyond, at = (
                complex_function(name, xs, answers)
                if dtype == "complex128"
                else real_function(name, np.dtype(dtype), xs, answers)
            )
        print(
            "%-10s %-10s %11.4g %11.4g %9.3f   %s   beyond at %s"
            % (name, dtype, worst["c"][0], worst["interpreter"][0], beyond, worst["c"][1], at),
            flush=True,
        )
        if os.environ.get("ULP_TIMES"):
            print("    %.1f s" % (time.time() - start))


if __name__ == "__main__":
    main()
