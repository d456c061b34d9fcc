# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Batches of tridiagonal systems."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import Call
from ._errors import explains_errors

__all__ = ["solve_tridiagonal"]


@explains_errors
def solve_tridiagonal(
    dl: Any,
    d: Any,
    du: Any,
    b: Any,
    *,
    axis: int = -1,
    cyclic: bool = False,
    transposed: bool = False,
    out: Any = None,
) -> Any:
    """Solve tridiagonal systems: ``dl[i] x[i-1] + d[i] x[i] + du[i] x[i+1] = b[i]``.

    By elimination without pivoting, for matrices that are diagonally dominant or positive definite.

    Parameters
    ----------
    dl, d, du : arrays
        The lower diagonal, the diagonal and the upper one: of the shape of `b`; or of one dimension,
        the matrix of all systems. All are as long as a system: ``dl[0]`` and ``du[-1]`` do not matter
        unless systems are cyclic.
    b : array
        Right-hand sides, of float32 or float64, of any shape.
    axis : int
        The axis along which a system lies.
    cyclic : bool
        Whether the first and the last unknown are neighbours, by ``dl[0]`` and ``du[-1]``.
    transposed : bool
        Whether to solve with the transposed matrices.
    out : array, optional
        Where the solutions go; may be `b` itself.

    Returns
    -------
    array
        The solutions, of the shape and dtype of `b`.

    Examples
    --------
    >>> import numpy as np, wavescan
    >>> ones = np.ones(4)
    >>> wavescan.solve_tridiagonal(-ones, 2 * ones, -ones, np.array([1.0, 0.0, 0.0, 1.0]))
    array([1., 1., 1., 1.])
    """
    call = Call("solve_tridiagonal", b=b, dl=dl, d=d, du=du)
    return call.run(_core.solve_tridiagonal, out, axis, cyclic, transposed)
