# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Scans and linear recurrences."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import Call, is_array, library_of, run_on
from ._errors import explains_errors
from ._filters import _lfilter

__all__ = ["cumulative_prod", "cumulative_sum", "linear_recurrence", "scan", "weighted_scan"]


@explains_errors
def scan(
    x: Any,
    op: str = "add",
    axis: int = -1,
    exclusive: bool = False,
    reverse: bool = False,
    initial: complex | None = None,
    *,
    out: Any = None,
) -> Any:
    """Scan along an axis: ``y[j] = x[0] op x[1] op ... op x[j]``.

    Parameters
    ----------
    x : array
        Of float32, float64, int32 or int64, of any shape and strides; sums also of complex64 and
        complex128. Integers wrap around.
    op : {'add', 'multiply', 'maximum', 'minimum'}
        The operator. Maxima and minima are NaN from the first NaN on.
    axis : int
        The axis to scan along.
    exclusive : bool
        Whether ``y[j]`` leaves out ``x[j]``; ``y[0]`` is then `initial`, or the operator's identity.
    reverse : bool
        Whether to scan from the last element to the first.
    initial : number, optional
        A value before the first element.
    out : array, optional
        Where the result goes; may be `x` itself.

    Returns
    -------
    array
        Of the shape and dtype of `x`; `out` if it was given.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.scan(np.array([3, 1, 4, 1, 5]), "maximum")
    array([3, 3, 4, 4, 5])
    >>> wavescan.scan(np.array([3, 1, 4, 1, 5]), exclusive=True)
    array([0, 3, 4, 8, 9])
    """
    return _scan("scan", x, op, axis, exclusive, reverse, initial, out)


def _scan(function, x, op, axis, exclusive, reverse, initial, out):
    return run_on(_core.scan, function, x, out, function, op, axis, exclusive, reverse, initial)


def _axis_of(function: str, x: Any, axis: int | None) -> int:
    if axis is not None:
        return axis
    if getattr(x, "ndim", 1) != 1:
        raise ValueError(
            f"wavescan.{function}: 'axis' must be given for arrays of more than one dimension, got "
            f"None for shape {tuple(x.shape)}"
        )
    return 0


