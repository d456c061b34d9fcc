#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Filters by CuPy, torchaudio, PyTorch and JAX, where installed, on the first GPU.

    usage: peers.py [--length 40000000] [--slow-length 1000000] [--packages cupy,jax,torch] [--out FILE]

Writes JSON as WaveScan_perf_filters does, with the same filters, names (problem/program/n:N) and
counters. The floor is a copy of as many bytes. Programs that take long get a shorter line, or 256
of them.
"""
import argparse
import math
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from peer_results import Results  # pylint: disable=wrong-import-position; the path comes first


def sections(count):
    """Rows of b_0, b_1, b_2, a_0, a_1, a_2, as in Filters.cpp."""
    radius = 0.6
    return [[0.5, 0.2, 0.1, 1, -2 * radius * math.cos(0.3 + 0.35 * s), radius * radius]
            for s in range(count)]


def transfer_function(order):
    if order == 1:
        return [0.25, 0.25], [1, -0.5]
    product = [[1.0], [1.0]]
    for section in sections(order // 2):
        for i, factor in enumerate((section[:3], section[3:])):
            whole = [0.0] * (len(product[i]) + 2)
            for j, p in enumerate(product[i]):
                for k, q in enumerate(factor):
                    whole[j + k] += p * q
            product[i] = whole
    return product


class CuPy:
    """SciPy's functions on a GPU."""

    def __init__(self):
        import cupy
        import cupyx.scipy.signal as signal

        self.cupy, self.signal = cupy, signal

    def name(self):
        return f"CuPy {self.cupy.__version__}"

    def wait(self, result):
        self.cupy.cuda.get_current_stream().synchronize()

    def copy(self, n):
        x, y = (self.cupy.zeros(n, self.cupy.float32) for _ in range(2))
        return lambda: self.cupy.copyto(y, x)

    def programs(self, n, slow_n):
        x = self.cupy.random.rand(n, dtype=self.cupy.float32) * 2 - 1
        for order in (1, 2, 4, 8):
            b, a = (self.cupy.array(c, self.cupy.float32) for c in transfer_function(order))
            yield f"lfilter_order{order}", "cupy", 1, n, lambda: self.signal.lfilter(b, a, x)
        for count in (2, 4, 8):
            sos = self.cupy.array(sections(count), self.cupy.float32)
            yield f"sosfilt_{count}", "cupy", 1, n, lambda: self.signal.sosfilt(sos, x)


class Torch:
    """lfilter of torchaudio, whose lines are serial, and associative_scan, for order 1."""

    def __init__(self):
        import torch

        self.torch = torch
        self.torch.zeros(1, device="cuda")

    def name(self):
        return f"PyTorch {self.torch.__version__}"

    def wait(self, result):
        self.torch.cuda.synchronize()

    def copy(self, n):
        x, y = (self.torch.zeros(n, device="cuda") for _ in range(2))
        return lambda: y.copy_(x)

    def programs(self, n, slow_n):
        torch = self.torch
        x = torch.rand(n, device="cuda") * 2 - 1
        # Order 1 with a pole of one is a sum, the only recurrence that PyTorch has a kernel for.
        yield "sum", "torch_cumsum", 1, n, lambda: torch.cumsum(x, 0)
        try:
            from torch._higher_order_ops.associative_scan import associative_scan

            def join(left, right):
                return left[0] * right[0], left[1] * right[0] + right[1]

            @torch.compile
            def recurrence(x):
                weights = torch.full_like(x, 0.5)
                return associative_scan(join, (weights, x), dim=0)[1]

            recurrence(x)
            yield "recurrence_order1", "torch_associative_scan", 1, n, lambda: recurrence(x)
        except Exception as error:  # pylint: disable=broad-except; not a part of its interface
            print(f"associative_scan left out: {error}"[:300], file=sys.stderr)
        try:
            from torchaudio.functional import lfilter
        except ImportError as error:
            print(f"torchaudio left out: {error}", file=sys.stderr)
            return
        for order in (1, 2, 8):
            b, a = (torch.tensor(c, device="cuda") for c in transfer_function(order))
            for lines in (1, 256):
                y = torch.rand(lines, slow_n, device="cuda") * 2 - 1
                yield (f"lfilter_order{order}", "torchaudio", lines, slow_n,
                       lambda: lfilter(y, a, b, clamp=False))


class Jax:
    """jax.lax.associative_scan of affine maps."""

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax

        assert jax.default_backend() == "gpu"
        self.jax, self.np = jax, jax.numpy

    def name(self):
        return f"JAX {self.jax.__version__}"

    def wait(self, result):
        result.block_until_ready()

    def copy(self, n):
        negative = self.jax.jit(self.np.negative)  # reads and writes as much
        x = self.np.zeros(n, self.np.float32)
        return lambda: negative(x)

    def programs(self, n, slow_n):
        np, scan = self.np, self.jax.lax.associative_scan

        def join(left, right):
            return left[0] * right[0], left[1] * right[0] + right[1]

        def join_order2(left, right):
            """Maps of the last two outputs: a b / c d, and what is added."""
            a, b, c, d, u, v = left
            e, f, g, h, p, q = right
            return (e * a + f * c, e * b + f * d, g * a + h * c, g * b + h * d,
                    e * u + f * v + p, g * u + h * v + q)

        @self.jax.jit
        def order1(x):
            return scan(join, (np.full_like(x, 0.5), x))[1]

        @self.jax.jit
        def order2(x):
            b, a = transfer_function(2)
            delayed = np.pad(x, (2, 0))
            x = b[0] * x + b[1] * delayed[1:-1] + b[2] * delayed[:-2]
            same = lambda value: np.full_like(x, value)
            maps = (same(-a[1]), same(-a[2]), same(1), same(0), x, same(0))
            return scan(join_order2, maps)[4]

        x = self.jax.random.uniform(self.jax.random.key(1), (n,), np.float32, -1, 1)
        yield "recurrence_order1", "jax_associative_scan", 1, n, lambda: order1(x)
        yield "lfilter_order2", "jax_associative_scan", 1, n, lambda: order2(x)


def median_time(package, call):
    """Seconds of a call: from the first of some to the end of the last one."""
    package.wait(call())
    samples = []
    calls = 1
    while len(samples) < 5 and (len(samples) < 3 or sum(samples) < 1):
        begin = time.perf_counter()
        for _ in range(calls):
            result = call()
        package.wait(result)
        seconds = (time.perf_counter() - begin) / calls
        if calls == 1 and seconds < 0.02:
            calls = 10
        else:
            samples.append(seconds)
    return statistics.median(samples)


def measure(results, package, n, slow_n):
    floors = {}
    for problem, program, lines, length, call in package.programs(n, slow_n):
        samples = lines * length
        if samples not in floors:
            floors[samples] = median_time(package, package.copy(samples))
        seconds = median_time(package, call)
        channels = f"/channels:{lines}" if lines > 1 else ""
        results.add(f"{problem}<float>/{program}{channels}/n:{length}/manual_time", seconds,
                    floors[samples], 8 * samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--length", type=int, default=40_000_000)
    parser.add_argument("--slow-length", type=int, default=1_000_000)
    parser.add_argument("--packages", default="cupy,jax,torch")
    parser.add_argument("--out", help="file to write; standard output by default")
    options = parser.parse_args()

    results = Results(options.out, **{"execution space": "Cuda"})
    for package in results.packages(options.packages, {"cupy": CuPy, "torch": Torch, "jax": Jax}):
        measure(results, package, options.length, options.slow_length)
    results.finish()


if __name__ == "__main__":
    main()
