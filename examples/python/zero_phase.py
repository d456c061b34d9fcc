# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Filters many samples without delay, and compares the time with SciPy's.

usage: zero_phase.py PICTURE.svg [SAMPLES]
"""

import sys
import time

import matplotlib
import numpy as np
from scipy import signal

import wavescan

matplotlib.use("agg")
matplotlib.rcParams["svg.fonttype"] = "none"
import matplotlib.pyplot as plt  # noqa: E402

n = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10_000_000
t = np.arange(n, dtype=np.float64)
x = np.sin(t / 60) + 0.3 * np.random.default_rng(1).standard_normal(n)
sos = signal.butter(4, 0.02, output="sos")

once = wavescan.sosfilt(sos, x)
seconds = {}
for name, filters in [("WaveScan", wavescan), ("SciPy", signal)]:
    begin = time.perf_counter()
    y = filters.sosfiltfilt(sos, x)
    seconds[name] = time.perf_counter() - begin
    print(f"{name:9} {seconds[name]:.3f} s for {n:.0e} samples forwards and backwards")

figure, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
part = slice(2000, 2800)
ax.plot(t[part], x[part], color="0.8", label="signal")
ax.plot(t[part], once[part], label="sosfilt: late")
ax.plot(t[part], y[part], label="sosfiltfilt: in phase")
ax.legend(fontsize=8, loc="lower right")
ax.set(xlabel="sample")
figure.savefig(sys.argv[1])
