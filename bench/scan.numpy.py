"""The peer of bench/scan.lua's tanh RNN: the same steps written with NumPy."""
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


for name, f in (("tanh RNN forward", forward), ("tanh RNN training step", train)):
    f()
    times = []
    for _ in range(41):
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    print("numpy   %-28s min %8.3f  median %8.3f ms" % (name, times[0], times[20]))
