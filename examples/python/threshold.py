# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Tells text from paper in uneven light, by a threshold that follows the page (Sauvola).

usage: threshold.py PICTURE.png
"""

import sys

import matplotlib
from skimage import data

import wavescan

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

page = data.page()
local = page > wavescan.threshold_sauvola(page, window_size=25, k=0.2)

figure, axes = plt.subplots(3, 1, figsize=(4, 5.2), dpi=90, layout="constrained")
for ax, image, title in zip(
    axes, (page, page > page.mean(), local), ("page", "one threshold", "Sauvola's threshold")
):
    ax.imshow(image, cmap="gray")
    ax.set_title(title, fontsize=10)
    ax.axis("off")
figure.savefig(sys.argv[1], pil_kwargs={"optimize": True})
