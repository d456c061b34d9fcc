# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Images against NumPy, SciPy, scikit-image and OpenCV."""

import numpy as np
import pytest

import wavescan

SHAPES = [(1, 1), (3, 5), (40, 33), (100, 260)]


def test_integral_image(lib, rng):
    for shape in SHAPES:
        for dtype in ["uint8", "int32", "int64", "float32", "float64"]:
            image = (rng.random(shape) * 200).astype(dtype)
            table = lib.back(wavescan.integral_image(lib.array(image)))
            wide = np.float64 if dtype.startswith("float") else np.int64
            expected = image.astype(wide).cumsum(0).cumsum(1)
            assert table.dtype == ("int64" if dtype == "uint8" else dtype)
            np.testing.assert_allclose(table, expected, rtol=1e-6)
            if dtype == "uint8":
                table = lib.back(wavescan.integral_image(lib.array(image), dtype="float32"))
                np.testing.assert_allclose(table, expected, rtol=1e-6)
            padded = lib.back(wavescan.integral(lib.array(image)))
            np.testing.assert_allclose(padded[1:, 1:], expected, rtol=1e-6)
            assert not padded[0].any() and not padded[:, 0].any()


def test_integral_image_is_that_of_scikit_image(rng):
    transform = pytest.importorskip("skimage.transform")
    image = rng.random((30, 40))
    np.testing.assert_allclose(wavescan.integral_image(image), transform.integral_image(image))


def test_integral_is_that_of_opencv(rng):
    cv2 = pytest.importorskip("cv2")
    image = rng.integers(0, 256, (30, 40)).astype(np.uint8)
    expected = cv2.integral(image)
    table = wavescan.integral(image)
    np.testing.assert_array_equal(table, expected)
    assert table.dtype == expected.dtype
    assert wavescan.integral(image.astype(np.float32)).dtype == cv2.integral(image.astype(np.float32)).dtype


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_filter_is_that_of_scipy(lib, rng, dtype):
    ndimage = pytest.importorskip("scipy.ndimage")
    for shape in SHAPES:
        image = rng.random(shape).astype(dtype)
        for size in [1, 3, 9, 41]:
            y = lib.back(wavescan.uniform_filter(lib.array(image), size))
            assert y.dtype == dtype
            np.testing.assert_allclose(y, ndimage.uniform_filter(image.astype(float), size), atol=1e-6)


def test_windows_that_shrink(rng):
    image = rng.random((10, 12))
    y = wavescan.uniform_filter(image, 5, mode="shrink")
    np.testing.assert_allclose(y[0, 0], image[:3, :3].mean())
    np.testing.assert_allclose(y[5, 6], image[3:8, 4:9].mean())
    image = rng.integers(0, 256, (10, 12)).astype(np.uint8)
    y = wavescan.uniform_filter(image, 5, mode="shrink")
    assert y.dtype == np.uint8 and y[5, 6] == np.floor(image[3:8, 4:9].mean() + 0.5)


def test_sauvola_is_that_of_scikit_image(lib, rng):
    filters = pytest.importorskip("skimage.filters")
    image = (rng.random((60, 50)) * 255).astype(np.uint8)
    for size in [3, 15]:
        t = lib.back(wavescan.threshold_sauvola(lib.array(image), size, k=0.3))
        expected = filters.threshold_sauvola(image, size, k=0.3, r=127.5)
        np.testing.assert_allclose(t, expected, rtol=1e-6)


def test_integral_histogram(lib, rng):
    image = rng.integers(0, 256, (20, 30)).astype(np.uint8)
    h = lib.back(wavescan.integral_histogram(lib.array(image), 8))
    assert h.shape == (8, 20, 30) and h.dtype == np.int32
    for i, j in [(0, 0), (5, 7), (19, 29)]:
        expected = np.histogram(image[: i + 1, : j + 1], 8, (0, 256))[0]
        np.testing.assert_array_equal(h[:, i, j], expected)
    smooth = rng.random((20, 30)).astype(np.float32)
    h = lib.back(wavescan.integral_histogram(lib.array(smooth), 5, (0, 1), dtype="int64"))
    assert h[:, -1, -1].sum() == 600


