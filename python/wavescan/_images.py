# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Summed-area tables, and filters whose cost does not depend on their window."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import Call
from ._errors import explains_errors

__all__ = [
    "integral",
    "integral_histogram",
    "integral_image",
    "threshold_sauvola",
    "uniform_filter",
]


@explains_errors
def integral_image(image: Any, *, dtype: str | None = None, out: Any = None) -> Any:
    """Summed-area table, as `skimage.transform.integral_image`: sums over ``image[:i+1, :j+1]``.

    Parameters
    ----------
    image : array of shape (rows, columns)
        Of uint8, bool, int32, int64, float32 or float64.
    dtype : str, optional
        Of the table. By default int64 for images of bytes, else that of the image. Images of bytes
        have tables of 'int32', 'int64', 'float32' or 'float64', those of float32 also of 'float64'.
    out : array, optional
        Where the table goes.

    Returns
    -------
    array
        Of the shape of `image`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.integral_image(np.ones((2, 3)))
    array([[1., 2., 3.],
           [2., 4., 6.]])
    """
    call = Call("integral_image", image=image)
    if dtype is None and call.namespace.dtype_name(image) in ("uint8", "bool"):
        dtype = "int64"
    table = call.result(out, dtype=dtype)
    call.enqueue(_core.integral_image, "integral_image", False, out=table)
    return call.finish(table)


@explains_errors
def integral(src: Any, *, sdepth: str | None = None) -> Any:
    """Summed-area table with a first row and column of zeros, as `cv2.integral`.

    Parameters
    ----------
    src : array of shape (rows, columns)
        As for `integral_image`.
    sdepth : str, optional
        The table's dtype: by default int32 for images of bytes, float64 for floating point, else
        that of the image.

    Returns
    -------
    array
        Of shape (rows + 1, columns + 1).

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.integral(np.ones((1, 3), np.uint8))
    array([[0, 0, 0, 0],
           [0, 1, 2, 3]], dtype=int32)
    """
    call = Call("integral", src=src)
    if sdepth is None:
        sdepth = {"uint8": "int32", "bool": "int32", "float32": "float64"}.get(
            call.namespace.dtype_name(src)
        )
    if src.ndim != 2:
        raise ValueError(f"wavescan.integral: 'src' must have 2 dimensions, got shape {tuple(src.shape)}")
    table = call.result(shape=(src.shape[0] + 1, src.shape[1] + 1), dtype=sdepth)
    call.enqueue(_core.integral_image, "integral", True, out=table)
    return call.finish(table)


def _mirrored(library, image, radius, mode):
    """The image with as many rows and columns around it as a window reaches beyond it: 'reflect' is
    d c b a | a b c d | d c b a, as SciPy calls it, 'mirror' d c b | a b c d | c b a."""
    import numpy

    def rows(n):
        repeated = 1 if mode == "reflect" else 0
        period = max(2 * (n - 1 + repeated), 1)
        index = numpy.arange(-radius, n + radius) % period
        return numpy.where(index < n, index, period - repeated - index)

    for axis in range(2):
        image = library.take(image, library.array(rows(image.shape[axis]), image, "int64"), axis)
    return image


def _window(function: str, name: str, size: Any) -> int:
    if not isinstance(size, int) or size < 1 or size % 2 == 0:
        raise ValueError(f"wavescan.{function}: '{name}' must be an odd number of pixels, got {size}")
    return size // 2


def _moments(call, image, radius, mode, mean_dtype, with_variance):
    """Means, and variances where they are wanted, over windows."""
    function, library = call.function, call.namespace
    if mode not in ("reflect", "mirror", "shrink"):
        raise ValueError(
            f"wavescan.{function}: 'mode' must be 'reflect', 'mirror' or 'shrink', got {mode!r}"
        )
    if image.ndim != 2:
        raise ValueError(
            f"wavescan.{function}: 'image' must have 2 dimensions, got shape {tuple(image.shape)}"
        )
    is_padded = mode != "shrink" and radius > 0 and 0 not in image.shape
    source = _mirrored(library, image, radius, mode) if is_padded else image
    call = Call(function, image=source)
    mean = call.result(dtype=mean_dtype)
    variance = call.result(dtype=mean_dtype) if with_variance else None
    call.enqueue(_core.window_moments, function, radius, out=mean, variance=variance)
    results = [call.finish(result) for result in (mean, variance) if result is not None]
    return [r[radius:-radius, radius:-radius] for r in results] if is_padded else results


