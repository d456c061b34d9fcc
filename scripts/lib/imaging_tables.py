# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""The tables of images in docs/benchmarks.md, from the results of WaveScan_perf_imaging."""
import re
from collections import defaultdict

from plot_page import number, read_benchmarks, software, table

NAME = re.compile(r"(?P<problem>\w+<[\w,]+>)/(?P<program>\w+)/(images|bins):(?P<count>\d+)/"
                  r"rows:(?P<rows>\d+)/columns:(?P<columns>\d+)")

# Label of the programs, in their order.
PROGRAMS = {
    "wavescan": "WaveScan",
    "wavescan_sums_in_double": "WaveScan, sums in double",
    "wavefront": "WaveScan, the paper's loop",
    "opencv_integral": "OpenCV",
    "npp": "NPP",
    "cub_rows_then_columns": "CUB by key, then columns",
    "two_scans": "WaveScan's scans of rows and columns",
    "torch_cumsum_twice": "torch.cumsum twice",
    "two_passes": "two passes, a thread a line",
    "loop": "loop, one thread",
    "formula": "formula, one thread",
}

# What the tables are of: prefixes of the problems, and the counter that fractions are of.
KINDS = {
    "tables": ("sat", "floor_us"),
    "filters": (("box", "local", "threshold"), "floor_us"),
    "histograms": ("integral_histogram", "fill_us"),
}


def extent(value):
    exponent = value.bit_length() - 1
    return f"2^{exponent}" if value == 1 << exponent and value > 4096 else str(value)


def shape_text(problem, shape):
    count, rows, columns = shape
    size = f"{extent(rows)} x {extent(columns)}"
    if problem.startswith("integral_histogram"):
        return f"{size}, {count} bins"
    return f"{count} of {size}" if count > 1 else size


class ImagingResults:
    """found[problem][count, rows, columns][program] is a measurement."""

    def __init__(self, files, on_gpu):
        self.found = defaultdict(lambda: defaultdict(dict))
        self.context, benchmarks = read_benchmarks(files, on_gpu)
        for entry in benchmarks:
            match = NAME.match(entry["name"])
            if match and "us" in entry:
                shape = tuple(int(match[key]) for key in ("count", "rows", "columns"))
                self.found[match["problem"]][shape][match["program"]] = entry

    def programs(self, problems):
        present = {program for problem in problems for programs in self.found[problem].values()
                   for program in programs}
        return [program for program in PROGRAMS if program in present]

    def rows(self, problems, programs, floor):
        """Fractions of WaveScan's floor in this run; a row for each problem and shape."""
        rows = []
        for problem in problems:
            for shape, by_program in sorted(self.found[problem].items()):
                ours = by_program.get("wavescan")
                if ours is None:
                    continue
                fractions = [ours[floor] / by_program[program]["us"]
                             if floor in ours and program in by_program else None
                             for program in programs]
                rows.append([f"`{problem}`", shape_text(problem, shape), number(ours["us"], ".1f"),
                             number(ours["GB/s"], ".0f")] +
                            [number(fraction, ".3f") for fraction in fractions])
        return rows

    def table(self, prefix, floor):
        problems = [problem for problem in self.found if problem.startswith(prefix)]
        programs = self.programs(problems)
        rows = self.rows(problems, programs, floor)
        return table(["", "size", "us", "GB/s"] + [PROGRAMS[p] for p in programs], rows)


def imaging_tables(files):
    """All tables by name."""
    result = {}
    for name, on_gpu in (("gpu", True), ("host", False)):
        results = ImagingResults(files, on_gpu)
        if not results.found:
            continue
        result[f"{name}-images-machine"] = software(results.context) + "."
        for kind, (prefix, floor) in KINDS.items():
            if any(problem.startswith(prefix) for problem in results.found):
                result[f"{name}-images-{kind}"] = results.table(prefix, floor)
    return result
