# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Successive over-relaxation, and what it restores and blends."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import _core
from ._arrays import Call, library_of
from ._errors import explains_errors

__all__ = ["SolveReport", "inpaint_harmonic", "optimal_omega", "poisson_blend", "poisson_solve", "sor"]


@dataclass(frozen=True)
class SolveReport:
    """How a solve went.

    Attributes
    ----------
    converged : bool
        Whether the tolerance was reached.
    reason : str
        Why it stopped.
    sweeps : int
        How many sweeps there were.
    history : list of (int, float)
        Sweeps and residuals of every check.
    """

    converged: bool
    reason: str
    sweeps: int
    history: list[tuple[int, float]] = field(repr=False)


@explains_errors
def optimal_omega(rows: int, columns: int, planes: int | None = None) -> float:
    """The relaxation factor with which Poisson's equation converges fastest on so many unknowns, in
    two or three dimensions.

    Parameters
    ----------
    rows, columns, planes : int
        Unknowns along each dimension.

    Returns
    -------
    float
        Between 1 and 2, for `sor`.

    Examples
    --------
    >>> import wavescan
    >>> round(wavescan.optimal_omega(100, 100), 4)
    1.9397
    """
    return _core.best_omega([rows, columns] if planes is None else [planes, rows, columns])


@explains_errors
def sor(
    x: Any,
    rhs: Any = None,
    *,
    fixed: Any = None,
    omega: float = 1.0,
    h: float = 1.0,
    sweeps: int = 1,
    order: str = "forward",
    out: Any = None,
) -> Any:
    """Relax ``-laplace(u) = rhs`` by sweeps of SOR in natural order, with five points or, in three
    dimensions, seven.

    Every sweep is that of the plain loop over planes, rows and columns, bit for bit.

    Parameters
    ----------
    x : array of shape (rows, columns) or (planes, rows, columns)
        The guess, of float32 or float64; its outermost planes, rows and columns are boundary values.
        What is relaxed in place may have any strides in two dimensions, in three none that are
        negative.
    rhs : array, optional
        Of the shape and dtype of `x`; zero if left out.
    fixed : array of bool, optional
        Points to hold fixed, of the shape of `x`.
    omega : float
        Relaxation factor in (0, 2); 1 is Gauss and Seidel's method. See `optimal_omega`.
    h : float
        Mesh width.
    sweeps : int
        How many.
    order : {'forward', 'backward', 'symmetric'}
        In which order points are visited.
    out : array, optional
        Where the result goes; may be `x` itself, which is then relaxed in place.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> x = np.zeros((3, 3)); x[0, 1] = 4
    >>> wavescan.sor(x)[1, 1]
    np.float64(1.0)
    >>> box = np.zeros((3, 3, 3)); box[0, 1, 1] = 6
    >>> wavescan.sor(box)[1, 1, 1]
    np.float64(1.0)
    """
    call = Call("sor", x=x, rhs=rhs, fixed=fixed)
    omega = _factor("sor", omega)
    call.inputs["x"] = u = _start(call, x, out)
    if 0 in tuple(x.shape):
        return call.finish(u)
    call.enqueue(_core.sor, omega, float(h), order, sweeps)
    return call.finish(u)


def _factor(function: str, omega: float | None) -> float:
    """A relaxation factor; 0, which stands for the best one, if it is None."""
    if omega is None:
        return 0.0
    if not 0 < float(omega) < 2:
        raise ValueError(f"wavescan.{function}: 'omega' must lie in (0, 2), got {omega}")
    return float(omega)


def _start(call, x, out):
    """The array that is relaxed: the caller's or a copy."""
    if out is None:
        return call.namespace.copy(x)
    call.result(out)
    if out is not x:
        if tuple(out.shape) != tuple(x.shape):
            raise ValueError(
                f"wavescan.{call.function}: 'out' must have the shape of 'x' {tuple(x.shape)}, got "
                f"{tuple(out.shape)}"
            )
        out[...] = x
    return out


def _solve(call, u, rhs, fixed, omega, h, tol, rtol, max_sweeps, check_every):
    call.inputs = {"x": u, "rhs": rhs, "fixed": fixed}
    omega = _factor(call.function, omega)
    stop = float(tol), float(rtol), max_sweeps, check_every
    return SolveReport(
        *call.enqueue(_core.sor_solve, call.function, omega, float(h), "forward", *stop)
    )


