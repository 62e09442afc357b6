#!/usr/bin/env python3
"""Writes core/ops/math/special_tables.h: the polynomials that the special functions are made of.

    python3 scripts/make-special-tables.py      (needs mpmath; building does not)

Each is the Chebyshev interpolant of a function on an interval, computed with 50 digits, cut where its tail is below
2e-17 of the function, and written as a polynomial in x - centre, the centre being a short binary fraction (so that the
difference is exact, or nearly so).
"""

import os
from fractions import Fraction

from mpmath import mp, mpf

mp.dps = 50
FUNCTIONS = []


def fit(f, lo, hi, tol=mpf("2e-17")):
    """Coefficients of powers of x - centre, and the centre."""
    lo, hi = mpf(lo), mpf(hi)
    centre = (
        mp.nint((lo + hi) / 2 * 256 / max(mpf(2) ** mp.floor(mp.log(hi - lo, 2)), mpf(2) ** -40))
        / 256
        * max(mpf(2) ** mp.floor(mp.log(hi - lo, 2)), mpf(2) ** -40)
    )
    half = max(hi - centre, centre - lo)
    n = 48
    nodes = [mp.cos(mp.pi * (k + mpf(1) / 2) / n) for k in range(n)]
    values = [f(centre + half * t) for t in nodes]
    least = min(abs(v) for v in values)
    cheb = [
        2 / mpf(n) * sum(v * mp.cos(j * mp.pi * (k + mpf(1) / 2) / n) for k, v in enumerate(values)) for j in range(n)
    ]
    cheb[0] /= 2
    last = n - 1
    while last > 1 and sum(abs(c) for c in cheb[last:]) < tol * least:
        last -= 1
    if last > n - 6:
        raise ValueError("no convergence: %s" % mp.nstr(cheb[-3:], 3))
    # Chebyshev to powers of t, then of x - centre
    power = [mpf(0)] * (last + 1)
    a, b = [mpf(1)], [mpf(0), mpf(1)]
    for j in range(last + 1):
        for i, c in enumerate(a):
            power[i] += cheb[j] * c
        nxt = [mpf(0)] + [2 * c for c in b]
        for i, c in enumerate(a):
            nxt[i] -= c
        a, b = b, nxt
    return [c / half**i for i, c in enumerate(power)], centre


def emit(name, f, lo, hi, doc, centre_zero=False):
    coefficients, centre = fit(f, lo, hi)
    values = [repr(float(c)) for c in coefficients]
    lines, line = [], "       "
    for v in values:
        if len(line) + len(v) > 112:
            lines.append(line)
            line = "       "
        line += " " + v + ","
    lines.append(line)
    text = '/* %s */\nFN(f64, %s, (f64 x), "", {\n    static const f64 c[] = {\n%s\n    };\n' % (
        doc,
        name,
        "\n".join(lines),
    )
    text += "    f64 t = x - %r;\n    f64 r = c[%d];\n" % (float(centre), len(values) - 1)
    text += "    for (int i = %d; i >= 0; i--) r = r * t + c[i];\n    return r;\n})\n" % (len(values) - 2)
    FUNCTIONS.append(text)
    print(name, len(values), float(centre))


def pair(v):
    """A number as a pair of doubles: hi, lo."""
    return [float(v), float(v - mpf(float(v)))]


def emit_table(name, params, values, body, doc, uses=""):
    lines, line = [], "       "
    for v in values:
        if len(line) + len(repr(v)) > 112:
            lines.append(line)
            line = "       "
        line += " " + repr(v) + ","
    lines.append(line)
    FUNCTIONS.append(
        '/* %s */\nFN(%s, "%s", {\n    static const f64 c[] = {\n%s\n    };\n%s})\n'
        % (doc, name + ", " + params, uses, "\n".join(lines), "".join("    %s\n" % b for b in body))
    )
    print(name, len(values))


def emit_near(name, f, zeros, doc):
    """Zeros of f as pairs, f' and f''/2 at each: f where it is below 1e-9 next to its n-th zero, 1 elsewhere."""
    values = []
    for z in zeros:
        values += pair(z) + [float(mp.diff(f, z)), float(mp.diff(f, z, 2) / 2)]
    emit_table(
        "f64, " + name,
        "(int n, f64 x)",
        values,
        [
            "f64 d = (x - c[4 * n]) - c[4 * n + 1];",
            "f64 r = d * c[4 * n + 2];",
            "return r < 1e-9 && r > -1e-9 ? r + d * d * c[4 * n + 3] : 1;",
        ],
        doc,
    )


def bisect(f, lo, hi):
    """The zero of f between lo and hi, where f changes sign."""
    low = f(lo) > 0
    for _ in range(200):
        mid = (lo + hi) / 2
        if (f(mid) > 0) == low:
            lo = mid
        else:
            hi = mid
    return mid


