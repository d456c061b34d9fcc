#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Scans by PyTorch and JAX, where installed, on the first GPU (or the host if there is none).

    usage: peers.py [--exponents 10-28] [--step 2] [--out FILE.json]

Writes JSON as the benchmark programs do, with the same names (problem/program/n:N) and counters, so
that scripts/plot-benchmarks takes both. The floor is a copy of as many bytes by the same package.
"""
import argparse
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from peer_results import Results  # pylint: disable=wrong-import-position; the path comes first

TYPES = {"int32": 4, "int64": 8, "float": 4, "double": 8}
SHORT = 1 << 22  # up to this length there are graphs


class Torch:
    def __init__(self):
        import torch

        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.types = {"int32": torch.int32, "int64": torch.int64,
                      "float": torch.float32, "double": torch.float64}
        self.has_graphs = self.device == "cuda"

    def name(self):
        return f"PyTorch {self.torch.__version__}"

    def on_gpu(self):
        return self.device == "cuda"

    def array(self, kind, n):
        dtype = self.types[kind]
        if dtype.is_floating_point:
            return self.torch.rand(n, dtype=dtype, device=self.device) * 2 - 1
        return self.torch.randint(-4096, 4096, (n,), dtype=dtype, device=self.device)

    def programs(self, kind, n):
        x, y = self.array(kind, n), self.array(kind, n)
        yield "copy", "torch", lambda: y.copy_(x)
        yield "sum", "torch_cumsum", lambda: self.torch.cumsum(x, 0, dtype=x.dtype, out=y)

    def sample(self, call, calls):
        """Seconds for a batch of calls."""
        if not self.has_graphs:
            begin = time.perf_counter()
            for _ in range(calls):
                call()
            return time.perf_counter() - begin
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def graph(self, call, calls):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            for _ in range(calls):
                call()
        return graph.replay


class Jax:
    """Timed from the first dispatch to the last result: JAX gives no access to its stream."""

    has_graphs = False

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax, self.np = jax, jax.numpy
        self.types = {"int32": self.np.int32, "int64": self.np.int64,
                      "float": self.np.float32, "double": self.np.float64}

    def name(self):
        return f"JAX {self.jax.__version__}"

    def on_gpu(self):
        return self.jax.default_backend() == "gpu"

    def array(self, kind, n):
        key = self.jax.random.key(1)
        if kind in ("float", "double"):
            return self.jax.random.uniform(key, (n,), self.types[kind], -1, 1)
        return self.jax.random.randint(key, (n,), -4096, 4096, self.types[kind])

    def programs(self, kind, n):
        x = self.array(kind, n)
        half = self.types[kind](0.5)

        def join(a, b):
            return a[0] * b[0], a[1] * b[0] + b[1]

        def decay(x):
            weights = self.np.full(n, half, x.dtype)
            return self.jax.lax.associative_scan(join, (weights, x))[1]

        functions = {
            ("copy", "jax"): self.np.negative,  # reads and writes as much; copies may be elided
            ("sum", "jax_cumsum"): self.np.cumsum,
            ("sum", "jax_associative_scan"):
                lambda x: self.jax.lax.associative_scan(self.np.add, x),
        }
        if kind in ("float", "double"):
            functions["decay", "jax_associative_scan"] = decay
        for (problem, program), function in functions.items():
            compiled = self.jax.jit(function)
            yield problem, program, lambda f=compiled: f(x)

    def sample(self, call, calls):
        begin = time.perf_counter()
        for _ in range(calls):
            result = call()
        result.block_until_ready()
        return time.perf_counter() - begin


def median_time(package, call, calls):
    package.sample(call, 1)
    samples = []
    while len(samples) < 7 or (sum(samples) < 0.01 and len(samples) < 50):
        samples.append(package.sample(call, calls))
    return statistics.median(samples) / calls


def measure(results, package, kind, n):
    moved = 2 * n * TYPES[kind]
    calls = min(max((1 << 27) // n, 1), 20)
    floor = graph_floor = None
    for problem, program, call in package.programs(kind, n):
        seconds = median_time(package, call, calls)
        floor = floor or seconds
        name = f"{problem}<{kind}>/{program}"
        results.add(f"{name}/n:{n}/manual_time", seconds, floor, moved)
        if package.has_graphs and n <= SHORT:
            replay = package.graph(call, 40)
            seconds = median_time(package, replay, 1) / 40
            graph_floor = graph_floor or seconds
            results.add(f"{name}/graph/n:{n}/manual_time", seconds, graph_floor, moved)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exponents", default="10-28", help="sizes: powers of two, FIRST-LAST")
    parser.add_argument("--step", type=int, default=2, help="every how manieth power of two")
    parser.add_argument("--packages", default="torch,jax")
    parser.add_argument("--out", help="file to write; standard output by default")
    options = parser.parse_args()
    first, last = (int(exponent) for exponent in options.exponents.split("-"))

    results = Results(options.out)
    for package in results.packages(options.packages, {"torch": Torch, "jax": Jax}):
        results.context["execution space"] = "Cuda" if package.on_gpu() else "Host"
        for exponent in range(first, last + 1, options.step):
            for kind in TYPES:
                measure(results, package, kind, 1 << exponent)
    results.finish()


if __name__ == "__main__":
    main()
