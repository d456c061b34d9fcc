# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Filters and tridiagonal systems against SciPy."""

import numpy as np
import pytest

import wavescan

signal = pytest.importorskip("scipy.signal")
linalg = pytest.importorskip("scipy.linalg")

DTYPES = ["float32", "float64", "complex64", "complex128"]
TOLERANCE = {"float32": 2e-4, "complex64": 2e-4, "float64": 1e-9, "complex128": 1e-9}
FILTERS = [([1.0], [1.0, -0.9]), signal.butter(2, 0.2), signal.butter(4, 0.3), ([0.2, 0.3, 0.5], [2.0])]


def make(rng, shape, dtype):
    x = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def close(actual, expected, dtype):
    assert actual.dtype == np.dtype(dtype) and actual.shape == expected.shape
    t = TOLERANCE[dtype]
    np.testing.assert_allclose(actual, expected, rtol=t, atol=t * max(1, np.abs(expected).max(initial=0)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("b, a", FILTERS)
def test_lfilter(lib, rng, dtype, b, a):
    for shape, axis in [((300,), -1), ((3, 200), 1), ((200, 3), 0), ((2, 90, 3), 1)]:
        x = make(rng, shape, dtype)
        close(lib.back(wavescan.lfilter(b, a, lib.array(x), axis)), signal.lfilter(b, a, x, axis), dtype)
        state = list(shape)
        state[axis] = max(len(a), len(b)) - 1
        zi = make(rng, state, dtype)
        y, zf = wavescan.lfilter(b, a, lib.array(x), axis, lib.array(zi))
        expected, expected_zf = signal.lfilter(b, a, x, axis, zi)
        close(lib.back(y), expected, dtype)
        close(lib.back(zf), expected_zf, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [2, 5, 9])
def test_sosfilt(lib, rng, dtype, order):
    sos = signal.butter(order, 0.3, output="sos")
    for shape, axis in [((300,), -1), ((3, 200), 1), ((2, 90, 3), 1)]:
        x = make(rng, shape, dtype)
        close(lib.back(wavescan.sosfilt(sos, lib.array(x), axis)), signal.sosfilt(sos, x, axis), dtype)
        state = [len(sos), *shape]
        state[axis if axis < 0 else axis + 1] = 2
        zi = make(rng, state, dtype)
        y, zf = wavescan.sosfilt(sos, lib.array(x), axis, lib.array(zi))
        expected, expected_zf = signal.sosfilt(sos, x, axis, zi)
        close(lib.back(y), expected, dtype)
        close(lib.back(zf), expected_zf, dtype)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
def test_filtfilt(lib, rng, dtype, padtype):
    b, a = signal.butter(3, 0.2)
    sos = signal.butter(3, 0.2, output="sos")
    for shape, axis in [((300,), -1), ((3, 200), 1), ((200, 3), 0), ((2, 90, 3), 1)]:
        x = make(rng, shape, dtype)
        for padlen in [None, 0, 20]:
            expected = signal.filtfilt(b, a, x, axis, padtype, padlen)
            close(lib.back(wavescan.filtfilt(b, a, lib.array(x), axis, padtype, padlen)), expected, dtype)
            expected = signal.sosfiltfilt(sos, x, axis, padtype, padlen)
            y = wavescan.sosfiltfilt(sos, lib.array(x), axis, padtype, padlen)
            close(lib.back(y), expected, dtype)


def test_states():
    for b, a in FILTERS:
        np.testing.assert_allclose(wavescan.lfilter_zi(b, a), signal.lfilter_zi(b, a), atol=1e-12)
        np.testing.assert_allclose(
            wavescan.lfiltic(b, a, [1.0, 2.0], [3.0]), signal.lfiltic(b, a, [1.0, 2.0], [3.0]), atol=1e-12
        )
    sos = signal.butter(5, 0.2, output="sos")
    np.testing.assert_allclose(wavescan.sosfilt_zi(sos), signal.sosfilt_zi(sos), atol=1e-9)


def test_zi_that_is_broadcast(rng):
    b, a = signal.butter(2, 0.2)
    x = rng.standard_normal((4, 50))
    zi = np.broadcast_to(signal.lfilter_zi(b, a), (4, 2))
    y, _ = wavescan.lfilter(b, a, x, zi=zi)
    close(y, signal.lfilter(b, a, x, zi=zi)[0], "float64")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_solve_tridiagonal(lib, rng, dtype):
    for n in [1, 2, 3, 50]:
        dl, du = rng.standard_normal((2, n))
        d = 4 + rng.random(n)
        matrix = np.diag(d) + np.diag(dl[1:], -1) + np.diag(du[:-1], 1)
        b = rng.standard_normal((n, 3))
        diagonals = [lib.array(v.astype(dtype)) for v in (dl, d, du)]
        x = wavescan.solve_tridiagonal(*diagonals, lib.array(b.astype(dtype)), axis=0)
        close(lib.back(x), np.linalg.solve(matrix, b).astype(dtype), dtype)
        x = wavescan.solve_tridiagonal(*diagonals, lib.array(b.astype(dtype)), axis=0, transposed=True)
        close(lib.back(x), np.linalg.solve(matrix.T, b).astype(dtype), dtype)
        batch = [np.broadcast_to(v, (3, n)).astype(dtype) for v in (dl, d, du)]
        x = wavescan.solve_tridiagonal(*map(lib.array, batch), lib.array(b.T.astype(dtype)))
        close(lib.back(x), np.linalg.solve(matrix, b).T.astype(dtype), dtype)
        if n > 2:
            matrix[0, -1] += dl[0]
            matrix[-1, 0] += du[-1]
            x = wavescan.solve_tridiagonal(
                *diagonals, lib.array(b[:, 0].astype(dtype)), cyclic=True
            )
            close(lib.back(x), np.linalg.solve(matrix, b[:, 0]).astype(dtype), dtype)
