# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Learns the coefficients of a biquad from what it did to noise, by gradients through the filter.

usage: learn_filter.py PICTURE.svg
"""

import sys

import matplotlib
import numpy as np
import torch
from scipy import signal

import wavescan.torch as wt

matplotlib.use("agg")
matplotlib.rcParams["svg.fonttype"] = "none"
import matplotlib.pyplot as plt  # noqa: E402

torch.manual_seed(0)
b, a = signal.iirpeak(0.25, 4)
noise = torch.randn(16, 4096)
target = torch.from_numpy(signal.lfilter(b, a, noise.numpy())).float()

learnt_b = torch.tensor([1.0, 0.0, 0.0], requires_grad=True)
# Any two numbers make a stable filter: those of the unit triangle of a_1 and a_2.
free = torch.zeros(2, requires_grad=True)


def denominator():
    a1 = 2 * torch.tanh(free[0])
    a2 = ((2 - a1.abs()) * torch.tanh(free[1]) + a1.abs()) / 2
    return torch.stack([torch.ones(()), a1, a2])


optimizer = torch.optim.Adam([learnt_b, free], lr=0.03)
losses = []
for _ in range(400):
    optimizer.zero_grad()
    loss = (wt.lfilter(learnt_b, denominator(), noise) - target).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"loss {losses[0]:.3g} -> {losses[-1]:.3g}")

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.6), layout="constrained")
left.semilogy(losses)
left.set(xlabel="step", ylabel="mean square error", title="loss")
for coefficients, label, style in [
    ((b, a), "wanted", "-"),
    ((learnt_b.detach().numpy(), denominator().detach().numpy()), "learnt", "--"),
]:
    w, h = signal.freqz(*coefficients, worN=256)
    right.plot(w / np.pi, 20 * np.log10(np.abs(h) + 1e-6), style, label=label)
right.set(xlabel="frequency / Nyquist's", ylabel="gain in dB", title="response", ylim=(-60, 5))
right.legend()
figure.savefig(sys.argv[1])
