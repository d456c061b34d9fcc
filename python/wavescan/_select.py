# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Selections: elements or rows, in their order."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import Call
from ._errors import explains_errors

__all__ = ["compress", "partition", "unique_consecutive"]


def _move(function, run, condition, a, out):
    call = Call(function, a=a, condition=condition)
    result = call.result(out)
    count = call.enqueue(run, out=result)
    return call.finish(result), count


@explains_errors
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


@explains_errors
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


@explains_errors
def unique_consecutive(
    x: Any, return_inverse: bool = False, return_counts: bool = False, *, out: Any = None
) -> Any:
    """The first element of each run of equal ones, as `torch.unique_consecutive`.

    Parameters
    ----------
    x : array
        Of one dimension, of float32, float64, int32, int64 or uint8. A NaN equals nothing.
    return_inverse : bool
        Whether to return, too, in which run each element of `x` is.
    return_counts : bool
        Whether to return, too, how long runs are.
    out : array, optional
        Of the shape and dtype of `x`, whose front receives the result; may be `x` itself.

    Returns
    -------
    result : array
        The front of `out`, or of a new array as large as `x`. Waits for the number of runs.
    inverse : array of int64
        Of the shape of `x`; only if asked for: ``result[inverse]`` is `x`.
    counts : array of int64
        As long as `result`; only if asked for.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> x = np.array([1, 1, 2, 2, 2, 1])
    >>> wavescan.unique_consecutive(x)
    array([1, 2, 1])
    >>> wavescan.unique_consecutive(x, return_inverse=True, return_counts=True)
    (array([1, 2, 1]), array([0, 0, 1, 1, 1, 2]), array([2, 3, 1]))
    """
    call = Call("unique_consecutive", x=x)
    result = call.result(out)
    inverse = call.result(dtype="int64") if return_inverse or return_counts else None
    counts = call.result(dtype="int64") if return_counts else None
    count = call.enqueue(
        _core.unique_consecutive, out=result, return_inverse=inverse, return_counts=counts
    )
    found = [call.finish(result)[:count]]
    if return_inverse:
        found.append(call.finish(inverse))
    if return_counts:
        found.append(call.finish(counts)[:count])
    return found[0] if len(found) == 1 else tuple(found)