def sweep(x, rhs, fixed, omega):
    """A sweep over the inside of an array of any rank, in natural order."""
    for place in np.ndindex(*(n - 2 for n in x.shape)):
        point = tuple(i + 1 for i in place)
        if fixed is None or not fixed[point]:
            steps = np.eye(x.ndim, dtype=int)
            around = sum(x[tuple(point + s)] + x[tuple(point - s)] for s in steps)
            rest = 0 if rhs is None else rhs[point]
            x[point] += omega * ((around + rest) / (2 * x.ndim) - x[point])
    return x


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(12, 15), (6, 5, 9)])
def test_sor_is_the_loop(lib, rng, dtype, shape):
    x = rng.standard_normal(shape).astype(dtype)
    rhs = rng.standard_normal(shape).astype(dtype)
    fixed = rng.random(shape) < 0.3
    for b, m in [(None, None), (rhs, None), (None, fixed), (rhs, fixed)]:
        given = lib.array(x)
        y = wavescan.sor(
            given,
            None if b is None else lib.array(b),
            fixed=None if m is None else lib.array(m),
            omega=1.3,
            sweeps=2,
        )
        expected = sweep(sweep(x.copy(), b, m, 1.3), b, m, 1.3)
        tolerance = 1e-4 if dtype == "float32" else 1e-10
        np.testing.assert_allclose(lib.back(y), expected, rtol=tolerance, atol=tolerance)
        np.testing.assert_array_equal(np.asarray(lib.back(given)), x)  # untouched


def test_sor_of_boxes_that_lie_otherwise(rng):
    base = rng.standard_normal((6, 7, 9))
    for x in [base.transpose(2, 0, 1), base[:, ::2, 1::3], np.asfortranarray(base)]:
        expected = sweep(np.ascontiguousarray(x).copy(), None, None, 1.3)
        wavescan.sor(x, out=x, omega=1.3)
        np.testing.assert_allclose(x, expected)
    with pytest.raises(ValueError, match="dimensions that lie within each other"):
        wavescan.sor(base, out=base[:, :, ::-1])
    with pytest.raises(ValueError, match="'x' must have 2 to 3 dimensions"):
        wavescan.sor(base[0, 0])


def test_poisson_solve_of_boxes(lib):
    n = 17
    s = np.sin(np.pi * np.linspace(0, 1, n))
    exact = np.einsum("i,j,k->ijk", s, s, s)
    start, rhs = lib.array(np.zeros((n, n, n))), lib.array(3 * np.pi**2 * exact)
    u, report = wavescan.poisson_solve(start, rhs, h=1 / (n - 1), tol=1e-8)
    assert report.converged and np.abs(lib.back(u) - exact).max() < 5e-3
    best = wavescan.optimal_omega(n - 2, n - 2, n - 2)
    _, again = wavescan.poisson_solve(start, rhs, h=1 / (n - 1), tol=1e-8, omega=best)
    assert again.sweeps == report.sweeps
    _, slower = wavescan.poisson_solve(start, rhs, h=1 / (n - 1), tol=1e-8, omega=1.0)
    assert slower.sweeps > 2 * report.sweeps


def test_poisson_solve(lib):
    n = 33
    s = np.sin(np.pi * np.linspace(0, 1, n))
    exact = np.outer(s, s)
    rhs = 2 * np.pi**2 * exact
    u, report = wavescan.poisson_solve(lib.array(np.zeros((n, n))), lib.array(rhs), h=1 / (n - 1), tol=1e-8)
    assert report.converged and report.sweeps > 0 and report.history[-1][1] <= 1e-8
    assert np.abs(lib.back(u) - exact).max() < 1e-3


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_inpaint_harmonic(lib, rng, dtype):
    ramp = np.add.outer(np.arange(30.0), 2 * np.arange(40.0)).astype(dtype)
    lost = rng.random((30, 40)) < 0.3
    lost[10:16, 12:20] = True
    lost[[0, 0, -1, -1], [0, -1, 0, -1]] = False  # along the border a ramp has corners there
    damaged = np.where(lost, 0, ramp).astype(dtype)
    y = lib.back(wavescan.inpaint_harmonic(lib.array(damaged), lib.array(lost), tol=1e-6))
    assert y.dtype == dtype
    np.testing.assert_allclose(y, ramp, atol={"uint8": 1, "float32": 1e-2, "float64": 1e-3}[dtype])
    colour = np.stack([damaged, damaged // 2], -1).astype(dtype)
    z = wavescan.inpaint_harmonic(lib.array(colour), lib.array(lost), channel_axis=-1, tol=1e-6)
    np.testing.assert_allclose(lib.back(z)[..., 0], y, atol=1e-3)


def test_poisson_blend(lib, rng):
    if lib.name == "jax":
        pytest.skip("arrays of JAX cannot be written")
    target = rng.random((30, 40))
    mask = np.zeros((30, 40), bool)
    mask[5:20, 10:30] = True
    source = target + 3
    y = lib.back(wavescan.poisson_blend(lib.array(source), lib.array(target), lib.array(mask), tol=1e-9))
    np.testing.assert_allclose(y, target, atol=1e-6)
