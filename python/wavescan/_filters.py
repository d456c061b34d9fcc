# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Digital filters, with SciPy's names, arguments and meanings."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import Call, run_on
from ._errors import explains_errors

__all__ = [
    "filtfilt",
    "lfilter",
    "lfilter_zi",
    "lfiltic",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
]


def _coefficients(function: str, argument: str, values: Any) -> list[float]:
    """Coefficients of a filter: a sequence or an array of one dimension, or a number."""
    if type(values) is list and all(type(v) is float for v in values):
        return values
    try:
        if hasattr(values, "tolist"):
            values = values.tolist()
        if isinstance(values, (int, float)):
            values = [values]
        return [float(v) for v in values]
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"wavescan.{function}: '{argument}' must be a sequence of real numbers, got "
            f"{type(values).__name__}"
        ) from error


def _sections(function: str, sos: Any) -> list[list[float]]:
    rows = sos.tolist() if hasattr(sos, "tolist") else sos
    try:
        rows = [[float(v) for v in row] for row in rows]
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"wavescan.{function}: 'sos' must be an array of real numbers of shape (sections, 6)"
        ) from error
    for row in rows:
        if len(row) != 6:
            raise ValueError(
                f"wavescan.{function}: 'sos' must have the shape (sections, 6), got a row of {len(row)}"
            )
    return rows


def _lfilter(b, a, x, axis=-1, zi=None, out=None, reverse=False):
    """`lfilter`, backwards if asked for."""
    b, a = _coefficients("lfilter", "b", b), _coefficients("lfilter", "a", a)
    if zi is None:
        return run_on(_core.lfilter, "lfilter", x, out, b, a, axis, reverse, states=(None,))
    call = Call("lfilter", x=x, zi=zi)
    states = call.shape_along(axis, max(len(a), len(b)) - 1)
    return _with_states(call, states, out, _core.lfilter, b, a, axis, reverse)


def _with_states(call, shape, out, run, *values):
    """A filter's result, and the state after it."""
    result, zf = call.result(out), call.result(shape=shape)
    call.enqueue(run, *values, out=result, zf=zf)
    return call.finish(result), call.finish(zf)


