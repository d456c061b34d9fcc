# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Restores a colour photograph that has scratches, by harmonic inpainting.

usage: restore_photograph.py PICTURE.png

Beside it scikit-image's biharmonic inpainting, which solves a larger system for each hole, on a part
of the picture.
"""

import sys
import time

import matplotlib
import numpy as np
from skimage import data, draw, restoration

import wavescan

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402


def scratches(shape, count=60, seed=3):
    """Lines and dots."""
    rng = np.random.default_rng(seed)
    lost = np.zeros(shape, bool)
    for _ in range(count):
        (r, c), angle, length = rng.random(2) * shape, rng.random() * np.pi, rng.integers(20, 160)
        for width in range(3):
            rows, columns = draw.line(
                int(r), int(c) + width, int(r + length * np.sin(angle)), int(c + length * np.cos(angle)) + width
            )
            inside = (rows >= 0) & (rows < shape[0]) & (columns >= 0) & (columns < shape[1])
            lost[rows[inside], columns[inside]] = True
        rows, columns = draw.disk(rng.random(2) * shape, rng.integers(2, 8), shape=shape)
        lost[rows, columns] = True
    return lost


def quality(image, original):
    """Peak signal-to-noise ratio in dB."""
    return 10 * np.log10(255**2 / np.mean((image.astype(float) - original) ** 2))


photograph = data.astronaut()
lost = scratches(photograph.shape[:2])
damaged = np.where(lost[..., None], 255, photograph).astype(np.uint8)

wavescan.inpaint_harmonic(damaged[:64, :64], lost[:64, :64], channel_axis=-1)  # initializes Kokkos
begin = time.perf_counter()
restored = wavescan.inpaint_harmonic(damaged, lost, channel_axis=-1)
seconds = time.perf_counter() - begin
print(f"harmonic:   {seconds:7.3f} s, {quality(restored, photograph):.1f} dB (damaged: {quality(damaged, photograph):.1f} dB)")

part = np.s_[:128, 128:256]
begin = time.perf_counter()
theirs = restoration.inpaint_biharmonic(damaged[part], lost[part], channel_axis=-1)
of_part = time.perf_counter() - begin
print(
    f"biharmonic: {of_part:7.3f} s for a sixteenth of it, {quality(theirs * 255, photograph[part]):.1f} dB"
    f" (harmonic: {quality(restored[part], photograph[part]):.1f} dB)"
)

figure, axes = plt.subplots(1, 2, figsize=(6, 3.2), dpi=100, layout="constrained")
for ax, image, title in zip(axes, (damaged, restored), ("damaged", f"restored in {seconds:.2f} s")):
    ax.imshow(image)
    ax.set_title(title, fontsize=10)
    ax.axis("off")
figure.savefig(sys.argv[1], pil_kwargs={"optimize": True})
