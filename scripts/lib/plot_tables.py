# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""The tables of docs/benchmarks.md."""
from plot_page import number, software, table
from plot_results import label

SUMS = [f"sum<{kind}>" for kind in ("int8", "int16", "int32", "int64", "float", "double")]
WEIGHTED = ["decay<float>", "decay<double>", "maxplus<int32>", "weights<float>", "weights<double>"]
PRODUCTS = ["product<affine8>", "product<unitriangular12>", "product<rotation16>"]
OTHERS = ["exclusive_sum<int32>", "exclusive_sum<float>", "sum_in_shifted<float>",
          "sum_both_shifted<float>", "decay_in_shifted<float>"]
MATRICES = ["row_sums<float>", "row_sums<double>", "row_decay<float>",
            "column_sums<float>", "column_decay<float>"]
LIGHTSCAN = {  # Billions of elements a second on a Tesla K40c: LightScan's table 2
    25: (24.1, 12.4, 24.5, 12.6), 26: (24.8, 12.6, 25.1, 12.9), 27: (25.3, 12.7, 25.5, 13.0),
    28: (25.5, 12.7, 25.6, 13.0), 29: (25.5, 12.8, 25.7, 13.0)}


def times(results, problems, exponents):
    """Microseconds a call, a row for each problem and size, a column for each program."""
    present = [problem for problem in problems if problem in results.calls]
    programs = results.programs(present)
    rows = [[f"`{problem}`", f"2^{exponent}"] +
            [number(results.value(problem, program, 1 << exponent, "us"), ".1f")
             for program in programs] for problem in present for exponent in exponents]
    return table(["", "elements"] + [label(program) for program in programs], rows)


def large(results, problems, exponent):
    """Fractions of copy speed; WaveScan's bandwidth and the copy's beside them."""
    size = 1 << exponent
    programs = results.programs(problems)
    rows = []
    for problem in problems:
        ours = results.value(problem, "wavescan", size, "GB/s")
        if ours is None:
            continue
        copy = ours / results.value(problem, "wavescan", size, "of_copy")
        rows.append([f"`{problem}`", f"{copy:.0f}", f"{ours:.0f}"] +
                    [number(results.value(problem, program, size, "of_copy"), ".3f")
                     for program in programs])
    return table(["", "copy GB/s", "WaveScan GB/s"] + [label(p) for p in programs], rows)


def small(results, problems, exponents):
    """Microseconds in a captured graph, WaveScan / CUB / copy."""
    rows = []
    for problem in problems:
        cells = []
        for exponent in exponents:
            ours, cub, floor = (results.value(problem, program, 1 << exponent, counter, True)
                                for program, counter in (("wavescan", "us"), ("cub", "us"),
                                                         ("wavescan", "floor_us")))
            cells.append(" / ".join(number(x, ".1f") for x in (ours, cub, floor)))
        if any(cell[0] != "–" for cell in cells):
            rows.append([f"`{problem}`"] + cells)
    return table([""] + [f"2^{exponent}" for exponent in exponents], rows)


def widths(results, problem, exponents):
    programs = results.programs([problem])
    rows = [[f"2^{exponent}"] + [number(results.value(problem, program, 1 << exponent, "of_copy"),
                                        ".3f") for program in programs] for exponent in exponents]
    return table(["width"] + [label(program) for program in programs], rows)


def matrices(results, exponents):
    rows = []
    for problem in MATRICES:
        values = [results.value(problem, "wavescan", 1 << e, "of_copy") for e in exponents]
        if any(values):
            rows.append([f"`{problem}`"] + [number(value, ".3f") for value in values])
    return table([""] + [f"2^{exponent}" for exponent in exponents], rows)


FIGURE8 = {"(+, ·)": ("decay<float>", "thrust_algorithm3"),
           "(max, +)": ("maxplus<int32>", "thrust_algorithm3"),
           "(+, +)": ("sum<float>", "thrust")}


def speedups(results, problem, library, first, last):
    for exponent in range(first, last + 1):
        ours, theirs = (results.value(problem, program, 1 << exponent, "us")
                        for program in ("wavescan", library))
        if ours and theirs:
            yield theirs / ours


def figure8(results):
    rows = []
    for pair, (problem, library) in FIGURE8.items():
        row = [pair]
        for program in (library, "cub"):
            for first, last in ((14, 28), (16, 22)):
                values = list(speedups(results, problem, program, first, last))
                row.append(number(sum(values) / len(values) if values else None, ".1f"))
        rows.append(row)
    return table(["(⋄, ∘)", "over Thrust, 2^14 to 2^28", "over Thrust, 2^16 to 2^22",
                  "over CUB, 2^14 to 2^28", "over CUB, 2^16 to 2^22"], rows)


def lightscan(results):
    kinds = ("int32", "int64", "float", "double")
    rows = []
    for exponent, published in LIGHTSCAN.items():
        size = 1 << exponent
        row = [f"2^{exponent}"]
        for kind, known in zip(kinds, published):
            values = [results.value(f"sum<{kind}>", program, size, "us")
                      for program in ("wavescan", "cub", "thrust")]
            row.append(" / ".join(number(size / us * 1e-3 if us else None, ".0f") for us in values) +
                       f" / {known}")
        rows.append(row)
    return table(["elements", "Int32", "Int64", "Float", "Double"], rows)


def tables(gpu, host):
    """All tables by name; docs/benchmarks.md holds them between marks of these names."""
    result = {}
    if gpu:
        result.update({
            "gpu-machine": software(gpu.context) + ".",
            "gpu-sums": large(gpu, SUMS, 28),
            "gpu-weighted": large(gpu, WEIGHTED + PRODUCTS, 28),
            "gpu-others": large(gpu, OTHERS, 28),
            "gpu-small": small(gpu, SUMS + WEIGHTED + PRODUCTS, (10, 14, 16, 18, 20, 22)),
            "gpu-rows": widths(gpu, "row_sums<float>", range(5, 28, 2)),
            "gpu-matrices": matrices(gpu, range(5, 28, 2)),
            "gpu-figure8": figure8(gpu),
            "gpu-lightscan": lightscan(gpu),
        })
    if host:
        result.update({
            "host-machine": software(host.context) + ".",
            "host-sums": large(host, SUMS, 26),
            "host-weighted": large(host, WEIGHTED + PRODUCTS, 26),
            "host-small": times(host, ["sum<int32>", "sum<float>", "sum<double>", "decay<float>"],
                                (12, 16, 20)),
        })
    return result