@explains_errors
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None, *, out: Any = None) -> Any:
    """Filter along an axis by a transfer function, as `scipy.signal.lfilter` does.

    ``a[0] y[n] = b[0] x[n] + b[1] x[n-1] + ... - a[1] y[n-1] - a[2] y[n-2] - ...``

    Parameters
    ----------
    b, a : sequences of real numbers
        Numerator and denominator, up to 17 coefficients each.
    x : array
        Of float32, float64, complex64 or complex128; computed in that precision.
    axis : int
        The axis to filter along.
    zi : array, optional
        The state before the first sample: of the shape and dtype of `x`, but
        ``max(len(a), len(b)) - 1`` along the axis; may be broadcast.
    out : array, optional
        Where the result goes; may be `x` itself.

    Returns
    -------
    y : array
        Of the shape and dtype of `x`.
    zf : array
        The state after the last sample; only if `zi` was given.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.lfilter([1.0], [1.0, -0.5], np.array([1.0, 0.0, 0.0, 0.0]))
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    return _lfilter(b, a, x, axis, zi, out)


@explains_errors
def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None, *, out: Any = None) -> Any:
    """Filter along an axis by a cascade of second-order sections, as `scipy.signal.sosfilt` does.

    Parameters
    ----------
    sos : array of shape (sections, 6)
        Rows of ``b0, b1, b2, a0, a1, a2``.
    x : array
        Of float32, float64, complex64 or complex128.
    axis : int
        The axis to filter along.
    zi : array, optional
        The states before the first sample: of the shape (sections,) + that of `x`, but 2 along the
        axis.
    out : array, optional
        Where the result goes; may be `x` itself.

    Returns
    -------
    y : array
        Of the shape and dtype of `x`.
    zf : array
        The states after the last sample; only if `zi` was given.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.sosfilt([[1, 0, 0, 1, -0.5, 0]], np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    sos = _sections("sosfilt", sos)
    if zi is None:
        return run_on(_core.sosfilt, "sosfilt", x, out, sos, axis, states=(None,))
    call = Call("sosfilt", x=x, zi=zi)
    states = (len(sos), *call.shape_along(axis, 2))
    return _with_states(call, states, out, _core.sosfilt, sos, axis)


@explains_errors
def filtfilt(
    b: Any,
    a: Any,
    x: Any,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
    *,
    out: Any = None,
) -> Any:
    """Filter forwards and backwards, without delay, as `scipy.signal.filtfilt` does (method 'pad').

    Parameters
    ----------
    b, a : sequences of real numbers
        Numerator and denominator, up to 17 coefficients each.
    x : array
        Of float32, float64, complex64 or complex128.
    axis : int
        The axis to filter along.
    padtype : {'odd', 'even', 'constant', None}
        How lines are continued beyond their ends.
    padlen : int, optional
        By how many samples; ``3 * max(len(a), len(b))`` by default.
    out : array, optional
        Where the result goes; may be `x` itself.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.filtfilt([0.5, 0.5], [1.0], np.ones(8))
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    b, a = _coefficients("filtfilt", "b", b), _coefficients("filtfilt", "a", a)
    return run_on(_core.filtfilt, "filtfilt", x, out, b, a, axis, *_padding(padtype, padlen))


@explains_errors
def sosfiltfilt(
    sos: Any,
    x: Any,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
    *,
    out: Any = None,
) -> Any:
    """Filter forwards and backwards by sections, as `scipy.signal.sosfiltfilt` does.

    Parameters
    ----------
    sos : array of shape (sections, 6)
        Rows of ``b0, b1, b2, a0, a1, a2``.
    x, axis, padtype, padlen, out
        As for `filtfilt`.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> wavescan.sosfiltfilt([[0.5, 0.5, 0, 1, 0, 0]], np.ones(8)).sum()
    np.float64(8.0)
    """
    sos = _sections("sosfiltfilt", sos)
    return run_on(_core.sosfiltfilt, "sosfiltfilt", x, out, sos, axis, *_padding(padtype, padlen))


def _padding(padtype: str | None, padlen: int | None) -> tuple[str, int]:
    if padlen == 0:
        padtype = None
    return ("none" if padtype is None else padtype), (-1 if padlen is None else padlen)


@explains_errors
def lfilter_zi(b: Any, a: Any) -> Any:
    """The state in which a filter stays while its input is one, as `scipy.signal.lfilter_zi`.

    Parameters
    ----------
    b, a : sequences of real numbers
        Numerator and denominator, without a pole at 1.

    Returns
    -------
    numpy.ndarray
        ``max(len(a), len(b)) - 1`` numbers.

    Examples
    --------
    >>> import wavescan
    >>> wavescan.lfilter_zi([1.0], [1.0, -0.5])
    array([1.])
    """
    import numpy

    return numpy.array(
        _core.lfilter_zi(_coefficients("lfilter_zi", "b", b), _coefficients("lfilter_zi", "a", a))
    )


@explains_errors
def sosfilt_zi(sos: Any) -> Any:
    """`lfilter_zi` of a cascade, as `scipy.signal.sosfilt_zi`.

    Parameters
    ----------
    sos : array of shape (sections, 6)
        Rows of ``b0, b1, b2, a0, a1, a2``.

    Returns
    -------
    numpy.ndarray
        Of shape (sections, 2).

    Examples
    --------
    >>> import wavescan
    >>> wavescan.sosfilt_zi([[1, 0, 0, 1, -0.5, 0]])
    array([[1., 0.]])
    """
    import numpy

    return numpy.array(_core.sosfilt_zi(_sections("sosfilt_zi", sos))).reshape(-1, 2)


@explains_errors
def lfiltic(b: Any, a: Any, y: Any, x: Any = ()) -> Any:
    """The state of a filter from outputs and inputs before, latest first, as `scipy.signal.lfiltic`.

    Parameters
    ----------
    b, a : sequences of real numbers
        Numerator and denominator.
    y, x : sequences of real numbers
        What came out and what came in, the latest sample first; what is missing is zero.

    Returns
    -------
    numpy.ndarray
        ``max(len(a), len(b)) - 1`` numbers.

    Examples
    --------
    >>> import wavescan
    >>> wavescan.lfiltic([1.0], [1.0, -0.5], [2.0])
    array([1.])
    """
    import numpy

    named = [("b", b), ("a", a), ("y", y), ("x", () if x is None else x)]
    return numpy.array(_core.lfiltic(*(_coefficients("lfiltic", n, v) for n, v in named)))
