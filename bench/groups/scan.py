"""The loops of scan.lua."""
import numpy as np
from common import Skip, graph_library, jax_double, torch_single, waits

STEPS, H, B = 100, 100, 10  # of the RNN
LH, LB, LE = 128, 32, 64  # of the LSTM
RATE = np.float32(0.01)


def rnn_data():
    rng = np.random.RandomState(1)
    sizes = ((H, H), (H, H), (STEPS, B, H))
    return [rng.uniform(-0.1, 0.1, s).astype("float32") for s in sizes]


def lstm_data():
    rng = np.random.RandomState(1)
    wx, wh = (rng.uniform(-0.1, 0.1, s).astype("float32") for s in ((LE, 4 * LH), (LH, 4 * LH)))
    x = rng.uniform(-0.1, 0.1, (STEPS, LB, LE)).astype("float32")
    return wx, wh, np.zeros(4 * LH, "float32"), x


def numpy_rnn(train):
    W, U, x = rnn_data()
    hs, dz = np.zeros((STEPS + 1, B, H), "float32"), np.empty((STEPS, B, H), "float32")

    def step():
        xw = (x.reshape(-1, H) @ W).reshape(x.shape)
        for t in range(STEPS):
            np.tanh(xw[t] + hs[t] @ U, out=hs[t + 1])
        loss = np.mean(hs[-1] ** 2)
        if not train:
            return loss
        d, back = hs[-1] * np.float32(2.0 / hs[-1].size), np.ascontiguousarray(U.T)
        for t in range(STEPS - 1, -1, -1):
            dz[t] = d * (1 - hs[t + 1] * hs[t + 1])
            d = dz[t] @ back
        flat = dz.reshape(-1, H)
        W[...] -= RATE * (x.reshape(-1, H).T @ flat)
        U[...] -= RATE * (hs[:STEPS].reshape(-1, H).T @ flat)
        return loss

    return step


def lstm_gradients(d, dh, dc, g, c, before, tc):
    """Gradients of one step's gates into d; that of the cell before."""
    i, f, o, a = (g[:, k * LH : (k + 1) * LH] for k in range(4))
    dc = dc + dh * o * (1 - tc * tc)
    d[:, :LH] = dc * a * i * (1 - i)
    d[:, LH : 2 * LH] = dc * before * f * (1 - f)
    d[:, 2 * LH : 3 * LH] = dh * tc * o * (1 - o)
    d[:, 3 * LH :] = dc * i * (1 - a * a)
    return dc * f


def numpy_lstm():
    wx, wh, bias, x = lstm_data()
    hs, cs = (np.zeros((STEPS + 1, LB, LH), "float32") for _ in range(2))
    gates, dz = (np.empty((STEPS, LB, 4 * LH), "float32") for _ in range(2))
    tc = np.empty((STEPS, LB, LH), "float32")

    def step():
        xw = (x.reshape(-1, LE) @ wx).reshape(STEPS, LB, 4 * LH) + bias
        for t in range(STEPS):
            z, g = xw[t] + hs[t] @ wh, gates[t]
            np.divide(1, 1 + np.exp(-z[:, : 3 * LH]), out=g[:, : 3 * LH])
            np.tanh(z[:, 3 * LH :], out=g[:, 3 * LH :])
            cs[t + 1] = g[:, LH : 2 * LH] * cs[t] + g[:, :LH] * g[:, 3 * LH :]
            np.tanh(cs[t + 1], out=tc[t])
            hs[t + 1] = g[:, 2 * LH : 3 * LH] * tc[t]
        dh, dc = hs[-1] * np.float32(2.0 / hs[-1].size), np.zeros((LB, LH), "float32")
        back, loss = np.ascontiguousarray(wh.T), np.mean(hs[-1] ** 2)
        for t in range(STEPS - 1, -1, -1):
            dc = lstm_gradients(dz[t], dh, dc, gates[t], cs[t + 1], cs[t], tc[t])
            dh = dz[t] @ back
        flat = dz.reshape(-1, 4 * LH)
        wx[...] -= RATE * (x.reshape(-1, LE).T @ flat)
        wh[...] -= RATE * (hs[:STEPS].reshape(-1, LH).T @ flat)
        bias[...] -= RATE * flat.sum(0)
        return loss

    return step


