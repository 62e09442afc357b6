"""The peer of bench/scan.lua's tanh RNN and LSTM: the same steps written with NumPy."""
import time
import numpy as np

H, T, B = 100, 100, 10
rng = np.random.RandomState(1)
W, U = (rng.uniform(-0.1, 0.1, (H, H)).astype("float32") for _ in range(2))
X, H0 = rng.uniform(-0.1, 0.1, (T, B, H)).astype("float32"), np.zeros((B, H), "float32")


def forward():
    xw = (X.reshape(T * B, H) @ W).reshape(T, B, H)
    hs = np.empty((T + 1, B, H), "float32")
    hs[0] = H0
    for t in range(T):
        np.tanh(xw[t] + hs[t] @ U, out=hs[t + 1])
    return hs


def train():
    global W, U
    hs = forward()
    d = hs[T] * np.float32(2.0 / hs[T].size)
    dz = np.empty((T, B, H), "float32")
    ut = np.ascontiguousarray(U.T)
    for t in range(T - 1, -1, -1):
        dz[t] = d * (1 - hs[t + 1] * hs[t + 1])
        d = dz[t] @ ut
    flat = dz.reshape(T * B, H)
    W = W - np.float32(0.01) * (X.reshape(T * B, H).T @ flat)
    U = U - np.float32(0.01) * (hs[:T].reshape(T * B, H).T @ flat)


LH, LB, E = 128, 32, 64
Wx, Wh = (rng.uniform(-0.1, 0.1, s).astype("float32") for s in ((E, 4 * LH), (LH, 4 * LH)))
Bias = np.zeros(4 * LH, "float32")
LX = rng.uniform(-0.1, 0.1, (T, LB, E)).astype("float32")


def lstm_train():
    global Wx, Wh, Bias
    xw = (LX.reshape(T * LB, E) @ Wx).reshape(T, LB, 4 * LH) + Bias
    hs, cs = np.zeros((T + 1, LB, LH), "float32"), np.zeros((T + 1, LB, LH), "float32")
    gates, tc = np.empty((T, LB, 4 * LH), "float32"), np.empty((T, LB, LH), "float32")
    for t in range(T):
        z, g = xw[t] + hs[t] @ Wh, gates[t]
        np.divide(1, 1 + np.exp(-z[:, : 3 * LH]), out=g[:, : 3 * LH])
        np.tanh(z[:, 3 * LH :], out=g[:, 3 * LH :])
        cs[t + 1] = g[:, LH : 2 * LH] * cs[t] + g[:, :LH] * g[:, 3 * LH :]
        np.tanh(cs[t + 1], out=tc[t])
        hs[t + 1] = g[:, 2 * LH : 3 * LH] * tc[t]
    dh, dc = hs[T] * np.float32(2.0 / hs[T].size), np.zeros((LB, LH), "float32")
    dz = np.empty_like(gates)
    wt = np.ascontiguousarray(Wh.T)
    for t in range(T - 1, -1, -1):
        g, d = gates[t], dz[t]
        i, f, o, a = (g[:, k * LH : (k + 1) * LH] for k in range(4))
        dc = dc + dh * o * (1 - tc[t] * tc[t])
        d[:, :LH] = dc * a * i * (1 - i)
        d[:, LH : 2 * LH] = dc * cs[t] * f * (1 - f)
        d[:, 2 * LH : 3 * LH] = dh * tc[t] * o * (1 - o)
        d[:, 3 * LH :] = dc * i * (1 - a * a)
        dc = dc * f
        dh = d @ wt
    flat = dz.reshape(T * LB, 4 * LH)
    Wx = Wx - np.float32(0.01) * (LX.reshape(T * LB, E).T @ flat)
    Wh = Wh - np.float32(0.01) * (hs[:T].reshape(T * LB, LH).T @ flat)
    Bias = Bias - np.float32(0.01) * flat.sum(0)


for name, f in (("tanh RNN forward", forward), ("tanh RNN training step", train), ("LSTM training step", lstm_train)):
    f()
    times = []
    for _ in range(41):
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    print("numpy   %-28s min %8.3f  median %8.3f ms" % (name, times[0], times[20]))
