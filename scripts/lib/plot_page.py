# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""What the scripts that bring pages of results up to date share: places for tables in a page, and
pictures made of panels."""
import json
import re
import sys


def warn(message):
    print(message, file=sys.stderr)


def read_benchmarks(files, on_gpu):
    """The context of those of the files that were measured on a GPU, or not on one, and all their
    benchmarks."""
    context, benchmarks = {}, []
    for file in files:
        with open(file) as stream:
            content = json.load(stream)
        space = content["context"].get("execution space", "Host")
        if (space == "Cuda") == on_gpu:
            context.update(content["context"])
            benchmarks += content["benchmarks"]
    return context, benchmarks


def software(context):
    """What the context of a program's results tells about the machine and the software on it."""
    text = context.get("kokkos configuration", "")
    facts = [re.search(r"Kokkos::Cuda\[ 0 \] (.*) : Selected", text),
             re.search(r"CUDA_VERSION\s*: \d+ = version (\S+)", text),
             re.search(r"Kokkos Version: (\S+)", text)]
    words = [form.format(fact[1]) for form, fact in
             zip(("{}", "CUDA {}", "Kokkos {}"), facts) if fact]
    words += [context[name] for name in ("torch", "jax") if name in context]
    if "date" in context:
        words.append("measured on " + context["date"][:10])
    return ", ".join(words)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def number(value, form):
    return "–" if value is None else format(value, form)


def refresh(page, texts):
    """Replaces what stands between <!-- table: NAME --> and <!-- end -->."""
    content = page.read_text()
    for name, text in texts.items():
        pattern = rf"(<!-- table: {name} -->\n).*?(<!-- end -->)"
        content, count = re.subn(pattern, lambda m: m[1] + text + "\n" + m[2], content, flags=re.S)
        if count == 0:
            warn(f"{page.name} has no place for the table {name}")
    page.write_text(content)


def use_svg():
    """The same results give the same files."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "wavescan", "svg.fonttype": "none"})


def panels(count, columns=3):
    import matplotlib.pyplot as plt

    rows = -(-count // columns)
    width = 3.4 * columns if columns > 1 else 5
    figure, axes = plt.subplots(rows, columns, figsize=(width, 2.5 * rows), sharex=True,
                                sharey=True, squeeze=False, layout="constrained")
    for unused in axes.flat[count:]:
        unused.set_visible(False)
    return figure, list(axes.flat)[:count]


def finish(figure, axes, file, x_label, y_label, log_x=True, ticks=None):
    """Gives the panels one legend and writes the picture; `ticks` are the numbers along x, if not all powers."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator

    lines = {}
    for panel in axes:
        if log_x:
            panel.set_xscale("log", base=2)
        if ticks:
            panel.set_xticks(ticks, [str(tick) for tick in ticks])
        low, high = panel.get_ylim()
        if panel.get_yscale() == "log" and high > 20 * low:  # else numbers lie upon each other
            panel.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
        panel.grid(alpha=0.3)
        lines.update({text: line for line, text in zip(*panel.get_legend_handles_labels())})
    figure.supxlabel(x_label, fontsize="medium")
    figure.supylabel(y_label, fontsize="medium")
    figure.legend(lines.values(), lines.keys(), loc="outside upper center",
                  ncols=min(len(lines), int(figure.get_figwidth() // 2)), frameon=False,
                  fontsize="small")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)