def near_parts():
    coefficients = mp.taylor(mp.rgamma, 1, 34)
    emit_table(
        "DD, sf_rgamma_1",
        "(f64 x, int exact)",
        sum((pair(v) for v in coefficients), []),
        [
            "int from = exact ? 17 : 3;",
            "f64 t = c[%d];" % (2 * len(coefficients) - 2),
            "for (int i = %d; i > from; i--) t = t * x + c[2 * i];" % (len(coefficients) - 2),
            "DD r = sf_dd(t, 0);",
            "for (int i = from; i >= 0; i--)",
            "    r = sf_dd_add(sf_dd_mul(r, sf_dd(x, 0)), sf_dd(c[2 * i], c[2 * i + 1]));",
            "return r;",
        ],
        "1 / Gamma(1 + x), |x| <= 1/2, to 31 digits, to 18 where they need not be exact",
        "sf_dd sf_dd_add sf_dd_mul",
    )
    tiny = mpf(10) ** -40
    zeros = [bisect(mp.digamma, -mpf(n) - 1 + tiny, -mpf(n) - tiny) for n in range(64)]
    emit_near("sf_psi_near", mp.digamma, zeros, "psi where it is below 1e-9 between -n - 1 and -n, 1 elsewhere")

    def log_gamma(x):
        return mp.log(abs(mp.gamma(x)))

    zeros = []
    for n in range(2, 19):  # one zero above -n, one below; from -2 to -3 on they crowd about the poles
        for lo, hi in ((-mpf(n), -mpf(n) + mpf("0.5")), (-mpf(n) - mpf("0.5"), -mpf(n))):
            lo, hi = (lo + tiny, hi) if lo == -n else (lo, hi - tiny)
            if (log_gamma(lo) > 0) != (log_gamma(hi) > 0):
                zeros.append(bisect(log_gamma, lo, hi))
    zeros.sort(reverse=True)
    doc = "log |Gamma| where it is below 1e-9 next to its n-th zero below 0, 1 elsewhere"
    emit_near("sf_gammaln_near", log_gamma, zeros, doc)


