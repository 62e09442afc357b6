"""A peer's side of a comparison: `server.py PEER`. The lines are those of server.lua; the workloads are groups/*.py,
whose prepare(peer, *words) returns (function, arguments, check) or raises Skip."""
import importlib.util
import os
import signal
import sys
import time
import timeit

for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA"):
    os.environ.setdefault(name + "_NUM_THREADS", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("THEANO_FLAGS", "blas.ldflags=-l:libopenblas.so.0,cxx=g++")
os.environ.setdefault("PYTENSOR_FLAGS", "blas__ldflags=-l:libopenblas.so.0")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "groups"))
sys.setrecursionlimit(100000)
from common import Skip  # noqa: E402

LIMIT = int(os.environ.get("BENCH_LIMIT", "120"))  # seconds for preparing a workload
BUDGET = float(os.environ.get("BENCH_SECONDS", "0.03"))
NOW = time.process_time if os.environ.get("BENCH_CLOCK") == "cpu" else time.perf_counter


GROUPS = {}  # by name: what a group keeps between its cases stays


def load(group):
    if group in GROUPS:
        return GROUPS[group]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "groups", group + ".py")
    if not os.path.exists(path):
        raise Skip("no such workload for this peer")
    spec = importlib.util.spec_from_file_location("group_" + group, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    GROUPS[group] = module
    return module


class Round:
    """A workload and how many calls make a round."""

    def __init__(self, f, args):
        self.measure = getattr(f, "measure", False)
        self.f = f
        names = ", ".join("a%d" % i for i in range(len(args)))
        values = dict({"a%d" % i: a for i, a in enumerate(args)}, f=f)
        self.timer = timeit.Timer("f(%s)" % names, timer=NOW, globals=values)
        self.calls = 1
        if self.measure:
            return
        t = self.timer.timeit(1)
        while t < BUDGET / 10 and self.calls < 10**7:
            self.calls *= 10 if t < BUDGET / 100 else 2
            t = self.timer.timeit(self.calls)
        self.calls = max(1, int(self.calls * BUDGET / t))

    def seconds(self):
        return self.f() if self.measure else self.timer.timeit(self.calls) / self.calls


def too_long(*_):
    raise Skip("not prepared within %d s" % LIMIT)


def prepare(peer, words):
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(LIMIT)
    try:
        f, args, check = load(words[1]).prepare(peer, *words[2:])
        return Round(f, args), "ok\t%s" % ("-" if check is None else repr(float(check)))
    finally:
        signal.alarm(0)


def main(peer):
    out, work = os.fdopen(os.dup(1), "w", buffering=1), None
    os.dup2(2, 1)  # what libraries print is not for the driver
    for line in sys.stdin:
        words = line.rstrip("\n").split("\t")
        if words[0] == "prepare":
            try:
                work, answer = prepare(peer, words)
            except Exception as e:  # a peer that cannot do it says why
                answer = "skip\t" + " ".join(("%s: %s" % (type(e).__name__, e)).split())[:200]
            print(answer, file=out)
        elif words[0] == "round":
            print("%.9g" % work.seconds(), file=out)
        else:
            work = None
            print("ok\t-", file=out)


if __name__ == "__main__":
    main(sys.argv[1])
