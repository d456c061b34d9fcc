# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Discounted returns of episodes of different lengths, in one call.

usage: returns.py PICTURE.svg
"""

import sys
import time

import matplotlib
import numpy as np

import wavescan

matplotlib.use("agg")
matplotlib.rcParams["svg.fonttype"] = "none"
import matplotlib.pyplot as plt  # noqa: E402

rng = np.random.default_rng(2)
lengths = rng.integers(20, 400, 20_000)
offsets = np.concatenate([[0], np.cumsum(lengths)])
rewards = (rng.random(offsets[-1]) < 0.05).astype(np.float64)
discount = np.full_like(rewards, 0.97)

returns = wavescan.segmented_linear_recurrence(discount, rewards, offsets=offsets, reverse=True)
begin = time.perf_counter()
wavescan.segmented_linear_recurrence(discount, rewards, offsets=offsets, reverse=True, out=returns)
print(f"{len(lengths)} episodes, {len(rewards)} steps: {1e3 * (time.perf_counter() - begin):.2f} ms")

end = offsets[2]
state = 0.0
for step in reversed(range(offsets[1], end)):  # the second episode by the loop
    state = rewards[step] + 0.97 * state
    assert abs(state - returns[step]) < 1e-9

figure, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
shown = offsets[5]
ax.plot(returns[:shown], label="returns")
ax.vlines(np.flatnonzero(rewards[:shown]), 0, 1, color="0.75", lw=0.8, label="rewards")
for begin in offsets[1:5]:
    ax.axvline(begin, color="black", lw=0.8, ls=":")
ax.legend(fontsize=8)
ax.set(xlabel="step, five episodes one behind the other")
figure.savefig(sys.argv[1])
