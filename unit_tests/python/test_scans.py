# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Scans and linear recurrences against NumPy and plain loops."""

import numpy as np
import pytest

import wavescan

FLOATS = ["float32", "float64"]
NUMBERS = [*FLOATS, "int32", "int64"]
COMPLEX = ["complex64", "complex128"]
TOLERANCE = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-12, "complex128": 1e-12}


def make(rng, shape, dtype):
    if dtype.startswith("int"):
        return rng.integers(-9, 10, shape).astype(dtype)
    x = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def close(actual, expected, dtype):
    assert actual.dtype == np.dtype(dtype) and actual.shape == expected.shape
    if dtype.startswith("int"):
        np.testing.assert_array_equal(actual, expected)
    else:
        t = TOLERANCE[dtype]
        np.testing.assert_allclose(actual, expected, rtol=t, atol=t * max(1, np.abs(expected).max(initial=0)))


UFUNCS = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}


@pytest.mark.parametrize("op", UFUNCS)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_scan_is_accumulate(lib, rng, dtype, op):
    for shape in [(1,), (2,), (37,), (1000,), (3, 50), (4, 1, 7), (2, 3, 4, 5)]:
        x = make(rng, shape, dtype)
        if op == "multiply":
            x = (np.sign(x) + (x == 0)).astype(dtype)
        for axis in range(-len(shape), len(shape)):
            y = lib.back(wavescan.scan(lib.array(x), op, axis=axis))
            close(y, UFUNCS[op].accumulate(x, axis=axis, dtype=dtype), dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_sums_of_complex_numbers(lib, rng, dtype):
    x = make(rng, (5, 40), dtype)
    close(lib.back(wavescan.scan(lib.array(x))), np.cumsum(x, axis=1), dtype)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_exclusive_reverse_initial(lib, rng, dtype):
    x = make(rng, (3, 20), dtype)
    sums = np.cumsum(x, axis=1, dtype=dtype)
    a = lib.array(x)
    close(lib.back(wavescan.scan(a, exclusive=True)), sums - x, dtype)
    close(lib.back(wavescan.scan(a, initial=5)), sums + np.array(5, dtype), dtype)
    close(lib.back(wavescan.scan(a, exclusive=True, initial=5)), sums - x + np.array(5, dtype), dtype)
    backwards = np.cumsum(x[:, ::-1], axis=1, dtype=dtype)[:, ::-1]
    close(lib.back(wavescan.scan(a, reverse=True)), backwards, dtype)


def test_cumulative_sum_is_that_of_the_array_api(lib, rng):
    x = rng.standard_normal((3, 5))
    a = lib.array(x)
    np.testing.assert_allclose(lib.back(wavescan.cumulative_sum(a, axis=0)), np.cumsum(x, axis=0))
    np.testing.assert_allclose(lib.back(wavescan.cumulative_prod(a, axis=1)), np.cumprod(x, axis=1))
    if lib.name != "jax" or wavescan.show_config("dicts")["device"] == "none":
        y = lib.back(wavescan.cumulative_sum(a, axis=1, include_initial=True))
        np.testing.assert_allclose(y, np.cumulative_sum(x, axis=1, include_initial=True))
    with pytest.raises(ValueError, match="'axis' must be given"):
        wavescan.cumulative_sum(a)


def loop(a, x, initial=0):
    y = np.empty_like(x)
    state = np.zeros_like(x[..., 0]) + initial
    for t in range(x.shape[-1]):
        state = a[..., t] * state + x[..., t]
        y[..., t] = state
    return y


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_linear_recurrence_is_the_loop(lib, rng, dtype):
    for shape in [(1,), (50,), (3, 40), (2, 3, 30)]:
        x, a = make(rng, shape, dtype), make(rng, shape, dtype) / 2
        first = make(rng, shape[:-1], dtype)
        y = wavescan.linear_recurrence(lib.array(a), lib.array(x))
        close(lib.back(y), loop(a, x), dtype)
        y = wavescan.linear_recurrence(lib.array(a), lib.array(x), reverse=True)
        close(lib.back(y), loop(a[..., ::-1], x[..., ::-1])[..., ::-1], dtype)
        close(lib.back(wavescan.linear_recurrence(0.5, lib.array(x))), loop(x * 0 + 0.5, x), dtype)
        if len(shape) > 1:
            y = wavescan.linear_recurrence(lib.array(a), lib.array(x), initial=lib.array(first))
            close(lib.back(y), loop(a, x, first), dtype)
        y = wavescan.linear_recurrence(lib.array(a), lib.array(x), initial=2.0)
        close(lib.back(y), loop(a, x, 2), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_recurrences_of_higher_order(lib, rng, dtype):
    x = make(rng, (3, 60), dtype)
    a = (make(rng, (3, 60, 3), dtype) / 6).astype(dtype)
    expected = np.zeros_like(x)
    for t in range(60):
        expected[:, t] = x[:, t] + sum(
            a[:, t, k] * expected[:, t - 1 - k] for k in range(3) if t - 1 - k >= 0
        )
    close(lib.back(wavescan.linear_recurrence(lib.array(a), lib.array(x))), expected, dtype)


@pytest.mark.parametrize("algebra", ["max_plus", "min_plus"])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_other_algebras(lib, rng, dtype, algebra):
    x, w = make(rng, (4, 30), dtype), make(rng, (4, 30), dtype)
    plus = np.maximum if algebra == "max_plus" else np.minimum
    expected = x.copy()
    for t in range(1, 30):
        expected[:, t] = plus(expected[:, t - 1] + w[:, t], x[:, t])
    close(lib.back(wavescan.weighted_scan(lib.array(x), lib.array(w), algebra)), expected, dtype)


def test_segments(lib, rng):
    for dtype in NUMBERS:
        x = make(rng, (40,), dtype)
        offsets = np.array([0, 7, 7, 8, 30, 40])
        heads = np.zeros(40, bool)
        heads[[0, 7, 8, 30]] = True
        parts = [x[b:e] for b, e in zip(offsets, offsets[1:])]
        expected = np.concatenate([np.cumsum(p, dtype=dtype) for p in parts])
        a, o, h = lib.array(x), lib.array(offsets), lib.array(heads)
        close(lib.back(wavescan.segmented_scan(a, offsets=o)), expected, dtype)
        close(lib.back(wavescan.segmented_scan(a, heads=h)), expected, dtype)
        close(lib.back(wavescan.segmented_scan(a, heads=h, exclusive=True)), expected - x, dtype)
        top = np.concatenate([np.maximum.accumulate(p) for p in parts])
        close(lib.back(wavescan.segmented_scan(a, "maximum", offsets=o)), top, dtype)
        sums = np.array([p.sum() for p in parts]).astype(dtype)
        close(lib.back(wavescan.segmented_reduce(a, offsets=o)), sums, dtype)


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_recurrences_of_segments(lib, rng, dtype):
    offsets = np.array([0, 7, 7, 8, 30, 40])
    heads = np.zeros(40, bool)
    heads[[0, 7, 8, 30]] = True
    a, x = make(rng, (40,), dtype) / 2, make(rng, (40,), dtype)
    a = a.astype(dtype)
    parts = [slice(b, e) for b, e in zip(offsets, offsets[1:]) if e > b]
    forwards = np.concatenate([loop(a[p], x[p]) for p in parts])
    backwards = np.concatenate([loop(a[p][::-1], x[p][::-1])[::-1] for p in parts])
    for told in [{"offsets": lib.array(offsets)}, {"heads": lib.array(heads)}]:
        for reverse, expected in [(False, forwards), (True, backwards)]:
            y = wavescan.segmented_linear_recurrence(lib.array(a), lib.array(x), reverse=reverse, **told)
            close(lib.back(y), expected, dtype)


def test_laws():
    assert wavescan.check_laws(max, lambda a, b: a + b)
    assert wavescan.check_laws(lambda a, b: a + b, lambda a, b: a * b)
    report = wavescan.check_laws(lambda a, b: a + b, max)
    assert not report and "distribute" in report.law and len(report.example) == 3
