# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Pastes a cat into a cup of coffee without a seam: Poisson blending.

usage: blend.py PICTURE.png
"""

import sys

import matplotlib
import numpy as np
from skimage import data, draw, transform

import wavescan

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

target = data.coffee()[40:340, 100:500]
cat = (transform.resize(data.chelsea(), (150, 225), anti_aliasing=True) * 255).astype(np.uint8)
top, left = 70, 150
source = target.copy()
source[top : top + 150, left : left + 225] = cat
mask = np.zeros(target.shape[:2], bool)
rows, columns = draw.ellipse(top + 78, left + 105, 62, 82)
mask[rows, columns] = True

pasted = np.where(mask[..., None], source, target)
blended = wavescan.poisson_blend(source, target, mask, channel_axis=-1)

figure, axes = plt.subplots(1, 2, figsize=(6, 2.6), dpi=100, layout="constrained")
for ax, image, title in zip(axes, (pasted, blended), ("pasted", "blended")):
    ax.imshow(image)
    ax.set_title(title, fontsize=10)
    ax.axis("off")
figure.savefig(sys.argv[1], pil_kwargs={"optimize": True})
