# An LSTM that learns to add two marked numbers, as a script of Theano 1.0.5 (Python 3.7, NumPy 1.19). adding.lua beside
# it is the same script here, line by line.
import numpy as np
import theano
import theano.tensor as T
from collections import OrderedDict
from theano.sandbox.rng_mrg import MRG_RandomStreams

floatX = theano.config.floatX
rng = np.random.RandomState(1)
n_in, n_hid, batch, steps = 2, 24, 20, 10

def weight(n, m, name):
    bound = np.sqrt(6. / (n + m))
    return theano.shared(rng.uniform(-bound, bound, (n, m)).astype(floatX), name)

# two numbers of a sequence are marked; their sum is wanted
def sequences(n):
    x = np.zeros((n, steps, 2), dtype=floatX)
    x[:, :, 0] = rng.uniform(0, 1, (n, steps))
    first, second = rng.randint(0, steps // 2, n), rng.randint(steps // 2, steps, n)
    x[np.arange(n), first, 1] = 1
    x[np.arange(n), second, 1] = 1
    return x, (x[:, :, 0] * x[:, :, 1]).sum(axis=1)

W_x, W_h = weight(n_in, 4 * n_hid, 'W_x'), weight(n_hid, 4 * n_hid, 'W_h')
b = theano.shared(np.zeros(4 * n_hid, dtype=floatX), 'b')
W_o, b_o = weight(n_hid, 1, 'W_o'), theano.shared(np.asarray(0., dtype=floatX), 'b_o')
params = [W_x, W_h, b, W_o, b_o]

def step(x_t, h_tm1, c_tm1):
    pre = x_t + T.dot(h_tm1, W_h)
    part = lambda i: pre[:, i * n_hid:(i + 1) * n_hid]
    i, f, o = [T.nnet.sigmoid(part(k)) for k in range(3)]
    c = f * c_tm1 + i * T.tanh(part(3))
    return o * T.tanh(c), c

x, y = T.tensor3('x'), T.vector('y')
zeros = T.zeros((x.shape[0], n_hid), dtype=floatX)
(h, c), _ = theano.scan(step, sequences=T.dot(x.dimshuffle(1, 0, 2), W_x) + b, outputs_info=[zeros, zeros])
srng = MRG_RandomStreams(seed=42)
noise = T.scalar('noise')
mask = T.switch(noise > 0, srng.binomial(h[-1].shape, p=0.9, dtype=floatX) / 0.9, 1)
out = (T.dot(h[-1] * mask, W_o)).flatten() + b_o
cost = T.mean((out - y) ** 2)

grads = T.grad(cost, params)
norm = T.sqrt(sum(T.sum(g ** 2) for g in grads))
updates = OrderedDict()
for p, g in zip(params, grads):
    g = g * T.minimum(1, 5 / norm)
    acc = theano.shared(np.zeros_like(p.get_value()), broadcastable=p.broadcastable)
    updates[acc] = 0.9 * acc + 0.1 * g ** 2
    updates[p] = p - 0.01 * g / T.sqrt(updates[acc] + 1e-6)

data_x, data_y = [theano.shared(a) for a in sequences(400)]
i = T.lscalar('i')
rows = slice(i * batch, (i + 1) * batch)
train = theano.function([i], cost, updates=updates, givens={x: data_x[rows], y: data_y[rows], noise: np.asarray(1, floatX)})
test = theano.function([x, y, theano.In(noise, value=0)], cost)
test_x, test_y = sequences(100)
for epoch in range(20):
    costs = [train(k) for k in range(400 // batch)]
    if epoch % 5 == 4:
        print('epoch %d: %.4f, test %.4f' % (epoch + 1, np.mean(costs), test(test_x, test_y)))
np.savez('adding.npz', **dict((p.name, p.get_value()) for p in params))
