# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Times functions of the Python package beside those that people know, in one run.

usage: compare.py [--csv FILE] [--plot FILE.svg] [--only WORD] [--scale N]

--only overhead times calls on three numbers alone.

Whatever is installed takes part: SciPy, scikit-image, OpenCV, parasail, PyTorch, torchaudio,
philtorch, CuPy; on a GPU where wavescan was built for one. Each time is the least of some
repetitions; on GPUs, of calls between two synchronizations.
"""

import argparse
import csv
import importlib
import time

import numpy as np

import wavescan

cases = []


def case(name, place="host"):
    """Registers a function that returns (name of the peer, its call, ours)."""

    def register(function):
        cases.append((name, place, function))
        return function

    return register


def need(name):
    return importlib.import_module(name)


def signal_of(shape, dtype=np.float64, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def least(call, synchronize, budget=0.4):
    call()
    synchronize()
    times = []
    end = time.perf_counter() + budget
    while len(times) < 3 or (time.perf_counter() < end and len(times) < 200):
        begin = time.perf_counter()
        call()
        synchronize()
        times.append(time.perf_counter() - begin)
    return min(times)


def overhead(call, count=20_000):
    """Seconds of one call among many."""
    for _ in range(1000):
        call()
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(count // 5):
            call()
        best = min(best, (time.perf_counter() - begin) / (count // 5))
    return best


# Hosts.


@case("cumulative sum, 10^7 doubles")
def _(n):
    x, y, z = signal_of(10**7 // n), np.empty(10**7 // n), np.empty(10**7 // n)
    return "NumPy", lambda: np.cumsum(x, out=y), lambda: wavescan.cumulative_sum(x, out=z)


@case("running maximum, 10^7 doubles")
def _(n):
    x, y, z = signal_of(10**7 // n), np.empty(10**7 // n), np.empty(10**7 // n)
    return (
        "NumPy",
        lambda: np.maximum.accumulate(x, out=y),
        lambda: wavescan.scan(x, "maximum", out=z),
    )


@case("cumulative sum of 1000 rows of 10^4")
def _(n):
    torch = need("torch")
    x = torch.from_numpy(signal_of((1000 // n, 10_000)))
    y, z = torch.empty_like(x), torch.empty_like(x)
    return "PyTorch", lambda: torch.cumsum(x, 1, out=y), lambda: wavescan.scan(x, out=z)


@case("lfilter of order 4, 10^7 doubles")
def _(n):
    signal = need("scipy.signal")
    b, a = signal.butter(4, 0.2)
    x = signal_of(10**7 // n)
    return "SciPy", lambda: signal.lfilter(b, a, x), lambda: wavescan.lfilter(b, a, x)


@case("sosfilt of 4 sections, 10^7 doubles")
def _(n):
    signal = need("scipy.signal")
    sos = signal.butter(8, 0.2, output="sos")
    x = signal_of(10**7 // n)
    return "SciPy", lambda: signal.sosfilt(sos, x), lambda: wavescan.sosfilt(sos, x)


@case("sosfiltfilt of 4 sections, 10^7 doubles")
def _(n):
    signal = need("scipy.signal")
    sos = signal.butter(8, 0.2, output="sos")
    x = signal_of(10**7 // n)
    return "SciPy", lambda: signal.sosfiltfilt(sos, x), lambda: wavescan.sosfiltfilt(sos, x)


@case("1000 tridiagonal systems of 1000")
def _(n):
    linalg = need("scipy.linalg")
    m = 1000 // n
    b = signal_of((1000, m))
    d = np.full(1000, 4.0)
    e = np.full(1000, -1.0)
    band = np.array([np.r_[0, e[1:]], d, np.r_[e[1:], 0]])
    return (
        "SciPy",
        lambda: linalg.solve_banded((1, 1), band, b),
        lambda: wavescan.solve_tridiagonal(e, d, e, b, axis=0),
    )


@case("integral image, 4096 x 4096 bytes")
def _(n):
    cv2 = need("cv2")
    image = (signal_of((4096 // n, 4096)) * 50 + 128).clip(0, 255).astype(np.uint8)
    return "OpenCV", lambda: cv2.integral(image), lambda: wavescan.integral(image)


@case("mean of 31 x 31 pixels, 4096 x 4096 floats")
def _(n):
    ndimage = need("scipy.ndimage")
    image = signal_of((4096 // n, 4096), np.float32)
    return (
        "SciPy",
        lambda: ndimage.uniform_filter(image, 31),
        lambda: wavescan.uniform_filter(image, 31),
    )


@case("Sauvola's threshold, 2048 x 2048 bytes")
def _(n):
    filters = need("skimage.filters")
    image = (signal_of((2048 // n, 2048)) * 50 + 128).clip(0, 255).astype(np.uint8)
    return (
        "scikit-image",
        lambda: filters.threshold_sauvola(image, 25),
        lambda: wavescan.threshold_sauvola(image, 25),
    )


@case("inpainting, 512 x 512 of 3 colours")
def _(n):
    restoration = need("skimage.restoration")
    data = need("skimage.data")
    image = data.astronaut()
    lost = np.zeros((512, 512), bool)
    for k in range(40 // n):
        lost[12 * k : 12 * k + 4, 20:480:7] = True
    damaged = np.where(lost[..., None], 0, image).astype(np.uint8)
    return (
        "scikit-image (biharmonic)",
        lambda: restoration.inpaint_biharmonic(damaged, lost, channel_axis=-1),
        lambda: wavescan.inpaint_harmonic(damaged, lost, channel_axis=-1),
    )


@case("selection of half of 10^7 doubles")
def _(n):
    x = signal_of(10**7 // n)
    keep = x > 0
    return "NumPy", lambda: np.compress(keep, x), lambda: wavescan.compress(keep, x)


@case("local alignment, 10^4 x 10^4 letters")
def _(n):
    parasail = need("parasail")
    rng = np.random.default_rng(1)
    a, b = ("".join(rng.choice(list("ACGT"), 10_000 // n)) for _ in range(2))
    matrix = parasail.matrix_create("ACGT", 2, -1)
    return (
        "parasail (one thread)",
        lambda: parasail.sw_striped_sat(a, b, 3, 1, matrix),
        lambda: wavescan.align_score(a, b, gap_open=3, gap_extend=1),
    )


def backwards(torch, filter_of, x, b, a):
    def call():
        y = filter_of(x, b, a)
        y.sum().backward()
        x.grad = b.grad = a.grad = None

    return call


def torch_filter(n, place, package):
    torch, signal = need("torch"), need("scipy.signal")
    import wavescan.torch as wt

    bb, aa = signal.butter(2, 0.2)
    x = torch.from_numpy(signal_of((32 // min(n, 32), 100_000), np.float32)).to(place)
    x.requires_grad_()
    coefficients = [torch.tensor(c, dtype=torch.float32).requires_grad_() for c in (bb, aa)]
    if package == "torchaudio":
        functional = need("torchaudio.functional")
        theirs = [c.detach().to(place).requires_grad_() for c in coefficients]
        peer = backwards(
            torch, lambda x, b, a: functional.lfilter(x, a, b, clamp=False), x, *theirs
        )
    else:
        lfilter = need("philtorch.lti").lfilter
        theirs = [c.detach().to(place).requires_grad_() for c in coefficients]
        peer = backwards(torch, lambda x, b, a: lfilter(b, a[1:], x), x, *theirs)
    return package, peer, backwards(torch, lambda x, b, a: wt.lfilter(b, a, x), x, *coefficients)


@case("biquad and its gradients, 32 x 10^5 floats")
def _(n):
    return torch_filter(n, "cpu", "torchaudio")


@case("biquad and its gradients, 32 x 10^5 floats ")
def _(n):
    return torch_filter(n, "cpu", "philtorch")


# GPUs.


@case("cumulative sum, 2^26 floats", "gpu")
def _(n):
    cupy = need("cupy")
    x = cupy.asarray(signal_of(2**26 // n, np.float32))
    y, z = cupy.empty_like(x), cupy.empty_like(x)
    return "CuPy", lambda: cupy.cumsum(x, out=y), lambda: wavescan.scan(x, out=z)


@case("cumulative sum, 2^26 floats ", "gpu")
def _(n):
    torch = need("torch")
    x = torch.from_numpy(signal_of(2**26 // n, np.float32)).cuda()
    y, z = torch.empty_like(x), torch.empty_like(x)
    return "PyTorch", lambda: torch.cumsum(x, 0, out=y), lambda: wavescan.scan(x, out=z)


@case("lfilter of order 4, 2^24 doubles", "gpu")
def _(n):
    cupy, signal = need("cupy"), need("scipy.signal")
    theirs = need("cupyx.scipy.signal")
    b, a = signal.butter(4, 0.2)
    x = cupy.asarray(signal_of(2**24 // n))
    bb, aa = cupy.asarray(b), cupy.asarray(a)
    b, a = b.tolist(), a.tolist()
    return "CuPy", lambda: theirs.lfilter(bb, aa, x), lambda: wavescan.lfilter(b, a, x)


@case("sosfiltfilt of 4 sections, 64 x 2^18 floats", "gpu")
def _(n):
    cupy, signal = need("cupy"), need("scipy.signal")
    theirs = need("cupyx.scipy.signal")
    sos = signal.butter(8, 0.2, output="sos")
    x = cupy.asarray(signal_of((64 // min(n, 64), 2**18), np.float32))
    on_gpu = cupy.asarray(sos.astype(np.float32))
    return "CuPy", lambda: theirs.sosfiltfilt(on_gpu, x), lambda: wavescan.sosfiltfilt(sos, x)


@case("mean of 31 x 31 pixels, 4096 x 4096 floats", "gpu")
def _(n):
    cupy = need("cupy")
    ndimage = need("cupyx.scipy.ndimage")
    image = cupy.asarray(signal_of((4096 // n, 4096), np.float32))
    return (
        "CuPy",
        lambda: ndimage.uniform_filter(image, 31),
        lambda: wavescan.uniform_filter(image, 31),
    )


@case("biquad and its gradients, 32 x 10^5 floats", "gpu")
def _(n):
    return torch_filter(n, "cuda", "torchaudio")


@case("biquad and its gradients, 32 x 10^5 floats ", "gpu")
def _(n):
    return torch_filter(n, "cuda", "philtorch")


def overheads(has_gpu):
    """Microseconds of a call on three elements."""
    x, y = np.ones(3), np.empty(3)
    rows = [
        ("call, 3 doubles", "NumPy cumsum", overhead(lambda: np.cumsum(x, out=y)),
         overhead(lambda: wavescan.scan(x, out=y)))
    ]
    try:
        signal = need("scipy.signal")
        b, a = [1.0], [1.0, -0.5]
        rows.append(("call, lfilter of 3 doubles", "SciPy", overhead(lambda: signal.lfilter(b, a, x)),
                     overhead(lambda: wavescan.lfilter(b, a, x, out=y))))
    except ImportError:
        pass
    if has_gpu:
        torch = need("torch")
        u, v = torch.ones(3, device="cuda"), torch.empty(3, device="cuda")
        rows.append(("call on a GPU, 3 floats", "PyTorch cumsum",
                     overhead(lambda: torch.cumsum(u, 0, out=v)), overhead(lambda: wavescan.scan(u, out=v))))
    return rows


def plot(rows, file):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    import matplotlib.pyplot as plt

    rows = rows[::-1]
    figure, ax = plt.subplots(figsize=(8, 0.32 * len(rows) + 1), layout="constrained")
    ratios = [theirs / ours for _, _, _, theirs, ours in rows]
    ax.barh(range(len(rows)), ratios, color=["C0" if place == "host" else "C2" for _, place, *_ in rows])
    ax.set_yticks(range(len(rows)), [f"{name.strip()} | {peer}" for name, _, peer, *_ in rows], fontsize=8)
    for k, ratio in enumerate(ratios):
        ax.text(max(ratio, 1), k, f" {ratio:.3g}", va="center", fontsize=8)
    ax.set_xscale("log")
    ax.axvline(1, color="black", lw=0.8)
    ax.margins(x=0.1)
    ax.set_xlabel("times as fast as the peer (blue: host, green: GPU)")
    figure.savefig(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--csv")
    parser.add_argument("--plot")
    parser.add_argument("--only", default="")
    parser.add_argument("--scale", type=int, default=1, help="divides sizes, to try things out")
    options = parser.parse_args()
    found = wavescan.show_config("dicts")
    print(f"{found['host']} with {found['threads']} threads, device: {found['device']}")
    has_gpu = found["device"] != "none"
    rows = []
    for name, place, make in cases:
        if options.only not in name or (place == "gpu" and not has_gpu):
            continue
        try:
            peer, theirs, ours = make(options.scale)
            synchronize = (lambda: None) if place == "host" else need("torch").cuda.synchronize
            if place == "gpu" and "CuPy" in peer:
                synchronize = need("cupy").cuda.runtime.deviceSynchronize
            ours_seconds = least(ours, synchronize)
            row = (name, place, peer, least(theirs, synchronize), ours_seconds)
        except Exception as error:  # a peer that is not installed, or does not take this
            print(f"{name.strip()}: left out ({type(error).__name__}: {str(error)[:80]})")
            continue
        rows.append(row)
        print(f"{name.strip():45} {peer:26} {row[3] * 1e3:9.3f} ms {row[4] * 1e3:9.3f} ms {row[3] / row[4]:7.2f} x", flush=True)
    if options.only in ("", "overhead"):
        for name, peer, theirs, ours in overheads(has_gpu):
            rows.append((name, "gpu" if "GPU" in name else "host", peer, theirs, ours))
            print(f"{name:45} {peer:26} {theirs * 1e6:9.3f} us {ours * 1e6:9.3f} us {theirs / ours:7.2f} x")
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            csv.writer(file).writerows([("case", "place", "peer", "peer_seconds", "seconds"), *rows])
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
