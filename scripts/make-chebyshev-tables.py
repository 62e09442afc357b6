#!/usr/bin/env python3
"""Writes lua/theano/alikechebyshev.lua: coefficients of Chebyshev series of special functions (mpmath, 40 digits).

    python3 scripts/make-chebyshev-tables.py

Each is the series of a function on [a, b] as a function of t in [-1, 1], cut where the rest is below 2^-56 of the most.
"""
import os

import mpmath as mp

mp.mp.dps = 40
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lua", "theano")


def series(f, a, b, n=90):
    nodes = [mp.cos(mp.pi * (k + mp.mpf(0.5)) / n) for k in range(n)]
    values = [f((a + b) / mp.mpf(2) + (b - a) / mp.mpf(2) * t) for t in nodes]
    c = [2 * mp.fsum(v * mp.cos(mp.pi * j * (k + mp.mpf(0.5)) / n) for k, v in enumerate(values)) / n for j in range(n)]
    c[0] /= 2
    most = max(abs(v) for v in c)
    while len(c) > 1 and abs(c[-1]) < most * mp.mpf(2)**-56:
        c.pop()
    return c


def hankel(v, which):
    """The amplitudes of Hankel's form (DLMF 10.17) as functions of z = (8 / x)^2, x > 8."""
    def f(z):
        x = 8 / mp.sqrt(z)
        chi = x - (v / mp.mpf(2) + mp.mpf(1) / 4) * mp.pi
        scale = mp.sqrt(mp.pi * x / 2)
        j, y = mp.besselj(v, x) * scale, mp.bessely(v, x) * scale
        return j * mp.cos(chi) + y * mp.sin(chi) if which == 0 else (y * mp.cos(chi) - j * mp.sin(chi)) * x
    return f


def sine_parts(which):
    """The auxiliary functions of the sine and cosine integrals (DLMF 6.2.17-18), of z = (4 / x)^2, x > 4."""
    def f(z):
        x = 4 / mp.sqrt(z)
        si, ci = mp.si(x) - mp.pi / 2, mp.ci(x)
        return x * (ci * mp.sin(x) - si * mp.cos(x)) if which == 0 else x * x * (-ci * mp.cos(x) - si * mp.sin(x))
    return f


def fresnel_parts(which):
    """Those of Fresnel's integrals (DLMF 7.2.10-11), of z = (1.5 / x)^4, x > 1.5."""
    def f(z):
        x = mp.mpf(1.5) / z**mp.mpf(0.25)
        s, c = mp.fresnels(x) - mp.mpf(0.5), mp.fresnelc(x) - mp.mpf(0.5)
        u, v = mp.sin(mp.pi * x * x / 2), mp.cos(mp.pi * x * x / 2)
        return mp.pi * x * (c * u - s * v) if which == 0 else mp.pi**2 * x**3 * (-c * v - s * u)
    return f


def scaled_k(v):
    """exp(x) sqrt(x) K_v(x) as a function of 2 / x."""
    def f(t):
        x = 2 / t
        return mp.besselk(v, x) * mp.exp(x) * mp.sqrt(x)
    return f


TABLES = [
    ("k0", scaled_k(0), 0, 1), ("k1", scaled_k(1), 0, 1),
    ("y0", lambda x: mp.bessely(0, x), 3, 8), ("y1", lambda x: mp.bessely(1, x), 3, 8),
    ("y0p", hankel(0, 0), 0, 1), ("y0q", hankel(0, 1), 0, 1), ("y1p", hankel(1, 0), 0, 1), ("y1q", hankel(1, 1), 0, 1),
    ("sif", sine_parts(0), 0, 1), ("sig", sine_parts(1), 0, 1),
    ("fresnelf", fresnel_parts(0), 0, 1), ("fresnelg", fresnel_parts(1), 0, 1),
]
if __name__ == "__main__":
    with open(os.path.join(ROOT, "alikechebyshev.lua"), "w") as out:
        out.write("--- Coefficients of Chebyshev series, written by scripts/make-chebyshev-tables.py, which says of "
                  "what.\n"
                  "-- @module theano.alikechebyshev\nreturn {\n")
        for name, f, a, b in TABLES:
            mp.mp.dps = 60
            c = series(f, a, b)
            print(name, len(c), mp.nstr(c[-1], 3))
            line = "  %s = {" % name
            for v in c:
                text = " %r," % float(v)
                if len(line + text) > 118:
                    out.write(line + "\n")
                    line = "   "
                line += text
            out.write(line[:-1] + " },\n")
        out.write("}\n")
