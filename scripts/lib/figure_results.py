# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Results of WaveScan_perf_figures, read from Google Benchmark's JSON."""
import re
from collections import defaultdict

from plot_page import read_benchmarks

NAME = re.compile(r"figure(?P<figure>\d+)/(?P<problem>\w+)/(?P<program>\w+)/"
                  r"\w+:(?P<first>\d+)/\w+:(?P<second>\d+)/")

# Label and colour of the programs, in their order.
PROGRAMS = {
    "operation": ("operation", "#000000"),
    "auto": ("Auto", "#c0392b"),
    "tile_compensated": ("TileCompensated", "#d68910"),
    "row_sweep": ("RowSweep", "#8e44ad"),
    "tile_skewed": ("TileSkewed", "#2471a3"),
    "serial": ("Serial", "#99a3a4"),
    "tile": ("tile", "#229954"),
    "hypertile": ("hypertile", "#17a589"),
    "hypertile_both": ("hypertile and transformation", "#7dcea0"),
    "lib_thrust": ("lib-thrust", "#566573"),
    "rows_global": ("rows-global", "#c39bd3"),
    "strips": ("TileCompensated, a warp for a strip", "#d68910"),
    "team_tiles": ("TileCompensated, a team for a tile", "#2471a3"),
}
SINGLE_SCHEDULES = ("tile_compensated", "row_sweep", "tile_skewed", "serial")
BASELINES = ("tile", "hypertile", "hypertile_both", "lib_thrust", "rows_global")


class FigureResults:
    """figures[10]["sor"]["auto"] is a dict from (rows, columns), in figure 9 of the tile, to a
    measurement, which has `rate` (billions of updates a second), `of_copy`, `label`, or, if it
    was left out, only `why`."""

    def __init__(self, files, on_gpu):
        self.figures = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
        self.context, benchmarks = read_benchmarks(files, on_gpu)
        for entry in benchmarks:
            self._add(entry)
        for programs in self.figures[10].values():
            self._join(programs)

    def _add(self, entry):
        match = NAME.match(entry["name"])
        if not match:
            return
        if "updates/s" in entry:
            found = {"rate": entry["updates/s"] / 1e9, "of_copy": entry["of_copy"],
                     "label": entry.get("label", "")}
        elif entry.get("error_occurred"):
            found = {"why": entry.get("error_message", "")}
        else:
            return
        programs = self.figures[int(match["figure"])][match["problem"]]
        programs[match["program"]][int(match["first"]), int(match["second"])] = found

    @staticmethod
    def _join(programs):
        """Hypertile with its transformation, as where the array is stored by rows."""
        there_and_back = programs.pop("hypertile_transformation", {})
        for shape, compute in programs["hypertile"].items():
            change = there_and_back.get(shape, {})
            if "rate" in compute and "rate" in change:
                programs["hypertile_both"][shape] = {
                    "rate": 1 / (1 / compute["rate"] + 1 / change["rate"])}

    def __bool__(self):
        return any(self.figures.values())

    def programs(self, figure, problem):
        return [name for name in PROGRAMS if self.figures[figure][problem].get(name)]

    def shapes(self, figure, problem):
        found = {shape for curve in self.figures[figure][problem].values() for shape in curve}
        return sorted(found)


def label(program):
    return PROGRAMS[program][0]


def colour(program):
    return PROGRAMS[program][1]


def rate(curves, program, shape):
    """Billions of updates a second, or None."""
    return curves.get(program, {}).get(shape, {}).get("rate")


def exponent(number):
    return number.bit_length() - 1