@explains_errors
def cumulative_sum(
    x: Any, /, *, axis: int | None = None, include_initial: bool = False, out: Any = None
) -> Any:
    """Cumulative sum, as the array API standard has it.

    Unlike ``numpy.cumulative_sum`` it never changes the dtype: int32 stays int32.

    Parameters
    ----------
    x : array
        Of float32, float64, int32, int64, complex64 or complex128.
    axis : int, optional
        The axis to sum along; may be left out for one dimension.
    include_initial : bool
        Whether the result begins with a 0, and is longer by one.
    out : array, optional
        Where the result goes; may be `x` itself unless `include_initial`.

    Returns
    -------
    array
        Of the dtype of `x`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.cumulative_sum(np.array([1.0, 2.0, 3.0]))
    array([1., 3., 6.])
    >>> wavescan.cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    axis = _axis_of("cumulative_sum", x, axis)
    if include_initial:
        return _with_initial("cumulative_sum", x, "add", axis, 0, out)
    return _scan("cumulative_sum", x, "add", axis, False, False, None, out)


@explains_errors
def cumulative_prod(
    x: Any, /, *, axis: int | None = None, include_initial: bool = False, out: Any = None
) -> Any:
    """Cumulative product, as the array API standard has it; arguments as for `cumulative_sum`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.cumulative_prod(np.array([1.0, 2.0, 3.0]))
    array([1., 2., 6.])
    """
    axis = _axis_of("cumulative_prod", x, axis)
    if include_initial:
        return _with_initial("cumulative_prod", x, "multiply", axis, 1, out)
    return _scan("cumulative_prod", x, "multiply", axis, False, False, None, out)


def _with_initial(function, x, op, axis, first, out):
    call = Call(function, x=x)
    shape = call.shape_along(axis, x.shape[axis] + 1 if -x.ndim <= axis < x.ndim else 0)
    result = call.result(out, shape)
    if tuple(result.shape) != shape:
        raise ValueError(
            f"wavescan.{function}: 'out' must have the shape {shape}, got {tuple(result.shape)}"
        )
    before = (slice(None),) * (axis % x.ndim)
    try:
        result[before + (slice(0, 1),)] = first
    except TypeError as error:
        raise TypeError(
            f"wavescan.{function}: 'include_initial' must be False for arrays of {call.namespace.name} on "
            "GPUs"
        ) from error
    rest = result[before + (slice(1, None),)]
    call.enqueue(_core.scan, function, op, axis, False, False, None, out=rest)
    return call.finish(result)


@explains_errors
def weighted_scan(
    x: Any,
    weight: Any,
    algebra: str = "plus_times",
    *,
    axis: int = -1,
    exclusive: bool = False,
    reverse: bool = False,
    initial: Any = None,
    out: Any = None,
) -> Any:
    """Weighted scan along an axis: ``y[j] = (y[j-1] times weight[j]) plus x[j]``.

    Parameters
    ----------
    x : array
        Of float32, float64, int32 or int64; with 'plus_times' also complex64 or complex128.
    weight : number or array
        One for all elements, or one for each: an array of the shape and dtype of `x`.
    algebra : {'plus_times', 'max_plus', 'min_plus'}
        What *plus* and *times* mean: sum and product, maximum and sum, minimum and sum.
    axis, exclusive, reverse, out
        As for `scan`; ``exclusive`` gives ``y[j-1]`` in the place of ``y[j]``.
    initial : number or array, optional
        The state before the first element, ``y[-1]``: one, or an array of one for each line, of the
        shape of `x` without the axis, or with 1 there.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.weighted_scan(np.array([1.0, 1.0, 1.0, 1.0]), 0.5)
    array([1.   , 1.5  , 1.75 , 1.875])
    >>> wavescan.weighted_scan(np.array([0.0, 5.0, 0.0, 0.0]), -1.0, "max_plus")
    array([0., 5., 4., 3.])
    """
    return _weighted("weighted_scan", x, weight, algebra, axis, exclusive, reverse, initial, out)


def _weighted(function, x, weight, algebra, axis, exclusive, reverse, initial, out):
    library_of(x, function, "x")
    weights = initials = None
    if is_array(weight):
        weight, weights = None, weight
    if is_array(initial):
        initial, initials = None, initial
    if initials is not None and initials.ndim == x.ndim - 1:
        place = (slice(None),) * (axis if axis >= 0 else axis + x.ndim)
        initials = initials[place + (None,)]
    call = Call(function, x=x, a=weights, initial=initials)
    return call.run(
        _core.weighted_scan, out, function, algebra, weight, axis, exclusive, reverse, initial
    )


@explains_errors
def linear_recurrence(
    a: Any,
    x: Any,
    *,
    axis: int = -1,
    reverse: bool = False,
    initial: Any = None,
    out: Any = None,
) -> Any:
    """Linear recurrence along an axis: ``y[j] = a[j] * y[j-1] + x[j]``.

    Parameters
    ----------
    a : number, sequence of numbers, or array
        The coefficient: one for all elements; or one for each, an array of the shape and dtype of
        `x`. A sequence ``[a1, a2, ...]`` of up to 16 numbers is a recurrence of that order with
        constant coefficients, ``y[j] = a1 * y[j-1] + a2 * y[j-2] + ... + x[j]``; an array of the shape
        of `x` and a last dimension for the order, of float32 or float64, one with coefficients for
        each element, ``y[j] = a[j, 0] * y[j-1] + a[j, 1] * y[j-2] + ... + x[j]``.
    x : array
        Of float32, float64, complex64 or complex128; of order 1 also int32 or int64.
    axis : int
        The axis along which the recurrence runs.
    reverse : bool
        Whether it runs from the last element to the first, ``y[j] = a[j] * y[j+1] + x[j]``.
    initial : number or array, optional
        ``y[-1]``, of order 1: one, or an array of one for each line.
    out : array, optional
        Where the result goes; may be `x` or `a` itself.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Examples
    --------
    Discounted returns of an episode:

    >>> import numpy as np, wavescan
    >>> wavescan.linear_recurrence(0.5, np.array([1.0, 0.0, 4.0]), reverse=True)
    array([2., 2., 4.])

    Fibonacci's numbers, of order 2:

    >>> wavescan.linear_recurrence([1.0, 1.0], np.array([1.0, 0, 0, 0, 0, 0]))
    array([1., 1., 2., 3., 5., 8.])
    """
    library_of(x, "linear_recurrence", "x")
    if isinstance(a, (list, tuple)):
        if initial is not None:
            raise ValueError(
                "wavescan.linear_recurrence: 'initial' must be None with a sequence of coefficients; "
                "lfilter takes states"
            )
        return _lfilter([1.0], [1.0] + [-float(c) for c in a], x, axis, None, out, reverse)
    if is_array(a) and a.ndim == x.ndim + 1:
        if initial is not None:
            raise ValueError("wavescan.linear_recurrence: 'initial' must be None for orders above 1")
        return Call("linear_recurrence", x=x, a=a).run(_core.varying_recurrence, out, axis, reverse)
    return _weighted("linear_recurrence", x, a, "plus_times", axis, False, reverse, initial, out)