def gamma_parts():
    def near(n):
        return lambda z: mp.loggamma(n + z) / z if z != 0 else mp.digamma(n)

    emit("sf_lgamma_1", near(1), "-0.4", "0.6", "log Gamma(1 + x) / x on [-0.4, 0.6]")
    emit("sf_lgamma_2", near(2), "-0.4", "0.6", "log Gamma(2 + x) / x on [-0.4, 0.6]")
    emit("sf_lgamma_3", mp.loggamma, "2.6", "4.2", "log Gamma(x) on [2.6, 4.2]")
    emit("sf_lgamma_5", mp.loggamma, "4.2", 8, "log Gamma(x) on [4.2, 8]")

    def stirling(w):
        x = 1 / mp.sqrt(w)
        return (mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x

    emit(
        "sf_stirling",
        lambda w: stirling(w) if w > 1e-12 else mpf(1) / 12 - w / 360,
        0,
        mpf(1) / 64,
        "x * (log Gamma(x) - (x - 1/2) log x + x - log(2 pi)/2) of 1/x^2, x >= 8",
    )
    emit("sf_gamma_1", lambda z: mp.gamma(1 + z), -0.5, 0.5, "Gamma(1 + x) on [-0.5, 0.5]")

    def scaled(u):  # Gamma(1/u) by Stirling's leading part, less 1, over u
        if u < 1e-12:
            return mpf(1) / 12 + u / 288
        x = 1 / u
        return mp.expm1(mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) / u

    emit(
        "sf_gamma_large_1",
        scaled,
        0,
        mpf(1) / 16,
        "(Gamma(x) / (sqrt(2 pi) x^(x - 1/2) e^-x) - 1) x of 1/x, x >= 16",
    )
    root = mp.findroot(mp.digamma, 1.4616)
    print("root of psi", repr(float(root)), repr(float(root - mpf(float(root)))))
    emit("sf_psi_1", lambda x: mp.digamma(x) / (x - root), 1, 2.5, "psi(x) / (x - 1.4616321449683623) on [1, 2.5]")
    emit(
        "sf_psi_large",
        lambda w: (
            (mp.log(1 / mp.sqrt(w)) - mp.sqrt(w) / 2 - mp.digamma(1 / mp.sqrt(w))) / w
            if w > 1e-12
            else mpf(1) / 12 - w / 120
        ),
        0,
        0.01,
        "(log x - 1/(2 x) - psi(x)) x^2 of 1/x^2, x >= 10",
    )
    emit(
        "sf_tri_large",
        lambda w: (
            (mp.polygamma(1, 1 / mp.sqrt(w)) - mp.sqrt(w) - w / 2) / w / mp.sqrt(w)
            if w > 1e-12
            else mpf(1) / 6 - w / 30
        ),
        0,
        0.01,
        "(psi'(x) - 1/x - 1/(2 x^2)) x^3 of 1/x^2, x >= 10",
    )


def erf_parts():
    def inverse(q):  # erfc(y) = q
        y = mp.sqrt(-mp.log(q)) if q < 0.1 else (1 - q) * mpf("0.886")
        for _ in range(60):
            d = (mp.erfc(y) - q) / (-2 / mp.sqrt(mp.pi) * mp.exp(-y * y))
            y -= d / (1 + y * d)
            if abs(d) < mpf(10) ** -45 * abs(y):
                break
        return y

    emit(
        "sf_erfinv_small",
        lambda w: mp.erfinv(mp.sqrt(w)) / mp.sqrt(w) if w > 1e-14 else mp.sqrt(mp.pi) / 2 * (1 + mp.pi * w / 12),
        0,
        0.25,
        "erfinv(x) / x of x^2 on [0, 0.25]",
    )
    edges = ["0.83", "1.6", "3", "5.8", "11", "27.5"]
    for i in range(5):
        emit(
            "sf_erfcinv_%d" % i,
            lambda u: inverse(mp.exp(-u * u)) / u,
            edges[i],
            edges[i + 1],
            "erfcinv(exp(-x^2)) / x on [%s, %s]" % (edges[i], edges[i + 1]),
        )

    def erfcx(x):
        return mp.exp(x * x) * mp.erfc(x)

    def half_line(t):  # t = (x - 4) / (x + 4)
        if 1 - t < mpf(10) ** -8:
            return 2 / mp.sqrt(mp.pi) * (1 + (1 - t) / 16)
        x = 4 * (1 + t) / (1 - t)
        if x > 30:
            s = term = mpf(1)
            for k in range(1, 60):
                nxt = -term * (2 * k - 1) / (2 * x * x)
                if abs(nxt) > abs(term):
                    break
                term = nxt
                s += term
            return s / (x * mp.sqrt(mp.pi)) * (1 + 2 * x)
        return erfcx(x) * (1 + 2 * x)

    for name, lo, hi in (("near", -1, "-0.5"), ("middle", "-0.5", "0.25"), ("far", "0.25", 1)):
        emit(
            "sf_erfcx_" + name,
            half_line,
            lo,
            hi,
            "erfcx(y) (1 + 2 y) of x = (y - 4) / (y + 4), %s <= x <= %s" % (lo, hi),
        )
    emit("sf_erfcx_below", erfcx, -1, 0, "erfcx(x) on [-1, 0]")
    emit("sf_erfcx_above", erfcx, 0, 1, "erfcx(x) on [0, 1]")


def bessel_parts():
    def over(n, k):
        z = mp.besseljzero(n, k)
        print("zero", n, k, repr(float(z)), repr(float(z - mpf(float(z)))))
        return lambda x: mp.besselj(n, x) / (x - z)

    emit("sf_j0_0", lambda w: mp.besselj(0, mp.sqrt(w)), 0, 4, "J0(sqrt x) on [0, 4]")
    emit("sf_j0_2", over(0, 1), 2, 4, "J0(x) / (x - 2.404825557695773) on [2, 4]")
    emit("sf_j0_4", over(0, 2), 4, 7, "J0(x) / (x - 5.520078110286311) on [4, 7]")
    emit("sf_j0_7", lambda x: mp.besselj(0, x), 7, 8, "J0(x) on [7, 8]")
    emit(
        "sf_j1_0",
        lambda w: mp.besselj(1, mp.sqrt(w)) / mp.sqrt(w) if w > 0 else mpf(1) / 2,
        0,
        6.25,
        "J1(sqrt x) / sqrt x on [0, 6.25]",
    )
    emit("sf_j1_2", over(1, 1), 2.5, 5.5, "J1(x) / (x - 3.8317059702075125) on [2.5, 5.5]")
    emit("sf_j1_5", over(1, 2), 5.5, 8, "J1(x) / (x - 7.015586669815619) on [5.5, 8]")

    values = []
    for n in (0, 1):
        for k in range(3, 17):
            z = mp.besseljzero(n, k)
            values += pair(z) + [float(mp.besselj(n, z, derivative=1))]
    emit_table(
        "f64, sf_bessel_zero",
        "(int n, int k, int column)",
        values,
        ["return c[42 * n + 3 * (k - 3) + column];"],
        "The k-th zero of Jn, n = 0, 1, k = 3 .. 16, in two parts, and Jn' there",
    )
    for n in (0, 1):  # phase and modulus, whose square is 2 / (pi x) times M
        terms = 18
        m = [Fraction(1)]
        for k in range(1, terms):
            m.append(m[-1] * Fraction(2 * k - 1, 2 * k) * Fraction(4 * n * n - (2 * k - 1) ** 2, 4))
        slope = [Fraction(1)]  # 1 / M
        for k in range(1, terms):
            slope.append(-sum(m[i] * slope[k - i] for i in range(1, k + 1)))
        phase = [slope[k] / (1 - 2 * k) for k in range(1, terms)]
        emit_table(
            "DD, sf_j%d_phase" % n,
            "(DD w)",
            sum((pair(mpf(v.numerator) / v.denominator) for v in phase), []),
            [
                "DD r = sf_dd(c[%d], c[%d]);" % (2 * len(phase) - 2, 2 * len(phase) - 1),
                "for (int i = %d; i >= 0; i--) r = sf_dd_add(sf_dd_mul(r, w), sf_dd(c[2 * i], c[2 * i + 1]));"
                % (len(phase) - 2),
                "return r;",
            ],
            "x times (the phase of J%d less x - (%d + 1/2) pi/2), of 1/x^2, x >= 50, to 31 digits" % (n, n),
            "sf_dd sf_dd_add sf_dd_mul",
        )
        emit_table(
            "f64, sf_j%d_modulus" % n,
            "(f64 w)",
            [float(v) for v in m[:12]],
            ["f64 r = c[11];", "for (int i = 10; i >= 0; i--) r = r * w + c[i];", "return r;"],
            "pi x/2 times the square of the modulus of J%d, of 1/x^2, x >= 50" % n,
        )

    def hankel(n, want_q):
        def f(w):
            mu = mpf(4) * n * n
            if w < mpf(10) ** -10:
                return (
                    (mu - 1) / 8 - w * (mu - 1) * (mu - 9) * (mu - 25) / 3072
                    if want_q
                    else -(mu - 1) * (mu - 9) / 128
                    + w * (mu - 1) * (mu - 9) * (mu - 25) * (mu - 49) / 98304
                )
            x = 1 / mp.sqrt(w)
            mp.dps = 70
            chi = x - n * mp.pi / 2 - mp.pi / 4
            j, y = mp.besselj(n, x), mp.bessely(n, x)
            r = mp.sqrt(mp.pi * x / 2)
            if want_q:
                v = r * (y * mp.cos(chi) - j * mp.sin(chi)) * x
            else:
                v = (r * (j * mp.cos(chi) + y * mp.sin(chi)) - 1) * x * x
            mp.dps = 50
            return v

        return f

    for n in (0, 1):
        emit("sf_j%d_p" % n, hankel(n, False), 0, mpf(1) / 64, "x^2 (P - 1) of J%d's Hankel form, of 1/x^2, x >= 8" % n)
        emit("sf_j%d_q" % n, hankel(n, True), 0, mpf(1) / 64, "x Q of J%d's Hankel form, of 1/x^2, x >= 8" % n)
    emit("sf_i0_0", lambda w: mp.besseli(0, mp.sqrt(w)), 0, 4, "I0(sqrt x) on [0, 4]")
    emit(
        "sf_i1_0",
        lambda w: mp.besseli(1, mp.sqrt(w)) / mp.sqrt(w) if w > 0 else mpf(1) / 2,
        0,
        4,
        "I1(sqrt x) / sqrt x on [0, 4]",
    )

    def scaled(n):
        def f(u):
            if u < mpf(10) ** -10:
                return (1 - (4 * n * n - 1) * u / 8) / mp.sqrt(2 * mp.pi)
            x = 1 / u
            mp.dps = 60 + int(min(x, 1))
            v = mp.besseli(n, x) * mp.exp(-x) * mp.sqrt(x)
            mp.dps = 50
            return v

        return f

    for n in (0, 1):
        for name, lo, hi in (("2", "0.2", "0.5"), ("5", "0.09", "0.2"), ("11", "0.04", "0.09"), ("25", 0, "0.04")):
            emit("sf_i%d_%s" % (n, name), scaled(n), lo, hi, "I%d(1/x) e^(-1/x) / sqrt x on [%s, %s]" % (n, lo, hi))


def main():
    gamma_parts()
    near_parts()
    erf_parts()
    bessel_parts()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "core", "ops", "special_tables.h")
    with open(path, "w") as file:
        file.write(
            "/*\n * special_tables.h -- polynomials of the special functions (see special.h),\n"
            " * written by scripts/make-special-tables.py:\n"
            " * relative error below 2e-17 before rounding.\n */\n/* clang-format off */\n"
        )
        file.write("".join(FUNCTIONS) + "/* clang-format on */\n")


if __name__ == "__main__":
    main()
