"""JAX compiled for an H100 that is not there: what XLA launches in a step, how long it takes to compile, the memory of
a step. peers.py --count uses it where JAX has its CUDA plugin (pip install "jax[cuda13-local]" in the environment);
nothing is tried on a GPU, so that what JAX would choose by measuring (autotuning) is what it takes without.
"""
import math
import os
import re

H100 = """gpu_device_info {
  threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152 shared_memory_per_core: 233472
  threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000 l2_cache_size: 52428800 clock_rate_ghz: 1.98 device_memory_size: 84942979072
  shared_memory_per_block_optin: 232448 cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
}
platform_name: "CUDA" dnn_version_info { major: 9 } device_description_str: "NVIDIA H100 80GB HBM3"
"""
BYTES = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8}
DTYPES = {"bf16": "bfloat16", "f16": "float16", "f64": "float64"}
SHAPE = re.compile(r"\b(pred|bf16|[sufc]\d+)\[([\d,]*)\]")
LINE = re.compile(r"^\s+(ROOT )?%(\S+) = (.*?[\])}]) ([\w-]+)\((.*)$")
VIEWS = {"parameter", "bitcast", "tuple", "get-tuple-element", "constant", "after-all", "partition-id", "replica-id"}


def processor():
    """Seconds of the processor, of what was started too: the assembler may be a process."""
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def plugin():
    """Whether there is what compiles for a GPU, found before JAX looks for one."""
    os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_gpu_autotune_level=0"
    try:
        import jax_plugins
        return any(name.startswith("xla_cuda") for path in jax_plugins.__path__ for name in os.listdir(path))
    except ImportError:
        return False


# ---- the text of what was compiled ----------------------------------------------------------------------------------
class Line:
    """An instruction: what it gives, does and takes, all of it as text."""
    def __init__(self, found):
        self.root, self.name, self.type, self.opcode, rest = found.groups()
        end = next((i for i, c in enumerate(rest) if c == ")" and rest[:i].count("(") == rest[:i].count(")")), len(rest))
        self.operands, self.more = re.findall(r"%([\w.-]+)", rest[:end]), rest[end:]
        self.number = rest[:end]

    def called(self, word="calls"):
        found = re.search(word + r"=%([\w.-]+)", self.more)
        return found and found.group(1)


def read(text):
    """By its name, each computation: its lines, by name, in their order."""
    all_, lines, entry = {}, None, None
    for row in text.splitlines():
        head = re.match(r"^(ENTRY )?%(\S+) \(.*\{$", row)
        if head:
            lines = all_[head.group(2)] = {}
            entry = head.group(2) if head.group(1) else entry
        elif lines is not None and (found := LINE.match(row)):
            line = Line(found)
            lines[line.name] = line
    return all_, entry


def sizes(text):
    return [(dtype, [int(n) for n in lengths.split(",") if n]) for dtype, lengths in SHAPE.findall(text)]


def bytes_of(text):
    return sum(BYTES.get(dtype, 8) * math.prod(lengths) for dtype, lengths in sizes(text))


def through(lines, name):
    """The line behind views of it."""
    line = lines[name]
    while line.opcode in ("bitcast", "copy", "convert") and line.operands:
        line = lines[line.operands[0]]
    return line


def moved(line, lines, computations):
    """Bytes that a launch reads and writes: of an array of which it takes or sets a part, that part alone."""
    inner = computations.get(line.called(), {})
    if line.opcode != "fusion":
        return bytes_of(line.type) + sum(bytes_of(lines[o].type) for o in line.operands if o in lines)
    total, roots = 0, [v for v in inner.values() if v.root]
    if roots and roots[0].opcode == "tuple":
        roots = [inner[o] for o in roots[0].operands]
    for root in roots:
        set_ = through(inner, root.name)
        part = set_.opcode == "dynamic-update-slice"
        total += bytes_of(inner[set_.operands[1]].type if part else root.type)
    for v in inner.values():
        if v.opcode != "parameter":
            continue
        names, users = {v.name}, []
        for u in inner.values():  # in order: views come before who uses them
            if names & set(u.operands):
                if u.opcode == "bitcast":
                    names.add(u.name)
                else:
                    users.append(u)
        parts = [0 if u.opcode == "dynamic-update-slice" and u.operands[0] in names else bytes_of(u.type)
                 for u in users if u.opcode in ("dynamic-slice", "slice", "gather", "dynamic-update-slice")]
        total += min(sum(parts), bytes_of(v.type)) if len(parts) == len(users) else bytes_of(v.type)
    return total