def torch_step(loss, params, train):
    torch = torch_single()

    def step():
        if not train:
            with torch.no_grad():
                return loss()
        value = loss()
        g = torch.autograd.grad(value, params)
        with torch.no_grad():
            torch._foreach_add_(params, g, alpha=-float(RATE))
        return value.detach()

    return step


def torch_rnn(train):
    torch = torch_single()
    W, U, x = (torch.from_numpy(v) for v in rnn_data())
    params = [W.requires_grad_(), U.requires_grad_()]

    def loss():
        h = torch.zeros(B, H)
        for xt in (x.view(-1, H) @ W).view(STEPS, B, H).unbind(0):
            h = torch.tanh(torch.addmm(xt, h, U))
        return (h**2).mean()

    return torch_step(loss, params, train)


def torch_lstm():
    torch = torch_single()
    wx, wh, bias, x = (torch.from_numpy(v) for v in lstm_data())
    params = [p.requires_grad_() for p in (wx, wh, bias)]

    def loss():
        h = c = torch.zeros(LB, LH)
        for xt in (torch.addmm(bias, x.view(-1, LE), wx)).view(STEPS, LB, 4 * LH).unbind(0):
            i, f, o, a = torch.addmm(xt, h, wh).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(a)
            h = torch.sigmoid(o) * torch.tanh(c)
        return (h**2).mean()

    return torch_step(loss, params, True)


def jax_step(loss, params, train):
    jax = jax_double()
    if not train:
        f = waits(jax.jit(loss))
        return lambda: f(params)

    def whole(P):
        value, g = jax.value_and_grad(loss)(P)
        return [p - RATE * d for p, d in zip(P, g)], value

    fast, state = jax.jit(whole, donate_argnums=0), [params]

    def step():
        state[0], value = fast(state[0])
        return value.block_until_ready()

    return step


def jax_rnn(train):
    jnp, lax = jax_double().numpy, jax_double().lax
    W, U, x = (jnp.array(v) for v in rnn_data())

    def loss(P):
        h, _ = lax.scan(lambda h, xt: (jnp.tanh(h @ P[1] + xt), None), jnp.zeros((B, H), "float32"), x @ P[0])
        return jnp.mean(h**2)

    return jax_step(loss, [W, U], train)


def jax_lstm():
    jax = jax_double()
    jnp = jax.numpy
    wx, wh, bias, x = (jnp.array(v) for v in lstm_data())

    def loss(P):
        def cell(state, xt):
            h, c = state
            i, f, o, a = jnp.split(xt + h @ P[1], 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(a)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zero = jnp.zeros((LB, LH), "float32")
        (h, _), _ = jax.lax.scan(cell, (zero, zero), x @ P[0] + P[2])
        return jnp.mean(h**2)

    return jax_step(loss, [wx, wh, bias], True)


def graph_rnn(peer, train):
    th, pt, _, mode = graph_library(peer)
    W, U, x = (th.shared(v) for v in rnn_data())
    scan = th.scan if callable(th.scan) else th.scan.scan
    out = scan(lambda xt, h, U: pt.tanh(xt + pt.dot(h, U)), sequences=pt.dot(x, W), non_sequences=U,
               outputs_info=pt.zeros((B, H), dtype="float32"))
    h = out[0] if isinstance(out, (tuple, list)) else out
    cost = pt.mean(h[-1] ** 2)
    updates = [(p, p - RATE * g) for p, g in zip((W, U), th.grad(cost, [W, U]))] if train else []
    return th.function([], cost, updates=updates, mode=mode)


def prepare(peer, name):
    train, graph = "training" in name, peer in ("pytensor-c", "pytensor-numba", "theano")
    if "recurrence" in name or (graph and "LSTM" in name):
        raise Skip("not written for this peer")
    if "LSTM" in name:
        f = {"numpy": numpy_lstm, "torch": torch_lstm, "jax": jax_lstm}[peer]()
    elif graph:
        f = graph_rnn(peer, train)
    else:
        f = {"numpy": numpy_rnn, "torch": torch_rnn, "jax": jax_rnn}[peer](train)
    return f, (), f()
