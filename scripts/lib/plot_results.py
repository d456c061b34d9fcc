# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Results of the benchmark programs of the scans, read from Google Benchmark's JSON."""
import re
from collections import defaultdict

from plot_page import read_benchmarks, warn

NAME = re.compile(r"(?P<problem>\w+<\w+>)/(?P<program>\w+)(?P<graph>/graph)?/(n|width):(?P<size>\d+)/")


class Results:
    """Curves: by problem and program, a dict from size to measurement (us, floor_us, GB/s,
    of_copy)."""

    def __init__(self, files, on_gpu):
        self.calls = defaultdict(lambda: defaultdict(dict))
        self.graphs = defaultdict(lambda: defaultdict(dict))
        self.context, benchmarks = read_benchmarks(files, on_gpu)
        for entry in benchmarks:
            self._add(entry)
        for curves in (self.calls, self.graphs):
            for programs in curves.values():
                self._share_floor(programs)

    def _add(self, entry):
        match = NAME.match(entry["name"])
        if not match or "us" not in entry:
            return
        curves = self.graphs if match["graph"] else self.calls
        curves[match["problem"]][match["program"]][int(match["size"])] = entry

    @staticmethod
    def _share_floor(programs):
        """One copy for all, WaveScan's: other packages have copies of their own."""
        for size, ours in programs.get("wavescan", {}).items():
            for curve in programs.values():
                if size in curve:
                    curve[size]["floor_us"] = ours["floor_us"]
                    curve[size]["of_copy"] = ours["floor_us"] / curve[size]["us"]

    def __bool__(self):
        return bool(self.calls)

    def value(self, problem, program, size, counter, graph=False):
        curves = self.graphs if graph else self.calls
        return curves.get(problem, {}).get(program, {}).get(size, {}).get(counter)

    def programs(self, problems, graph=False):
        """Those that solve any of the problems, WaveScan first."""
        curves = self.graphs if graph else self.calls
        found = [program for problem in problems for program in curves.get(problem, {})]
        return sorted(dict.fromkeys(found), key=lambda name: PROGRAMS.get(name, (99,))[0])

    def drop_wrong(self, tolerance=1e-3, largest=1 << 20):
        """Leaves out programs whose last element is not WaveScan's, and tells about them. Beyond
        `largest` elements rounding may tell as well."""
        for problem, programs in self.calls.items():
            for program in [p for p in programs if p != "wavescan"]:
                for size, ours in programs.get("wavescan", {}).items():
                    theirs = programs[program].get(size, {})
                    if size > largest or "last" not in ours or "last" not in theirs:
                        continue
                    if abs(theirs["last"] - ours["last"]) > tolerance * max(1, abs(ours["last"])):
                        warn(f"{problem} by {program} left out: for {size} elements it ends with "
                             f"{theirs['last']}, not {ours['last']}")
                        del programs[program]
                        break


# Order, label and colour of the programs. Others follow in grey.
PROGRAMS = {
    "wavescan": (0, "WaveScan", "#c0392b"),
    "cub": (1, "CUB", "#2471a3"),
    "cub_by_key": (2, "CUB by key", "#2471a3"),
    "cub_each_row": (3, "CUB, a call a row", "#7fb3d5"),
    "thrust": (4, "Thrust", "#229954"),
    "thrust_by_key": (5, "Thrust by key", "#229954"),
    "thrust_algorithm3": (6, "Thrust, algorithm 3", "#229954"),
    "kokkos": (7, "Kokkos parallel_scan", "#8e44ad"),
    "kokkos_std": (8, "Kokkos inclusive_scan", "#c39bd3"),
    "torch_cumsum": (9, "torch.cumsum", "#d68910"),
    "jax_cumsum": (10, "JAX cumsum", "#566573"),
    "jax_associative_scan": (11, "JAX associative_scan", "#99a3a4"),
    "tbb": (12, "oneTBB", "#2471a3"),
    "gnu_parallel": (13, "GNU parallel mode", "#229954"),
    "std": (14, "std, one thread", "#626567"),
    "loop": (15, "loop, one thread", "#b2babb"),
}


def label(program):
    return PROGRAMS.get(program, (99, program, ""))[1]


def colour(program):
    return PROGRAMS.get(program, (99, program, "#b2babb"))[2]
