#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Summed-area tables by OpenCV (on the host) or PyTorch (two cumulative sums, on a GPU if there is
one).

    usage: peers.py --package opencv|torch [--sides 256,1024,4096] [--threads N] [--out FILE.json]

Writes JSON as the benchmark programs do, with the same names and counters. The floor is a copy of
as many bytes by the same package.
"""
import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from peer_results import Results  # pylint: disable=wrong-import-position; the path comes first

PROBLEMS = {"float": ("float32", "float32"), "uint8,uint32": ("uint8", "int32"),
            "double": ("float64", "float64")}


def seconds(call, done=lambda: None):
    """Median of a second's calls, after one that warms up."""
    call()
    done()
    samples, end = [], time.perf_counter() + 1
    while len(samples) < 5 or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        done()
        samples.append(time.perf_counter() - begin)
    return statistics.median(samples)


def opencv(threads):
    import cv2
    import numpy

    if threads:
        cv2.setNumThreads(threads)
    depths = {"float32": cv2.CV_32F, "float64": cv2.CV_64F, "int32": cv2.CV_32S}

    def programs(pixel, entry, side):
        image = numpy.random.default_rng(1).integers(0, 256, (side, side)).astype(pixel)
        table = numpy.zeros((side + 1, side + 1), entry)
        half = image.nbytes // 2 + table.nbytes // 2
        source, target = numpy.zeros(half, numpy.uint8), numpy.zeros(half, numpy.uint8)
        return ("opencv_integral", lambda: cv2.integral(image, table, sdepth=depths[entry]),
                lambda: numpy.copyto(target, source), lambda: None)

    context = {"execution space": "Host", "OpenCV": cv2.__version__,
               "threads": cv2.getNumThreads()}
    return context, programs


def pytorch(threads):
    import torch

    if threads:
        torch.set_num_threads(threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"

    def programs(pixel, entry, side):
        image = torch.randint(0, 256, (side, side), device=device).to(getattr(torch, pixel))
        table = torch.zeros((side, side), dtype=getattr(torch, entry), device=device)
        half = (image.nbytes + table.nbytes) // 2
        source, target = (torch.zeros(half, dtype=torch.uint8, device=device) for _ in range(2))

        def two_sums():
            torch.cumsum(image, 1, dtype=table.dtype, out=table)
            torch.cumsum(table, 0, dtype=table.dtype, out=table)

        done = torch.cuda.synchronize if device == "cuda" else lambda: None
        return "torch_cumsum_twice", two_sums, lambda: target.copy_(source), done

    context = {"execution space": "Cuda" if device == "cuda" else "Host",
               "torch": f"PyTorch {torch.__version__}"}
    return context, programs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--package", choices=("opencv", "torch"), required=True)
    parser.add_argument("--sides", default="256,1024,4096,8192")
    parser.add_argument("--threads", type=int, help="of the host")
    parser.add_argument("--out")
    options = parser.parse_args()
    package = opencv if options.package == "opencv" else pytorch
    context, programs = package(options.threads)
    results = Results(options.out, **context)
    for types, (pixel, entry) in PROBLEMS.items():
        for side in map(int, options.sides.split(",")):
            program, call, copy, done = programs(pixel, entry, side)
            own, floor = seconds(call, done), seconds(copy, done)
            pixels = side * side
            size = {"uint8": 1, "float32": 4, "float64": 8, "int32": 4}
            moved = pixels * (size[pixel] + size[entry])
            results.add(f"sat<{types}>/{program}/images:1/rows:{side}/columns:{side}", own, floor,
                        moved)
    results.finish()


if __name__ == "__main__":
    main()
