#!/usr/bin/env python3
"""Weights from and to the programs that docs/interchange.md names, each against the package itself, where it is found:

    PYTHON scripts/try-interchange.py [build/theano]

torch with safetensors, keras (KERAS_BACKEND=torch does), numpy. Prints a line each; exits with 1 where numbers differ.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

RUNNER = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/theano")
BAD = []


def lua(folder, text):
    subprocess.run([RUNNER, "-e", text], cwd=folder, check=True, env={**os.environ, "THEANORC": "/dev/null"})


def same(what, a, b, within=2e-6):
    worst = float(np.max(np.abs(np.asarray(a) - np.asarray(b))))
    print(f"{what}: differs by {worst:.1e} at most")
    if not worst <= within:
        BAD.append(what)


PRELUDE = """
local theano = require "theano"
local T, nd, layers = theano.tensor, theano.ndarray, theano.layers
"""


def numpy_both_ways(folder):
    w = np.arange(6, dtype="float32").reshape(2, 3)
    np.savez(f"{folder}/a.npz", w=w, b=np.array([1.5, 2.5]))
    lua(folder, PRELUDE + """
        local a = nd.load "a.npz"
        nd.save("b.npz", { w = a.w * 2, b = a.b })
        nd.save("b.npy", a.w.T)""")
    back = np.load(f"{folder}/b.npz")
    same(f"numpy {np.__version__}, .npz", back["w"], w * 2, 0)
    same(f"numpy {np.__version__}, .npy", np.load(f"{folder}/b.npy"), w.T, 0)


def torch_there(folder):
    import torch
    from safetensors.torch import load_file, save_file
    torch.manual_seed(0)
    net = torch.nn.ModuleDict({
        "fc": torch.nn.Linear(5, 3), "conv": torch.nn.Conv2d(2, 4, 3, padding=1), "lstm": torch.nn.LSTM(5, 6)})
    x, picture, steps = torch.randn(7, 5), torch.randn(2, 2, 8, 8), torch.randn(4, 2, 5)
    save_file({k: v.contiguous() for k, v in net.state_dict().items()}, f"{folder}/net.safetensors")
    save_file({"x": x, "picture": picture, "steps": steps}, f"{folder}/inputs.safetensors")
    lua(folder, PRELUDE + """
        local w, data = nd.load "net.safetensors", nd.load "inputs.safetensors"
        local p = layers.params { dtype = "float32" }
        local x, picture, steps = T.fmatrix "x", T.ftensor4 "picture", T.ftensor3 "steps"
        local y = layers.dense(p, x, 5, 3, { name = "fc" })
        local c = layers.conv(p, picture, 2, 4, { name = "conv", size = 3 })
        local h = layers.lstm(p, steps, 5, 6, { name = "lstm" })
        -- PyTorch's gates: input, forget, cell, output; here forget (begins open: 1 is added), input, output, cell
        local function gates(a) local s = nd.split(a, 4) return nd.concatenate { s[2], s[1], s[4], s[3] } end
        local b = gates(w["lstm.bias_ih_l0"] + w["lstm.bias_hh_l0"])
        b["0:6"] = b["0:6"] - 1
        p:set_values {
          ["fc.W"] = w["fc.weight"].T, ["fc.b"] = w["fc.bias"], -- (in, out) here
          ["conv.W"] = w["conv.weight"], ["conv.b"] = w["conv.bias"],
          ["lstm.W"] = gates(w["lstm.weight_ih_l0"]).T, ["lstm.U"] = gates(w["lstm.weight_hh_l0"]).T, ["lstm.b"] = b,
        }
        local f = theano.compile { inputs = { x, picture, steps }, outputs = { y, c, h } }
        local fc, conv, lstm = f(data.x, data.picture, data.steps)
        nd.save("out.safetensors", { fc = fc, conv = conv, lstm = lstm })
        local now = p:state()
        nd.save("back.safetensors", { ["fc.weight"] = now["fc.W"].T:copy(), ["fc.bias"] = now["fc.b"] })
    """)
    out, back = load_file(f"{folder}/out.safetensors"), load_file(f"{folder}/back.safetensors")
    with torch.no_grad():
        same(f"torch {torch.__version__}, Linear", out["fc"], net["fc"](x))
        same("  Conv2d", out["conv"], net["conv"](picture))
        same("  LSTM", out["lstm"], net["lstm"](steps)[0])
        other = torch.nn.Linear(5, 3)
        other.load_state_dict({k[3:]: v for k, v in back.items()})
        same("  and back", other(x), net["fc"](x), 0)


def keras_there(folder):
    import keras
    net = keras.Sequential([keras.Input((8, 8, 2)), keras.layers.Conv2D(4, 3, padding="same", activation="relu"),
                            keras.layers.Flatten(), keras.layers.Dense(3, activation="softmax")])
    x = np.random.RandomState(0).randn(5, 8, 8, 2).astype("float32")
    np.savez(f"{folder}/keras.npz", x=x, **{f"w{i}": w for i, w in enumerate(net.get_weights())})
    lua(folder, PRELUDE + """
        local w = nd.load "keras.npz"
        local p, x = layers.params { dtype = "float32" }, T.ftensor4 "x" -- (batch, height, width, channels) there
        local c = layers.conv(p, x:dimshuffle(0, 3, 1, 2), 2, 4, { name = "conv", size = 3, activation = T.nnet.relu })
        local y = T.nnet.softmax(layers.dense(p, c:dimshuffle(0, 2, 3, 1):flatten(2), 256, 3, { name = "dense" }))
        p:set_values {
          ["conv.W"] = w.w0:transpose(3, 2, 0, 1), ["conv.b"] = w.w1, ["dense.W"] = w.w2, ["dense.b"] = w.w3 }
        nd.save("keras-out.npy", theano.compile({ x }, y)(w.x))
        local now = p:state()
        nd.save("back.npz", {
          w0 = now["conv.W"]:transpose(2, 3, 1, 0), w1 = w.w1, w2 = now["dense.W"], w3 = now["dense.b"] + 1 })
    """)
    same(f"keras {keras.__version__}", np.load(f"{folder}/keras-out.npy"), net.predict(x, verbose=0))
    back = np.load(f"{folder}/back.npz")
    net.set_weights([back[f"w{i}"] for i in range(4)])
    same("  and back", net.get_weights()[3], np.load(f"{folder}/keras.npz")["w3"] + 1, 0)


with tempfile.TemporaryDirectory() as place:
    for name, run in (("numpy", numpy_both_ways), ("torch", torch_there), ("keras", keras_there)):
        try:
            run(place)
        except ImportError as e:
            print(f"{name}: skipped, {e}")
sys.exit(1 if BAD else 0)
