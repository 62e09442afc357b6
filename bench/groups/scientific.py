"""SciPy on what groups/scientific.lua does."""
import numpy as np

from common import Skip


def wave(n):
    return np.sin(np.arange(n) * 0.1) + np.sin(np.arange(n) * 0.37)


def minimum(method, n):
    from scipy import optimize
    x = np.full(n, 1.0)
    x[::2] = -1.2
    more = {} if method == "Nelder-Mead" else {"jac": optimize.rosen_der}
    if method == "Newton-CG":
        more["hessp"] = optimize.rosen_hess_prod
    return lambda: optimize.minimize(optimize.rosen, x, method=method, **more).fun


def curve_fit(n):
    from scipy import optimize
    x = np.linspace(0, 4, n)
    y = 2.5 * np.exp(-1.3 * x) + 0.5
    return lambda: optimize.curve_fit(lambda v, a, b, c: a * np.exp(-b * v) + c, x, y)[0].sum()


def equations(method):
    from scipy import integrate
    if method == "RK45":
        return lambda: integrate.solve_ivp(lambda t, y: [1.5 * y[0] - y[0] * y[1], -3 * y[1] + y[0] * y[1]], [0, 15],
                                           [10, 5], rtol=1e-8).y[0, -1]
    return lambda: integrate.solve_ivp(lambda t, y: [y[1], 1000 * (1 - y[0] * y[0]) * y[1] - y[0]], [0, 3000], [2, 0],
                                       method="Radau").y[0, -1]


def case(name, n):
    from scipy import integrate, interpolate, signal, special
    if name in ("BFGS", "L-BFGS-B", "CG", "Newton-CG", "Nelder-Mead"):
        return minimum(name, n)
    if name == "curve_fit":
        return curve_fit(n)
    if name == "quad":
        return lambda: integrate.quad(lambda x: 1 / (1e-4 + (x - 0.3) ** 2), 0, 1)[0]
    if name in ("RK45", "Radau"):
        return equations(name)
    if name == "CubicSpline":
        x, y, at = np.arange(n) * 1.0, wave(n), np.arange(n) + 0.3
        return lambda: interpolate.CubicSpline(x, y)(at).sum()
    x = wave(n)
    if name == "lfilter":
        b, a = signal.butter(4, 0.2)
        return lambda: signal.lfilter(b, a, x).sum()
    if name == "sosfilt":
        sos = signal.butter(6, 0.2, output="sos")
        return lambda: signal.sosfilt(sos, x).sum()
    if name == "stft":
        return lambda: np.abs(signal.stft(x)[2]).sum()
    at = (np.arange(n) + 0.5) / n
    return lambda: special.betainc(2.5, 7.0, at).sum()


def prepare(peer, name, n):
    if peer != "scipy":
        raise Skip("SciPy alone")
    f = case(name, int(n))
    value = float(f())
    return f, [], None if name in ("BFGS", "L-BFGS-B", "CG", "Newton-CG", "Radau") else value