@explains_errors
def poisson_solve(
    x: Any,
    rhs: Any = None,
    *,
    fixed: Any = None,
    omega: float | None = None,
    h: float = 1.0,
    tol: float = 1e-6,
    rtol: float = 0.0,
    max_sweeps: int = 10000,
    check_every: int = 10,
    out: Any = None,
) -> tuple[Any, SolveReport]:
    """Solve ``-laplace(u) = rhs`` on a rectangle or a box by SOR.

    Parameters
    ----------
    x : array of shape (rows, columns) or (planes, rows, columns)
        The guess, of float32 or float64; its outermost planes, rows and columns are boundary values.
    rhs, fixed, h, out
        As for `sor`.
    omega : float, optional
        Relaxation factor; by default the best one for the whole rectangle or box.
    tol, rtol : float
        Converged when the root mean square of the residual is at most `tol`, or `rtol` times the
        initial one.
    max_sweeps, check_every : int
        When to stop in any case, and how often to look.

    Returns
    -------
    u : array
        The solution, of the shape and dtype of `x`. Waits for it.
    report : SolveReport

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> x = np.zeros((20, 20)); x[0] = 1
    >>> u, report = wavescan.poisson_solve(x, tol=1e-9)
    >>> report.converged
    True
    >>> box = np.zeros((8, 9, 10)); box[0] = 1
    >>> u, report = wavescan.poisson_solve(box, tol=1e-9)
    >>> report.converged
    True
    """
    call = Call("poisson_solve", x=x, rhs=rhs, fixed=fixed)
    u = _start(call, x, out)
    report = _solve(call, u, rhs, fixed, omega, h, tol, rtol, max_sweeps, check_every)
    return call.finish(u), report


def _require_image(function, library, image, mask, channel_axis):
    library_of(mask, function, "mask")
    dtype = library.dtype_name(image)
    if dtype not in ("uint8", "float32", "float64"):
        raise TypeError(
            f"wavescan.{function}: 'image' must be of uint8, float32 or float64, got {dtype}"
        )
    wanted = 2 if channel_axis is None else 3
    if image.ndim != wanted:
        raise ValueError(
            f"wavescan.{function}: 'image' must have {wanted} dimensions with channel_axis="
            f"{channel_axis}, got shape {tuple(image.shape)}"
        )
    shape = list(image.shape)
    if channel_axis is not None:
        if not -3 <= channel_axis < 3:
            raise ValueError(
                f"wavescan.{function}: 'channel_axis' must be from -3 to 2, got {channel_axis}"
            )
        del shape[channel_axis]
    if tuple(mask.shape) != tuple(shape):
        raise ValueError(
            f"wavescan.{function}: 'mask' must have the shape {tuple(shape)}, got {tuple(mask.shape)}"
        )
    return dtype


def _channels(image, channel_axis):
    """Where each channel is, as an index."""
    if channel_axis is None:
        return [(...,)]
    axis = channel_axis % 3
    return [(slice(None),) * axis + (c,) for c in range(image.shape[axis])]


def _on_host(x):
    """A small array as NumPy's, wherever it is."""
    import numpy

    for method in ("get", "cpu"):
        if hasattr(x, method) and not isinstance(x, numpy.ndarray):
            x = getattr(x, method)()
    try:
        return numpy.asarray(x)
    except (TypeError, RuntimeError):
        return numpy.from_dlpack(x)


def _along_border(values, lost):
    """Linear interpolation of lost values along a closed line."""
    import numpy

    if not lost.any():
        return values
    if lost.all():
        return numpy.full_like(values, 0)
    n = len(values)
    known = numpy.flatnonzero(~lost)
    filled = values.copy()
    filled[lost] = numpy.interp(numpy.flatnonzero(lost), known, values[known], period=n)
    return filled


def _border_index(rows, columns):
    """The pixels of the border, once around."""
    import numpy

    top = [(0, j) for j in range(columns)]
    right = [(i, columns - 1) for i in range(1, rows)]
    bottom = [(rows - 1, j) for j in range(columns - 2, -1, -1)] if rows > 1 else []
    left = [(i, 0) for i in range(rows - 2, 0, -1)] if columns > 1 else []
    index = numpy.array(top + right + bottom + left)
    return index[:, 0], index[:, 1]


def _hole_omega(mask):
    """The factor for the largest hole, whose size is guessed by how far pixels are from its edge."""
    import numpy

    reach, rest = 1, mask
    while rest.any() and reach < 4096:  # doubling steps: cheap for any hole
        step = reach
        smaller = numpy.zeros_like(rest)
        inner = rest[step:-step, step:-step]
        if inner.size == 0:
            break
        smaller[step:-step, step:-step] = (
            inner
            & rest[: -2 * step, step:-step]
            & rest[2 * step :, step:-step]
            & rest[step:-step, : -2 * step]
            & rest[step:-step, 2 * step :]
        )
        rest = smaller
        reach *= 2
    return _core.best_omega([4 * reach, 4 * reach])