def product(dot, lines):
    """[matrices, rows, columns, terms] of a dot."""
    (_, left), (_, right) = (sizes(lines[o].type)[0] for o in dot.operands[:2])

    def axes(word):
        found = re.search(word + r"=\{([\d,]*)\}", dot.more)
        return [int(n) for n in found.group(1).split(",") if n] if found else []
    both, terms = axes("lhs_batch_dims"), axes("lhs_contracting_dims")
    many, deep = math.prod(left[i] for i in both), math.prod(left[i] for i in terms)
    wide = math.prod(right) // max(1, many * deep)
    return [many, math.prod(left) // max(1, many * deep), wide, deep]


def library(line, lines):
    """The products that a call of cuBLAS or cuDNN is."""
    target = re.search(r'custom_call_target="([^"]*)"', line.more)
    target = target.group(1) if target else ""
    if "cublas" in target:
        dims = {k: [int(n.strip('"')) for n in v.split(",") if n] for k, v in
                re.findall(r'"(\w+_dimensions)":\[([^\]]*)\]', line.more)}
        left, right = (sizes(lines[o].type)[0][1] for o in line.operands[:2])
        many = math.prod(left[i] for i in dims.get("lhs_batch_dimensions", []))
        deep = math.prod(left[i] for i in dims["lhs_contracting_dimensions"])
        return [[many, math.prod(left) // (many * deep), math.prod(right) // (many * deep), deep]]
    if "cudnn$conv" not in target:
        return []
    taps = math.prod(int(n) for n in re.search(r"window=\{size=([\dx]+)", line.more).group(1).split("x"))
    places = {"Input": ("out", "weight", "image"), "Filter": ("image", "out", "weight")}
    back = next((word for word in places if "Backward" + word in target), "")
    labels = dict(zip(("image", "weight", "out"), re.search(r"dim_labels=(\w+)_(\w+)->(\w+)", line.more).groups()))
    texts = [lines[o].type for o in line.operands[:2]] + [line.type]
    given = {name: dict(zip(labels[name], sizes(text)[0][1]))
             for name, text in zip(places.get(back, ("image", "weight", "out")), texts)}
    image, weight, out = given["image"], given["weight"], given["out"]
    points, pixels = (math.prod(n for axis, n in v.items() if axis != "f") for v in (out, image))
    if back == "Input":
        return [[1, pixels, weight["i"], taps * weight["o"]]]
    return [[1, weight["o"], taps * weight["i"], points] if back else [1, points, weight["o"], taps * weight["i"]]]


def launches(text):
    """The kernels of a compiled step, each by its bytes and FLOPs; those of a loop as often as it turns."""
    computations, entry = read(text)
    ops, todo = [], [(entry, 1)]
    while todo:
        name, times = todo.pop()
        lines = computations[name]
        for line in lines.values():
            if line.opcode == "while":
                turns = re.search(r'"known_trip_count":\{"n":"(\d+)"', line.more)
                todo.append((line.called("body"), times * int(turns.group(1) if turns else 1)))
            elif line.opcode in ("call", "async-start"):
                todo.append((line.called("to_apply") or line.called(), times))
            elif line.opcode not in VIEWS and not line.opcode.endswith("-done"):
                ops += [kernel(line, lines, computations)] * times
    return ops


def kernel(line, lines, computations):
    inner = computations.get(line.called(), {})
    found = [product(v, inner) for v in inner.values() if v.opcode == "dot"]
    found += library(line, lines) if line.opcode == "custom-call" else []
    first = sizes(lines[line.operands[0]].type if line.operands else line.type)
    return {"op": "jax " + line.name, "bytes": moved(line, lines, computations), "products": found, "of": 1,
            "flops": sum(2 * math.prod(p) for p in found),
            "dtype": DTYPES.get(first[0][0] if first else "", "float32")}


# ---- JAX ------------------------------------------------------------------------------------------------------------
def made(Jax):
    """Jax, whose functions are compiled for that GPU and not called: `ops`, `first` (seconds of the processor), `held` (bytes)."""
    class Ahead(Jax):
        def __init__(self):
            super().__init__()
            from jax.experimental import topologies
            place = topologies.get_topology_desc("", "cuda", target_config=H100, topology="1x1x1").devices[0]
            self.place = self.j.sharding.SingleDeviceSharding(place)

        def compile(self, f, *args):
            def shape(a):
                return self.j.ShapeDtypeStruct(a.shape, a.dtype, sharding=self.place)
            args = self.j.tree.map(shape, args)
            start = processor()
            compiled = f.lower(*args).compile()
            self.first = processor() - start
            m = compiled.memory_analysis()
            self.held = (m.argument_size_in_bytes + m.output_size_in_bytes + m.temp_size_in_bytes
                         - m.alias_size_in_bytes)
            self.ops = launches(compiled.as_text())
            return None, None

        def trained(self, cost, params, *data):
            return self.compile(self.j.jit(self.updated(cost), donate_argnums=0), params, *data)

        def function(self, f, *data):
            return self.compile(self.j.jit(f), *data)

        def gradients(self, cost, other, *data):
            return self.compile(self.graded(cost, data), other, *data)

        def keyed(self, f, *data):
            return self.compile(self.j.jit(f), self.j.random.key(0), *data)
    return Ahead
