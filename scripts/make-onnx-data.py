#!/usr/bin/env python3
"""Models and numbers of spec/data/onnx: what onnx.helper builds and onnxruntime computes, for import; and what
theano.onnx.save writes of spec/support/onnx_models.lua, run by onnxruntime, for export.
  scripts/make-onnx-data.py          writes the files
  scripts/make-onnx-data.py --check  writes none; says how far onnxruntime's numbers are from ours
Needs `pip install numpy onnx onnxruntime`, and build/theano."""
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

onnxruntime.set_default_logger_severity(3)
FOLDER = os.path.join(os.path.dirname(__file__), "..", "spec", "data", "onnx")
rng = np.random.RandomState(7)


def f32(*shape):
    return (rng.randn(*shape) * 0.4).astype("float32")


def run(path_or_bytes, feeds):
    session = onnxruntime.InferenceSession(path_or_bytes, providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feeds)))


def model(name, nodes, inputs, outputs, weights, opset=17):
    """inputs: name -> array; outputs: names with their numbers of dimensions."""
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info(k, TensorProto.FLOAT, [None] * v.ndim) for k, v in inputs.items()],
        [helper.make_tensor_value_info(k, TensorProto.FLOAT, [None] * n) for k, n in outputs.items()],
        [numpy_helper.from_array(v, k) for k, v in weights.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.checker.check_model(made, full_check=True)
    answer = run(made.SerializeToString(), inputs)
    onnx.save(made, os.path.join(FOLDER, name + ".onnx"))
    np.savez(os.path.join(FOLDER, name + ".npz"), **{"in_" + k: v for k, v in inputs.items()},
             **{"out_" + k: v for k, v in answer.items()})


def write():
    N = helper.make_node
    i64 = lambda *v: np.array(v, "int64")
    model("mlp", [N("Gemm", ["x", "W", "b"], ["h"], transB=1, alpha=0.5), N("LeakyRelu", ["h"], ["r"], alpha=0.2),
                  N("MatMul", ["r", "V"], ["s"]), N("LogSoftmax", ["s"], ["y"], axis=-1)],
          {"x": f32(3, 4)}, {"y": 2}, {"W": f32(6, 4), "b": f32(6), "V": f32(6, 2)})
    model("cnn", [N("Conv", ["x", "W", "b"], ["c"], pads=[1, 1, 1, 1], strides=[2, 1], group=2),
                  N("BatchNormalization", ["c", "g", "o", "m", "v"], ["n"]), N("Clip", ["n", "lo", "hi"], ["k"]),
                  N("MaxPool", ["k"], ["p"], kernel_shape=[2, 2], strides=[1, 2]),
                  N("GlobalAveragePool", ["p"], ["a"]), N("Flatten", ["a"], ["f"]), N("Gemm", ["f", "V"], ["y"])],
          {"x": f32(2, 4, 6, 7)}, {"y": 2},
          {"W": f32(4, 2, 3, 3), "b": f32(4), "g": f32(4), "o": f32(4), "m": f32(4), "v": np.abs(f32(4)) + 0.5,
           "lo": np.float32(-1).reshape(()), "hi": np.float32(1.5).reshape(()), "V": f32(4, 3)})
    n = 3
    model("lstm", [N("LSTM", ["x", "W", "R", "B", "", "h0", "c0"], ["Y", "h", "c"], hidden_size=n),
                   N("Squeeze", ["Y", "one"], ["y"])],
          {"x": f32(5, 2, 4), "h0": f32(1, 2, n), "c0": f32(1, 2, n)}, {"y": 3, "h": 3, "c": 3},
          {"W": f32(1, 4 * n, 4), "R": f32(1, 4 * n, n), "B": f32(1, 8 * n), "one": i64(1)})
    d, heads = 8, 2
    model("transformer", [
        N("LayerNormalization", ["x", "g", "o"], ["n"], axis=-1), N("MatMul", ["n", "QKV"], ["all"]),
        N("Split", ["all", "thirds"], ["q", "k", "v"], axis=2), N("Shape", ["x"], ["shape"]),
        N("Slice", ["shape", "zero", "two"], ["lead"]), N("Concat", ["lead", "split"], ["cut"], axis=0),
        *[N("Reshape", [z, "cut"], [z + "r"]) for z in "qkv"],
        N("Transpose", ["qr"], ["qt"], perm=[0, 2, 1, 3]), N("Transpose", ["kr"], ["kt"], perm=[0, 2, 3, 1]),
        N("Transpose", ["vr"], ["vt"], perm=[0, 2, 1, 3]), N("MatMul", ["qt", "kt"], ["s"]),
        N("Constant", [], ["half"], value=numpy_helper.from_array(np.float32(0.5).reshape(()))),
        N("Mul", ["s", "half"], ["scaled"]), N("Softmax", ["scaled"], ["w"], axis=-1), N("MatMul", ["w", "vt"], ["a"]),
        N("Transpose", ["a"], ["at"], perm=[0, 2, 1, 3]), N("Reshape", ["at", "shape"], ["flat"]),
        N("MatMul", ["flat", "O"], ["m"]), N("Add", ["x", "m"], ["y1"]), N("MatMul", ["y1", "F1"], ["f"]),
        N("Erf", ["f"], ["e"]), N("MatMul", ["e", "F2"], ["z"]), N("Add", ["y1", "z"], ["y"])],
        {"x": f32(2, 5, d)}, {"y": 3},
        {"g": f32(d), "o": f32(d), "QKV": f32(d, 3 * d), "thirds": i64(d, d, d), "zero": i64(0), "two": i64(2),
         "split": i64(heads, d // heads), "O": f32(d, d), "F1": f32(d, 16), "F2": f32(16, d)})
    model("shapes", [
        N("ReduceMean", ["x"], ["m"], axes=[1], keepdims=1), N("Sub", ["x", "m"], ["c"]), N("Abs", ["c"], ["a"]),
        N("Gather", ["a", "picks"], ["p"], axis=1), N("Unsqueeze", ["p", "axis"], ["u"]),
        N("Expand", ["u", "wide"], ["e"]), N("Transpose", ["e"], ["t"], perm=[2, 0, 1]),
        N("Slice", ["t", "from", "to", "axis", "back"], ["s"]), N("Where", ["mask", "s", "zero"], ["y"])],
        {"x": f32(3, 5)}, {"y": 3},
        {"picks": i64(4, 0), "axis": i64(1), "wide": i64(3, 4, 2), "from": i64(-1), "to": i64(-4), "back": i64(-1),
         "mask": np.array([True, False, True, True]), "zero": np.float32(0).reshape(())})


def exported():
    with tempfile.TemporaryDirectory() as folder:
        program = """
            local models, nd = require("spec.support.onnx_models"), require("theano.ndarray")
            local theano, onnx = require("theano"), require("theano.onnx")
            for _, name in ipairs(models.names) do
              local x, y, data = models.make(name)
              onnx.save("%s/" .. name .. ".onnx", { inputs = { x }, outputs = { y = y } })
              nd.save("%s/" .. name .. ".npz", { x = data, y = theano.compile({ inputs = { x }, outputs = y })(data) })
            end""".replace("%s", folder)
        subprocess.run(["build/theano", "-e", program], check=True, cwd=os.path.join(FOLDER, "..", "..", ".."))
        for name in ("mlp", "cnn", "lstm", "transformer"):
            path = os.path.join(folder, name + ".onnx")
            onnx.checker.check_model(onnx.load(path), full_check=True)
            ours = np.load(os.path.join(folder, name + ".npz"))
            theirs = run(path, {"x": ours["x"]})["y"]
            print(name, "onnxruntime", onnxruntime.__version__, "differs by", np.abs(theirs - ours["y"]).max())
            assert np.allclose(theirs, ours["y"], rtol=1e-5, atol=1e-6)


if "--check" not in sys.argv:
    os.makedirs(FOLDER, exist_ok=True)
    write()
exported()