@explains_errors
def inpaint_harmonic(
    image: Any,
    mask: Any,
    *,
    channel_axis: int | None = None,
    tol: float = 1e-3,
    max_sweeps: int = 5000,
    omega: float | None = None,
) -> Any:
    """Fill holes of an image smoothly: lost pixels satisfy Laplace's equation.

    Arguments as those of `skimage.restoration.inpaint_biharmonic`, which is smoother across the holes'
    edges and takes far longer.

    Parameters
    ----------
    image : array
        Of shape (rows, columns), or of 3 dimensions with `channel_axis`; uint8, float32 or float64.
    mask : array of bool
        Where pixels are lost, of shape (rows, columns). On the image's border they are interpolated
        along it first.
    channel_axis : int, optional
        The axis that counts channels.
    tol : float
        How far the root mean square of the residual shall fall, as a fraction of the initial one.
    max_sweeps : int
        When to stop in any case.
    omega : float, optional
        Relaxation factor; by default chosen by the size of the holes.

    Returns
    -------
    array
        Of the shape and dtype of `image`; bytes are rounded.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> image = np.tile(np.arange(8.0), (8, 1))
    >>> lost = np.zeros((8, 8), bool); lost[3:5, 3:5] = True
    >>> damaged = np.where(lost, 0, image)
    >>> bool(np.allclose(wavescan.inpaint_harmonic(damaged, lost, tol=1e-9), image))
    True
    """
    name = "inpaint_harmonic"
    call = Call(name, image=image, mask=mask)
    library = call.namespace
    dtype = _require_image(name, library, image, mask, channel_axis)
    import numpy

    lost = _on_host(mask).astype(bool)
    rows, columns = lost.shape
    if lost.size == 0 or not lost.any():
        return call.finish(library.copy(image))
    if omega is None:
        omega = _hole_omega(lost)
    border = _border_index(rows, columns)
    lost_on_border = lost[border]
    fixed = library.array(~lost, image, "bool")
    result = library.copy(image)
    work = "float32" if dtype == "uint8" else dtype
    reads_host = lost_on_border.any() or library.name in ("jax", "array API")
    for index in _channels(image, channel_axis):
        channel = image[index]
        if reads_host:
            start = _filled_start(_on_host(channel), work, lost, border, lost_on_border)
            u = library.copy(library.array(start, image, work))
        else:
            u = library.copy(channel, work, (rows, columns))
            u[library.array(lost, image, "bool")] = float(u[fixed].mean())
        _solve(call, u, None, fixed, omega, 1.0, 0.0, tol, max_sweeps, 10)
        u = call.finish(u)
        if dtype == "uint8":
            u = library.to_bytes(u)
        if library.name == "jax" and not isinstance(result, numpy.ndarray):
            result = result.at[index].set(u)
        else:
            result[index] = u
    return call.finish(result)


def _filled_start(channel, work, lost, border, lost_on_border):
    """The channel with the mean of what is known in its holes, and its border interpolated."""
    import numpy

    start = channel.astype(work)
    start[border] = _along_border(start[border], lost_on_border)
    inside = lost.copy()
    inside[border] = False
    known = ~lost
    start[inside] = start[known].mean() if known.any() else 0
    return start


@explains_errors
def poisson_blend(
    source: Any,
    target: Any,
    mask: Any,
    *,
    channel_axis: int | None = None,
    tol: float = 1e-3,
    max_sweeps: int = 5000,
    omega: float | None = None,
) -> Any:
    """Paste a part of one image into another without a seam (Pérez, Gangnet and Blake, 2003).

    Inside the mask the result has the gradients of `source`, and it continues `target` at the
    mask's edge.

    Parameters
    ----------
    source, target : arrays
        Of one shape: (rows, columns), or 3 dimensions with `channel_axis`; uint8, float32 or float64.
    mask : array of bool
        Where `source` is pasted; pixels of the image's border are not.
    channel_axis, tol, max_sweeps, omega
        As for `inpaint_harmonic`.

    Returns
    -------
    array
        Of the shape and dtype of `target`; bytes are rounded.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> target = np.tile(np.arange(8.0), (8, 1))
    >>> mask = np.zeros((8, 8), bool); mask[2:6, 2:6] = True
    >>> bool(np.allclose(wavescan.poisson_blend(target + 100, target, mask, tol=1e-9), target))
    True
    """
    name = "poisson_blend"
    call = Call(name, target=target, source=source, mask=mask)
    library = call.namespace
    dtype = _require_image(name, library, target, mask, channel_axis)
    library_of(source, name, "source")
    if tuple(source.shape) != tuple(target.shape) or library.dtype_name(source) != dtype:
        raise ValueError(
            f"wavescan.{name}: 'source' must have the shape and dtype of 'target', "
            f"{tuple(target.shape)} {dtype}; got {tuple(source.shape)} {library.dtype_name(source)}"
        )
    if library.name == "jax":
        raise TypeError("wavescan.poisson_blend: 'target' must be an array that can be written, not JAX's")
    if library.dtype_name(mask) != "bool":
        raise TypeError(
            f"wavescan.{name}: 'mask' must be of bool, got {library.dtype_name(mask)}"
        )
    if omega is None:
        omega = _hole_omega(_on_host(mask).astype(bool))
    fixed = ~mask
    result = library.copy(target)
    work = "float32" if dtype == "uint8" else dtype
    shape = tuple(mask.shape)
    for index in _channels(target, channel_axis):
        s = library.copy(source[index], work, shape)
        u = library.copy(target[index], work, shape)
        rhs = library.copy(s)
        if min(shape) > 2:
            rhs[1:-1, 1:-1] = (
                4 * s[1:-1, 1:-1] - s[:-2, 1:-1] - s[2:, 1:-1] - s[1:-1, :-2] - s[1:-1, 2:]
            )
        _solve(call, u, rhs, fixed, omega, 1.0, 0.0, tol, max_sweeps, 10)
        result[index] = library.to_bytes(u) if dtype == "uint8" else u
    return call.finish(result)
