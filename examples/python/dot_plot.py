# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""A dot plot of two mitochondrial genomes, with the path of their best local alignment.

usage: dot_plot.py PICTURE.png
"""

import pathlib
import sys
import time

import matplotlib
import numpy as np

import wavescan

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

data = pathlib.Path(__file__).parent.parent / "data"


def genome(name):
    lines = (data / name).read_text().splitlines()
    return "".join(line for line in lines if not line.startswith(">")).upper()


def shared_words(a, b, length=11):
    """Places of words that both have."""
    places = {}
    for j in range(len(b) - length + 1):
        places.setdefault(b[j : j + length], []).append(j)
    return np.array(
        [(i, j) for i in range(len(a) - length + 1) for j in places.get(a[i : i + length], ())]
    )


human, mouse = genome("humanMito.fa"), genome("mouseMito.fa")
begin = time.perf_counter()
found = wavescan.align(human, mouse, match=2, mismatch=-3, gap_open=7, gap_extend=2)
print(
    f"score {found.score}, {found.identity:.1%} identical, {time.perf_counter() - begin:.2f} s; "
    f"cigar begins {found.cigar[:40]}"
)
dots = shared_words(human, mouse)
path = np.array(found.coordinates)

figure, ax = plt.subplots(figsize=(4.2, 4), dpi=100, layout="constrained")
ax.plot(dots[:, 1], dots[:, 0], ".", ms=1.5, color="0.5")
ax.plot(path[:, 1], path[:, 0], color="C1", lw=1)
ax.set(xlabel="mouse", ylabel="human", title="mitochondrial genomes", aspect="equal")
figure.savefig(sys.argv[1], pil_kwargs={"optimize": True})
