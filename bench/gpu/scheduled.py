"""What PyTorch's compiler would launch on an H100 that is not there: the kernels into which inductor's own scheduler
puts a graph, by shapes alone. Nothing is compiled and nothing runs; peers.py --count calls it.

What the scheduler asks about the GPU is answered from NVIDIA's published figures. Patterns that inductor looks for
before it lowers a graph, and templates that it times, are left out: products are library calls, as by default.
"""
import contextlib
from unittest import mock

import torch
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx


class H100:
    name, type, index, major, minor, cc = "NVIDIA H100 80GB HBM3", "cuda", 0, 9, 0, 90
    multi_processor_count, warp_size, total_memory, L2_cache_size = 132, 32, 80 << 30, 50 << 20
    max_threads_per_multi_processor, max_threads_per_block, regs_per_multiprocessor = 2048, 1024, 65536
    shared_memory_per_block, shared_memory_per_block_optin, shared_memory_per_multiprocessor = 49152, 232448, 233472
    gcnArchName = ""


@contextlib.contextmanager
def supposed():
    """torch.cuda as it would be with one H100."""
    answers = {"is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
               "get_device_properties": lambda device=None: H100(), "_lazy_init": lambda: None,
               "_get_device_properties": lambda device: H100(), "get_device_capability": lambda device=None: (9, 0)}
    with contextlib.ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(mock.patch("torch.cuda." + name, answer, create=True))
        yield


def on_gpu(graph, inputs, fake):
    """The traced graph with all that it is given, constants too, as placeholders on the GPU; their values."""
    values = []

    def put(t):
        with fake:
            values.append(torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device="cuda"))
    for t in inputs:
        put(t)
    first = next(n for n in graph.graph.nodes if n.op != "placeholder")
    for node in list(graph.graph.nodes):
        if node.op == "get_attr":
            with graph.graph.inserting_before(first):
                given = graph.graph.placeholder(node.name + "_given")
            put(getattr(graph, node.target))
            node.replace_all_uses_with(given)
            if node is first:
                first = node.next
            graph.graph.erase_node(node)
        elif "device" in node.kwargs:
            node.kwargs = {**node.kwargs, "device": torch.device("cuda:0")}
    for node in graph.graph.nodes:
        node.meta.pop("val", None)
    graph.recompile()
    return values


def library_call(node, products, flops):
    """Of a call of a library: its name, dtype, the products that it is, FLOPs."""
    origin = node.get_origin_node() or next(iter(node.origins), None)
    if not origin or not isinstance(origin.target, torch._ops.OpOverload):
        return {}
    args, kwargs = torch.fx.node.map_arg((origin.args, origin.kwargs), lambda n: n.meta["val"])
    name, out = origin.target._schema.name, origin.meta["val"]
    count = flops.get(origin.target.overloadpacket)
    first = next((a for a in args if isinstance(a, torch.Tensor)), None)
    if first is None:  # seeds of generators
        return {}
    return {"op": name, "dtype": str(first.dtype).removeprefix("torch."), "products": products(name, args),
            "flops": count(*args, **kwargs, out_val=out) if count else 0}


def launches(f, inputs, products):
    """The kernels of f(*inputs), meta tensors, each by its bytes and FLOPs; products: those that an operation is."""
    from torch._inductor.compile_fx import fake_tensor_prop
    from torch._inductor.decomposition import select_decomp_table
    from torch._inductor.fx_passes.replace_random import replace_random_passes
    from torch._inductor.graph import GraphLowering
    from torch._inductor.virtualized import V
    from torch.utils.flop_counter import flop_registry
    graph = make_fx(f, decomposition_table=select_decomp_table())(*inputs)
    fake, ops = FakeTensorMode(allow_non_fake_inputs=True), []
    with supposed(), torch.no_grad(), V.set_fake_mode(fake):
        values = on_gpu(graph, inputs, fake)
        with fake:
            fake_tensor_prop(graph, values)
            replace_random_passes(graph)
            fake_tensor_prop(graph, values)
        lowered = GraphLowering(graph, example_inputs=values)
        with V.set_graph_handler(lowered), V.set_extern_kernel_nodes([]), V.set_debug_handler(mock.MagicMock()):
            lowered.run(*values)
            lowered.init_wrapper_code()
            lowered._update_scheduler()
            for node in lowered.scheduler.nodes:
                kinds = [type(n.node).__name__ for n in node.get_nodes() if n.node]
                if type(node).__name__ == "NopKernelSchedulerNode" or kinds == ["MultiOutput"]:
                    continue
                op = {"op": "+".join(sorted(set(kinds))), "of": len(kinds), "flops": 0, "products": [],
                      "dtype": "float32"}
                if type(node).__name__ == "ExternKernelSchedulerNode":
                    op |= library_call(node.node, products, flop_registry)
                ops.append(op | {"bytes": int(node.get_read_write_buffers_sizes())})
    return ops
