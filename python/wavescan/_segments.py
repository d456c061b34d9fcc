# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Scans, recurrences and reductions that begin anew in every segment of an array."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import Call, library_of
from ._errors import explains_errors

__all__ = ["segmented_linear_recurrence", "segmented_reduce", "segmented_scan"]


def _check_one(function, offsets, heads):
    if (offsets is None) == (heads is None):
        raise ValueError(
            f"wavescan.{function}: one of 'offsets' and 'heads' must be given, got "
            f"{'neither' if offsets is None else 'both'}"
        )


@explains_errors
def segmented_scan(
    x: Any,
    op: str = "add",
    *,
    offsets: Any = None,
    heads: Any = None,
    exclusive: bool = False,
    reverse: bool = False,
    initial: float | None = None,
    out: Any = None,
) -> Any:
    """Scan every segment of an array.

    Parameters
    ----------
    x : array
        Of one dimension, of float32, float64, int32 or int64.
    op : {'add', 'maximum', 'minimum'}
        The operator.
    offsets : array of int64, optional
        Segment ``s`` is ``x[offsets[s]:offsets[s + 1]]``: ascending numbers from 0 to the length of `x`,
        which is checked on hosts.
    heads : array of bool, optional
        Where segments begin, instead of `offsets`. The first element always begins one.
    exclusive, reverse
        As for `scan`, within each segment.
    initial : number, optional
        A value before the first element of every segment.
    out : array, optional
        Where the result goes; may be `x` itself.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.segmented_scan(np.array([1, 2, 3, 4]), offsets=np.array([0, 2, 4]))
    array([1, 3, 3, 7])
    """
    name = "segmented_scan"
    _check_one(name, offsets, heads)
    call = Call(name, x=x, offsets=offsets, heads=heads)
    return call.run(_core.segmented_scan, out, op, exclusive, reverse, initial)


@explains_errors
def segmented_linear_recurrence(
    a: Any,
    x: Any,
    *,
    offsets: Any = None,
    heads: Any = None,
    reverse: bool = False,
    out: Any = None,
) -> Any:
    """Linear recurrence that begins anew in every segment: ``y[j] = a[j] * y[j-1] + x[j]``.

    Parameters
    ----------
    a, x : arrays
        Of one dimension and one length, of float32, float64, complex64 or complex128.
    offsets, heads
        As for `segmented_scan`.
    reverse : bool
        Whether to run from the last element of every segment to its first.
    out : array, optional
        Where the result goes; may be `x` or `a` itself.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Examples
    --------
    Discounted returns of two episodes:

    >>> import numpy as np, wavescan
    >>> rewards = np.array([1.0, 0.0, 4.0, 1.0, 1.0])
    >>> wavescan.segmented_linear_recurrence(
    ...     np.full(5, 0.5), rewards, offsets=np.array([0, 3, 5]), reverse=True)
    array([2. , 2. , 4. , 1.5, 1. ])
    """
    name = "segmented_linear_recurrence"
    _check_one(name, offsets, heads)
    call = Call(name, x=x, a=a, offsets=offsets, heads=heads)
    return call.run(_core.segmented_recurrence, out, reverse)


@explains_errors
def segmented_reduce(
    x: Any,
    op: str = "add",
    *,
    offsets: Any,
    initial: float | None = None,
    out: Any = None,
) -> Any:
    """Reduce every segment of an array.

    Parameters
    ----------
    x : array
        Of one dimension, of float32, float64, int32 or int64.
    op : {'add', 'maximum', 'minimum'}
        The operator.
    offsets : array of int64
        Segment ``s`` is ``x[offsets[s]:offsets[s + 1]]``. Segments may be empty: their result is
        `initial`, or else the operator's identity.
    initial : number, optional
        A value before the first element of every segment.
    out : array, optional
        Where the results go: one for each segment.

    Returns
    -------
    array
        One number for each segment, of the dtype of `x`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.segmented_reduce(np.array([1, 2, 3, 4]), offsets=np.array([0, 3, 3, 4]))
    array([6, 0, 4])
    """
    library_of(offsets, "segmented_reduce", "offsets")
    call = Call("segmented_reduce", x=x, offsets=offsets)
    segments = max(int(offsets.shape[0]) - 1, 0) if offsets.ndim else 0
    result = call.result(out, (segments,))
    call.enqueue(_core.segmented_reduce, op, initial, out=result)
    return call.finish(result)
