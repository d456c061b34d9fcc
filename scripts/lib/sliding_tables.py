# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Results of WaveScan_perf_sliding, read from Google Benchmark's JSON, and the tables of
docs/sliding_figures.md."""
import re
from collections import defaultdict
from statistics import median

from plot_page import number, read_benchmarks, software, table

SQUARE = re.compile(r"(?P<operation>(un)?pad)<4>/(?P<program>\w+)/"
                    r"rows:(?P<rows>\d+)/added:(?P<added>\d+)/")
SHARE = re.compile(r"(?P<operation>\w+)<4>/(?P<share>\d*0)/(?P<program>\w+)/n:16777216/")

# Label and colour of the programs, in their order.
PROGRAMS = {
    "wavescan": ("WaveScan", "#c0392b"),
    "rows": ("rows at a time", "#2471a3"),
    "temporary": ("through a temporary", "#229954"),
    "thrust": ("Thrust", "#229954"),
    "cub": ("CUB", "#2471a3"),
    "cub_copy": ("CUB, to another array", "#7fb3d5"),
    "kokkos": ("Kokkos", "#8e44ad"),
    "std": ("std, one thread", "#626567"),
    "copy": ("copy", "#000000"),
}
SQUARES = ("pad", "unpad")
SELECTIONS = ("remove_if", "copy_if", "unique", "partition")


def middle(runs):
    """The run of median time."""
    return sorted(runs, key=lambda entry: entry["us"])[len(runs) // 2]


class SlidingResults:
    """found["pad"]["wavescan"] is a dict from (rows, columns added), of a selection from the share
    kept in per cent, to a measurement (us, GB/s); floor_us["pad"] one to a copy's time. Of several
    runs they have the medians."""

    def __init__(self, files, on_gpu):
        runs = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
        self.floor_us = defaultdict(dict)
        self.context, benchmarks = read_benchmarks(files, on_gpu)
        for entry in benchmarks:
            if "us" not in entry:
                continue
            if match := SQUARE.match(entry["name"]):
                place = int(match["rows"]), int(match["added"])
            elif match := SHARE.match(entry["name"]):
                place = int(match["share"])
            else:
                continue
            runs[match["operation"]][match["program"]][place].append(entry)
        self.found = defaultdict(lambda: defaultdict(dict))
        for operation, programs in runs.items():
            for program, places in programs.items():
                self.found[operation][program] = {place: middle(of_place)
                                                  for place, of_place in places.items()}
            self.floor_us[operation] = {place: median(entry["floor_us"] for entry in of_place)
                                        for place, of_place in programs["wavescan"].items()}

    def __bool__(self):
        return bool(self.found)

    def programs(self, operation):
        return [program for program in PROGRAMS if program in self.found[operation]]

    def rate(self, operation, program, place):
        """GB/s, or None."""
        return self.found[operation][program].get(place, {}).get("GB/s")

    def copy(self, operation, place):
        """GB/s of a copy of as many bytes as WaveScan reads and writes."""
        ours = self.found[operation]["wavescan"].get(place)
        return ours["GB/s"] * ours["us"] / self.floor_us[operation][place] if ours else None

    def curves(self, operation):
        """Of each program, and of a copy, pairs of a place and GB/s."""
        curves = {program: [(place, found["GB/s"]) for place, found in
                            sorted(self.found[operation][program].items())]
                  for program in self.programs(operation)}
        if "wavescan" in curves:
            curves["copy"] = [(place, self.copy(operation, place))
                              for place, _ in curves["wavescan"]]
        return curves


def label(program):
    return PROGRAMS[program][0]


def colour(program):
    return PROGRAMS[program][1]


def rates(results, operation):
    """GB/s, a row for each matrix or share, and how many times as fast as others WaveScan is."""
    programs = results.programs(operation)
    places = sorted({place for program in programs for place in results.found[operation][program]})
    others = programs[1:]
    square = operation in SQUARES
    rows = []
    for place in places:
        ours = results.rate(operation, "wavescan", place)
        row = [f"{place[0]} x {place[0] - place[1]}", str(place[1])] if square else [f"{place} %"]
        row += [number(rate, ".3g" if rate is not None and rate < 1000 else ".0f") for rate in
                [results.copy(operation, place)] +
                [results.rate(operation, program, place) for program in programs]]
        for other in others:
            theirs = results.rate(operation, other, place)
            row.append(number(ours / theirs if ours and theirs else None, ".2f"))
        rows.append(row)
    head = [f"`{operation}`", "columns added"] if square else [f"`{operation}`, kept"]
    return table(head + ["copy"] + [label(program) for program in programs] +
                 [f"over {label(other)}" for other in others], rows)


def sliding_tables(gpu, host):
    """All tables by name; docs/sliding_figures.md holds them between marks of these names."""
    result = {}
    for name, results in (("gpu", gpu), ("host", host)):
        if results:
            result[f"{name}-machine"] = software(results.context) + "."
            for operation in SQUARES + SELECTIONS:
                if results.found.get(operation, {}).get("wavescan"):
                    result[f"{name}-{operation}"] = rates(results, operation)
    return result
