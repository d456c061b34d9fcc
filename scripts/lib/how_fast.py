# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""The tables and the picture of docs/how_fast.md: each operation beside the fastest of the other
libraries."""
import re

from plot_page import read_benchmarks, software, table, use_svg, warn

# What is shown: the operation, and the names of its benchmarks with their size. Of several sizes that
# others have, too, it is the largest, up to so many elements on a GPU and on a host.
LARGEST = {True: 1 << 28, False: 1 << 26}
OPERATIONS = (
    ("`inclusive_scan`, floats", r"sum<float>/{program}/n:(\d+)/"),
    ("`inclusive_scan`, doubles", r"sum<double>/{program}/n:(\d+)/"),
    ("`weighted_scan`, a constant weight", r"decay<float>/{program}/n:(\d+)/"),
    ("`weighted_scan`, a View of weights", r"weights<float>/{program}/n:(\d+)/"),
    ("`weighted_scan`, max-plus, ints", r"maxplus<int32>/{program}/n:(\d+)/"),
    ("`copy_if`, half of floats", r"copy_if<4>/50/{program}/n:(\d+)/"),
    ("`remove_if`, half, in place", r"remove_if<4>/50/{program}/n:(\d+)/"),
    ("`unique`, half, in place", r"unique<4>/50/{program}/n:(\d+)/"),
    ("`partition`, half, in place", r"partition<4>/50/{program}/n:(\d+)/"),
    ("`summed_area_table`, floats", r"sat<float>/{program}/images:1/rows:(\d+)/columns:\2"),
    ("`summed_area_table`, bytes", r"sat<uint8,uint32>/{program}/images:1/rows:(\d+)/columns:\2"),
)
LIBRARIES = {
    "cub": "CUB", "thrust": "Thrust", "kokkos": "Kokkos", "kokkos_std": "Kokkos",
    "npp": "NPP", "cub_rows_then_columns": "CUB, twice", "opencv_integral": "OpenCV",
    "tbb": "oneTBB", "gnu_parallel": "GNU parallel mode", "std": "std, one thread", "loop": "a loop",
}


def extent(size):
    exponent = size.bit_length() - 1
    return f"2^{exponent}" if size == 1 << exponent else str(size)


class Row:
    """An operation at the largest size that another library has, too."""

    def __init__(self, operation, pattern, benchmarks, largest):
        self.operation = operation
        found = {}
        name = re.compile(pattern.replace("{program}", r"(\w+)"))
        for entry in benchmarks:
            match = name.match(entry["name"])
            elements = int(match[2]) ** (2 if "rows:" in pattern else 1) if match else 0
            if 0 < elements <= largest and "us" in entry:
                found.setdefault(int(match[2]), {})[match[1]] = entry
        self.size = max((size for size, programs in found.items()
                         if "wavescan" in programs and programs.keys() & LIBRARIES.keys()),
                        default=None)
        if self.size is None:
            return
        programs = found[self.size]
        ours = programs["wavescan"]
        self.is_square = "rows:" in pattern
        self.fraction = ours["floor_us"] / ours["us"]
        other = min(programs.keys() & LIBRARIES.keys(), key=lambda name: programs[name]["us"])
        self.other = LIBRARIES[other]
        self.other_fraction = ours["floor_us"] / programs[other]["us"]

    def __bool__(self):
        return self.size is not None

    def cells(self):
        size = extent(self.size) + ("²" if self.is_square else "")
        return [self.operation, size, f"{self.fraction:.2f}",
                f"{self.other_fraction:.2f} ({self.other})",
                f"{self.fraction / self.other_fraction:.1f}"]


def rows_of(files, on_gpu):
    context, benchmarks = read_benchmarks(files, on_gpu)
    return context, [row for row in (Row(*shown, benchmarks, LARGEST[on_gpu])
                                for shown in OPERATIONS) if row]


def how_fast(files):
    """The tables by name."""
    result = {}
    for place, on_gpu in (("gpu", True), ("host", False)):
        context, rows = rows_of(files, on_gpu)
        if rows:
            result[f"how-fast-{place}-machine"] = software(context) + "."
            result[f"how-fast-{place}"] = table(
                ["operation", "size", "WaveScan", "best other", "times as fast"],
                [row.cells() for row in rows])
    return result


def draw_how_fast(files, picture):
    """Bars: WaveScan above the best other library, a panel for GPUs and one for hosts."""
    import matplotlib.pyplot as plt

    use_svg()
    panels = [(place, rows) for place, (_, rows) in
              (("on a GPU", rows_of(files, True)), ("on a host", rows_of(files, False))) if rows]
    if not panels:
        return
    figure, axes = plt.subplots(1, len(panels), figsize=(5.2 * len(panels), 4.4), squeeze=False,
                                layout="constrained")
    for panel, (place, rows) in zip(axes.flat, panels):
        places = range(len(rows))
        panel.barh([k - 0.2 for k in places], [row.fraction for row in rows], 0.38,
                   color="#c0392b", label="WaveScan")
        panel.barh([k + 0.2 for k in places], [row.other_fraction for row in rows], 0.38,
                   color="#7fb3d5", label="best other")
        for k, row in enumerate(rows):
            panel.text(row.other_fraction + 0.01, k + 0.2, row.other, va="center", fontsize=6)
        panel.set_yticks(list(places), [row.operation.replace("`", "") for row in rows], fontsize=8)
        panel.invert_yaxis()
        panel.set_title(place, fontsize="medium")
        panel.set_xlabel("fraction of copy speed")
        panel.set_axisbelow(True)
        panel.grid(axis="x", alpha=0.3)
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=2,
                  frameon=False, fontsize="small")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Date": None})
    plt.close(figure)
    if len(panels) == 1:
        warn(f"{picture.name} shows results {panels[0][0]} only")
