# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Selections against NumPy."""

import numpy as np
import pytest

import wavescan

DTYPES = ["bool", "uint8", "int16", "int32", "float32", "int64", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_compress_and_partition(lib, rng, dtype):
    for shape in [(0,), (1,), (1000,), (50, 1), (50, 2), (50, 3)]:
        a = (rng.random(shape) * 100).astype(dtype)
        keep = rng.random(shape[0]) < 0.4
        y = lib.back(wavescan.compress(lib.array(keep), lib.array(a)))
        assert y.dtype == dtype
        np.testing.assert_array_equal(y, a[keep])
        y, count = wavescan.partition(lib.array(keep), lib.array(a))
        np.testing.assert_array_equal(lib.back(y), np.concatenate([a[keep], a[~keep]]))
        assert count == keep.sum()


def test_rows_with_gaps(rng):
    for dtype in ["uint8", "int16", "int32", "float64", "complex128"]:
        a = (rng.random((50, 6)) * 100).astype(dtype)
        keep = rng.random(50) < 0.4
        np.testing.assert_array_equal(wavescan.compress(keep, a[:, 1:4]), a[keep, 1:4])
        np.testing.assert_array_equal(wavescan.compress(keep, a[::-1]), a[::-1][keep])
        if a.itemsize in (2, 16):
            with pytest.raises(TypeError, match="must be dense"):
                wavescan.compress(keep, a[:, ::2])
        else:
            np.testing.assert_array_equal(wavescan.compress(keep, a[:, ::2]), a[keep, ::2])


def test_half_precision():
    a = np.arange(6, dtype=np.float16)
    np.testing.assert_array_equal(wavescan.compress(a > 2, a), a[3:])
    torch = pytest.importorskip("torch")
    b = torch.arange(6, dtype=torch.bfloat16)
    assert torch.equal(wavescan.compress(b > 2, b), b[3:])


def test_in_place(rng):
    a = rng.random(100)
    keep = a > 0.5
    expected = a[keep]
    y = wavescan.compress(keep, a, out=a)
    assert np.shares_memory(y, a)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32", "float64"])
def test_unique_consecutive(lib, rng, dtype):
    for n in [0, 1, 500]:
        x = rng.integers(0, 3, n).astype(dtype)
        begins = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])) if n else np.zeros(0, int)
        lengths = np.diff(np.append(begins, n))
        run = np.repeat(np.arange(len(begins)), lengths)
        y = lib.array(x)
        np.testing.assert_array_equal(lib.back(wavescan.unique_consecutive(y)), x[begins])
        found, inverse, counts = wavescan.unique_consecutive(y, True, True)
        for actual, expected in [(found, x[begins]), (inverse, run), (counts, lengths)]:
            np.testing.assert_array_equal(lib.back(actual), expected)
        assert lib.back(counts).dtype == lib.back(inverse).dtype == np.int64
        np.testing.assert_array_equal(lib.back(wavescan.unique_consecutive(y, True)[1]), run)
        np.testing.assert_array_equal(
            lib.back(wavescan.unique_consecutive(y, return_counts=True)[1]), lengths
        )


def test_runs_of_torch_in_place_and_strided(rng):
    x = rng.integers(0, 3, 400)
    expected = wavescan.unique_consecutive(x[::-2], True, True)
    torch = pytest.importorskip("torch")
    theirs = torch.unique_consecutive(torch.from_numpy(x[::-2].copy()), True, True)
    for ours, other in zip(expected, theirs):
        np.testing.assert_array_equal(ours, other.numpy())
    y = x[::-2]
    found, _, counts = wavescan.unique_consecutive(y, True, True, out=y)
    assert np.shares_memory(found, x)
    np.testing.assert_array_equal(found, expected[0])
    np.testing.assert_array_equal(counts, expected[2])
    nan = np.array([np.nan, np.nan, 1.0])
    assert wavescan.unique_consecutive(nan, return_counts=True)[1].tolist() == [1, 1, 1]
