# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""The tables of docs/figures.md."""
import re

from figure_results import BASELINES, SINGLE_SCHEDULES, exponent, label, rate
from plot_page import number, software, table

PROBLEMS = ("algorithm1", "sor", "smith_waterman", "summed_area", "integral_histogram")


def power(value):
    return f"2^{exponent(value)}"


def seconds_expected(found):
    """The seconds that a program would have taken, if it was left out for that."""
    expected = re.search(r"would take about ([\d.]+) s", found.get("why", ""))
    return float(expected[1]) if expected else None


def cell(curves, program, shape):
    """The rate; in brackets the seconds that a program would have taken."""
    found = curves.get(program, {}).get(shape, {})
    if "rate" in found:
        return f"{found['rate']:.3g}"
    seconds = seconds_expected(found)
    return f"({seconds:.0f} s)" if seconds else "–"


def heading(curves, program):
    """The program, and the size of its tiles where it has one for all arrays."""
    labels = {found.get("label") for found in curves[program].values() if "rate" in found}
    size = labels.pop() if len(labels) == 1 else None
    return label(program) + (f" ({size})" if size and re.match(r"\d+ x \d+$", size) else "")


def rates(results, figure, problem):
    """Billions of updates a second, a row for each shape."""
    curves = results.figures[figure][problem]
    programs = results.programs(figure, problem)
    chosen = "auto" in programs
    rows = []
    for shape in results.shapes(figure, problem):
        row = [power(shape[0]), power(shape[1])]
        row += [cell(curves, program, shape) for program in programs]
        if chosen:
            auto = curves["auto"].get(shape, {})
            row += [auto.get("label", "–"), number(auto.get("of_copy"), ".2f")]
        rows.append(row)
    head = ["rows", "columns"] + [heading(curves, program) for program in programs]
    return table(head + (["Auto chose", "of copy"] if chosen else []), rows)


def gain_over_schedules(curves, shape):
    """How many times as fast as the best single schedule Auto is; a dash unless all of them were
    measured, or left out because they would have taken too long."""
    # One thread of a GPU is not measured at all.
    singles = [single for single in SINGLE_SCHEDULES if single != "serial" or curves.get(single)]
    found = {single: curves.get(single, {}).get(shape, {}) for single in singles}
    if not all("rate" in entry or seconds_expected(entry) for entry in found.values()):
        return "–"
    best = max(singles, key=lambda single: found[single].get("rate", 0))
    if "rate" not in found[best]:
        return "–"
    return f"{rate(curves, 'auto', shape) / found[best]['rate']:.2f} ({label(best)})"


def gains(results, problem):
    """How many times as fast as others Auto is."""
    curves = results.figures[10][problem]
    others = [program for program in BASELINES if curves.get(program)]
    rows = []
    for shape in results.shapes(10, problem):
        ours = rate(curves, "auto", shape)
        if ours is None:
            continue
        row = [power(shape[0]), power(shape[1]), gain_over_schedules(curves, shape)]
        for other in others:
            theirs = rate(curves, other, shape)
            row.append(number(ours / theirs if theirs else None, ".1f"))
        rows.append(row)
    return table(["rows", "columns", "best schedule"] + [label(other) for other in others], rows)


def tile_sizes(results, problem):
    """Billions of updates a second over a tile's rows (down) and columns (across)."""
    curves = results.figures[9][problem]
    rows = []
    for program in results.programs(9, problem):
        sizes = results.shapes(9, problem)
        columns = sorted({size[1] for size in sizes})
        for height in sorted({size[0] for size in curves[program]}):
            rows.append([label(program), str(height)] +
                        [cell(curves, program, (height, width)) for width in columns])
    head = ["program", "rows"] + [f"{width} columns" for width in columns] if rows else []
    return table(head, rows)


def tables(gpu, host):
    """All tables by name; docs/figures.md holds them between marks of these names."""
    result = {}
    for name, results in (("gpu", gpu), ("host", host)):
        if not results:
            continue
        result[f"{name}-machine"] = software(results.context) + "."
        if results.figures[6]:
            result[f"{name}-figure6"] = rates(results, 6, "algorithm1")
        for problem in PROBLEMS:
            if results.figures[9].get(problem):
                result[f"{name}-figure9-{problem}"] = tile_sizes(results, problem)
            if results.figures[10].get(problem):
                result[f"{name}-figure10-{problem}"] = rates(results, 10, problem)
                if "auto" in results.programs(10, problem):
                    result[f"{name}-gains-{problem}"] = gains(results, problem)
    return result
