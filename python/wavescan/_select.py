# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Selections: elements or rows, in their order."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import given_output, library_of, library_of_all

__all__ = ["compress", "partition", "unique_consecutive"]


def _move(function, call, condition, a, out):
    library = library_of_all(function, a=a, condition=condition)
    result = library.new(a) if out is None else given_output(library, function, out)
    stream = library.stream(a)
    count = call(
        library.capsule(condition, function, "condition", stream),
        library.capsule(a, function, "a", stream),
        library.capsule(result, function, "out", stream),
        stream,
    )
    return library.finish(result, stream), count


def compress(condition: Any, a: Any, *, out: Any = None) -> Any:
    """The elements of `a`, or its rows, where a condition holds, as `numpy.compress` along axis 0.

    Parameters
    ----------
    condition : array of bool
        One for each element of `a`, or for each row.
    a : array
        Of one or two dimensions and any type of 8 to 64 bits, complex numbers too.
    out : array, optional
        Of the shape and dtype of `a`, whose front receives the result; may be `a` itself.

    Returns
    -------
    array
        What was kept, in its order: the front of `out`, or of a new array as large as `a`. Waits
        for their number.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> a = np.array([5, 6, 7, 8])
    >>> wavescan.compress(a > 6, a)
    array([7, 8])
    """
    result, count = _move("compress", _core.compress, condition, a, out)
    return result[:count, ...]


def partition(condition: Any, a: Any, *, out: Any = None) -> tuple[Any, int]:
    """The elements of `a`, or its rows, where a condition holds before the others; both keep their order.

    Parameters
    ----------
    condition, a, out
        As for `compress`.

    Returns
    -------
    result : array
        Of the shape and dtype of `a`.
    count : int
        How many there are of which the condition holds.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> a = np.array([5, 6, 7, 8])
    >>> wavescan.partition(a % 2 == 0, a)
    (array([6, 8, 5, 7]), 2)
    """
    return _move("partition", _core.partition, condition, a, out)


def unique_consecutive(x: Any, *, out: Any = None) -> Any:
    """The first element of each run of equal ones, as `torch.unique_consecutive`.

    Parameters
    ----------
    x : array
        Of one dimension, of float32, float64, int32, int64 or uint8. A NaN equals nothing.
    out : array, optional
        Of the shape and dtype of `x`, whose front receives the result; may be `x` itself.

    Returns
    -------
    array
        The front of `out`, or of a new array as large as `x`. Waits for the number of runs.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.unique_consecutive(np.array([1, 1, 2, 2, 2, 1]))
    array([1, 2, 1])
    """
    name = "unique_consecutive"
    library = library_of(x, name, "x")
    result = library.new(x) if out is None else given_output(library, name, out)
    stream = library.stream(x)
    count = _core.unique_consecutive(
        library.capsule(x, name, "x", stream), library.capsule(result, name, "out", stream), stream
    )
    return library.finish(result, stream)[:count]