@explains_errors
def uniform_filter(image: Any, size: int = 3, *, mode: str = "reflect") -> Any:
    """Mean over a square window around each pixel, as `scipy.ndimage.uniform_filter`.

    The time does not depend on the window's size. Sums are kept in double precision or integers.

    Parameters
    ----------
    image : array of shape (rows, columns)
        Of uint8, float32 or float64. Means of bytes are rounded to nearest.
    size : int
        Side of the window in pixels, odd.
    mode : {'reflect', 'mirror', 'shrink'}
        What windows see beyond the border: the mirrored image, with the border's pixels twice or
        once; or nothing, so that they have fewer pixels there (which needs no copy of the image).

    Returns
    -------
    array
        Of the shape and dtype of `image`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> image = np.zeros((3, 3)); image[1, 1] = 9
    >>> wavescan.uniform_filter(image, 3)
    array([[1., 1., 1.],
           [1., 1., 1.],
           [1., 1., 1.]])
    """
    radius = _window("uniform_filter", "size", size)
    return _moments(Call("uniform_filter", image=image), image, radius, mode, None, False)[0]


@explains_errors
def threshold_sauvola(
    image: Any, window_size: int = 15, k: float = 0.2, r: float | None = None, *, mode: str = "mirror"
) -> Any:
    """Sauvola's local threshold, as `skimage.filters.threshold_sauvola`: ``m * (1 + k * (s / r - 1))``.

    m and s are mean and standard deviation of the window around a pixel. The time does not depend on
    the window's size.

    Parameters
    ----------
    image : array of shape (rows, columns)
        Of uint8, float32 or float64.
    window_size : int
        Side of the window in pixels, odd.
    k : float
        Weight of the deviation.
    r : float, optional
        The largest deviation: by default 127.5 for bytes, else 1, half the range from -1 to 1 of
        such images.
    mode : {'mirror', 'reflect', 'shrink'}
        As for `uniform_filter`; scikit-image's is 'mirror'.

    Returns
    -------
    array
        Thresholds: float64 for images of bytes, else of the dtype of `image`. ``image > thresholds``
        is the foreground.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.threshold_sauvola(np.full((2, 2), 100, np.uint8), 3, k=0.5)
    array([[50., 50.],
           [50., 50.]])
    """
    name = "threshold_sauvola"
    radius = _window(name, "window_size", window_size)
    call = Call(name, image=image)
    is_bytes = call.namespace.dtype_name(image) in ("uint8", "bool")
    if r is None:
        r = 127.5 if is_bytes else 1.0
    mean, variance = _moments(call, image, radius, mode, "float64" if is_bytes else None, True)
    return mean * (1 + k * (variance**0.5 / r - 1))


@explains_errors
def integral_histogram(
    image: Any,
    bins: int = 32,
    range: tuple[float, float] = (0, 256),  # noqa: A002 (numpy.histogram's name)
    *,
    dtype: str = "int32",
    out: Any = None,
) -> Any:
    """Integral histogram: ``h[z, i, j]`` counts the pixels of bin z in ``image[:i+1, :j+1]``.

    Four entries of each bin give the histogram of any rectangle.

    Parameters
    ----------
    image : array of shape (rows, columns)
        Of uint8 or float32.
    bins : int
        Number of bins of equal width.
    range : (float, float)
        What the bins cover, half open; pixels outside are not counted.
    dtype : {'int32', 'int64'}
        Of the counts.
    out : array, optional
        Where the histogram goes.

    Returns
    -------
    array
        Of shape (bins, rows, columns).

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.integral_histogram(np.array([[0, 200, 255]], np.uint8), 2)[:, 0]
    array([[1, 1, 1],
           [0, 1, 2]], dtype=int32)
    """
    call = Call("integral_histogram", image=image)
    if out is None and bins < 1:
        raise ValueError(f"wavescan.integral_histogram: 'bins' must be at least 1, got {bins}")
    try:
        lower, upper = map(float, range)
    except (TypeError, ValueError):
        raise TypeError(
            f"wavescan.integral_histogram: 'range' must be two numbers, got {range!r}"
        ) from None
    histogram = call.result(out, (bins, *image.shape), dtype)
    call.enqueue(_core.integral_histogram, lower, upper, out=histogram)
    return call.finish(histogram)
