# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Operations for PyTorch with gradients of any order, which `torch.compile` takes as they are.

They are custom operators of PyTorch, run where their tensors lie and are enqueued on the
current stream. Nothing is linked against PyTorch: tensors pass by DLPack.

The gradient of a linear recurrence is one that runs backwards: for ``y[t] = a[t] y[t-1] + x[t]`` and
a gradient g of y, that of x is ``gx[t] = g[t] + conj(a[t+1]) gx[t+1]``, and that of a is
``gx[t] conj(y[t-1])``. Filters and tridiagonal systems are likewise their own gradients' filters and
systems.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch import library as torch_library

from . import _columns, _filters, _scans

__all__ = ["cumulative_sum", "lfilter", "linear_recurrence", "solve_tridiagonal", "sosfilt"]


def _plain(x: Tensor) -> Tensor:
    """A tensor that DLPack can hand over: no part of a graph, no conjugation put off."""
    return x.detach().resolve_conj().resolve_neg()


def _conj(x: Tensor) -> Tensor:
    return x.conj().resolve_conj() if x.is_complex() else x


def _shifted(x: Tensor, axis: int, by: int, first: Tensor | None = None) -> Tensor:
    """The tensor moved along an axis by one place, forwards (1) or backwards (-1); what comes in is
    zero, or `first`."""
    n = x.shape[axis]
    if n == 0:
        return x
    edge = torch.zeros_like(x.narrow(axis, 0, 1)) if first is None else first.unsqueeze(axis)
    if by > 0:
        return torch.cat([edge, x.narrow(axis, 0, n - 1)], axis)
    return torch.cat([x.narrow(axis, 1, n - 1), edge], axis)


# Linear recurrences of the first order.


@torch_library.custom_op("wavescan::linear_recurrence", mutates_args=())
def _recurrence(a: Tensor, x: Tensor, axis: int, reverse: bool) -> Tensor:
    return _scans.linear_recurrence(_plain(a), _plain(x), axis=axis, reverse=reverse)


@_recurrence.register_fake
def _(a, x, axis, reverse):
    return torch.empty_like(x)


def _recurrence_context(ctx, inputs, output):
    a, _, ctx.axis, ctx.reverse = inputs
    ctx.save_for_backward(a, output)


def _recurrence_backward(ctx, g):
    a, y = ctx.saved_tensors
    before = -1 if ctx.reverse else 1
    following = _conj(_shifted(a, ctx.axis, -before))
    gx = _recurrence(following, g, ctx.axis, not ctx.reverse)
    ga = gx * _conj(_shifted(y, ctx.axis, before)) if ctx.needs_input_grad[0] else None
    return ga, gx, None, None


_recurrence.register_autograd(_recurrence_backward, setup_context=_recurrence_context)


def linear_recurrence(
    a: Tensor | complex,
    x: Tensor,
    *,
    axis: int = -1,
    reverse: bool = False,
    initial: Tensor | None = None,
    heads: Tensor | None = None,
) -> Tensor:
    """Linear recurrence along an axis, ``y[t] = a[t] * y[t-1] + x[t]``, with gradients.

    Parameters
    ----------
    a : tensor or number
        The coefficients, of the dtype of `x` and of a shape that broadcasts to its shape.
    x : tensor
        Of float32, float64, complex64 or complex128.
    axis : int
        The axis along which the recurrence runs.
    reverse : bool
        Whether it runs from the last element to the first.
    initial : tensor, optional
        ``y[-1]`` of each line, of the shape of `x` without the axis.
    heads : tensor of bool, optional
        Where the recurrence begins anew, broadcast to the shape of `x`.

    Returns
    -------
    tensor
        Of the shape and dtype of `x`.

    Examples
    --------
    >>> import torch, wavescan.torch
    >>> x = torch.ones(3, requires_grad=True)
    >>> wavescan.torch.linear_recurrence(0.5, x).sum().backward()
    >>> x.grad
    tensor([1.7500, 1.5000, 1.0000])
    """
    if not isinstance(a, Tensor):
        a = torch.full((1,) * x.ndim, a, dtype=x.dtype, device=x.device)
    a = a.expand(x.shape)
    axis = axis % x.ndim if x.ndim else axis
    if heads is not None:
        a = torch.where(heads, torch.zeros((), dtype=a.dtype, device=a.device), a)
    if initial is not None and x.shape[axis] > 0:
        first = x.shape[axis] - 1 if reverse else 0
        entering = a.select(axis, first) * initial
        x = x.index_add(
            axis, torch.tensor([first], device=x.device), entering.unsqueeze(axis).to(x.dtype)
        )
    return _recurrence(a, x, axis, reverse)


# Sums.


@torch_library.custom_op("wavescan::cumulative_sum", mutates_args=())
def _sum(x: Tensor, axis: int, reverse: bool) -> Tensor:
    return _scans.scan(_plain(x), "add", axis=axis, reverse=reverse)


@_sum.register_fake
def _(x, axis, reverse):
    return torch.empty_like(x)


def _sum_context(ctx, inputs, output):
    _, ctx.axis, ctx.reverse = inputs


def _sum_backward(ctx, g):
    return _sum(g, ctx.axis, not ctx.reverse), None, None


_sum.register_autograd(_sum_backward, setup_context=_sum_context)


def cumulative_sum(x: Tensor, axis: int = -1, *, reverse: bool = False) -> Tensor:
    """Cumulative sum along an axis, forwards or backwards, with gradients.

    Parameters
    ----------
    x : tensor
        Of float32, float64, int32, int64, complex64 or complex128.
    axis : int
        The axis to sum along.
    reverse : bool
        Whether to sum from the last element to the first.

    Examples
    --------
    >>> import torch, wavescan.torch
    >>> wavescan.torch.cumulative_sum(torch.tensor([1.0, 2.0, 3.0]), reverse=True)
    tensor([6., 5., 3.])
    """
    return _sum(x, axis, reverse)


# Filters. Coefficients are few numbers, which the host reads.


@torch_library.custom_op("wavescan::lfilter", mutates_args=())
def _filter(b: Tensor, a: Tensor, x: Tensor, axis: int, reverse: bool) -> Tensor:
    return _filters._lfilter(_plain(b), _plain(a), _plain(x), axis, reverse=reverse)


@_filter.register_fake
def _(b, a, x, axis, reverse):
    return torch.empty_like(x)


def _filter_context(ctx, inputs, output):
    b, a, x, ctx.axis, ctx.reverse = inputs
    ctx.save_for_backward(b, a, x, output)


def _lags(g: Tensor, u: Tensor, axis: int, count: int, reverse: bool, like: Tensor) -> Tensor:
    """Sums of g[t] conj(u[t - k]) for k = 0 ... count - 1, or of g[t] conj(u[t + k])."""
    n = g.shape[axis]
    sums = []
    for k in range(count):
        if k >= n:
            sums.append(torch.zeros((), dtype=g.dtype, device=g.device))
            continue
        late, early = (g, u) if not reverse else (u, g)
        late, early = late.narrow(axis, k, n - k), early.narrow(axis, 0, n - k)
        late, early = (late, _conj(early)) if not reverse else (_conj(late), early)
        sums.append((late * early).sum())
    total = torch.stack(sums) if sums else g.new_zeros(0)
    return (total.real if total.is_complex() else total).to(dtype=like.dtype, device=like.device)


def _filter_backward(ctx, g):
    b, a, x, y = ctx.saved_tensors
    axis, reverse = ctx.axis, ctx.reverse
    gb = ga = gx = None
    one = torch.ones(1, dtype=b.dtype, device=b.device)
    if ctx.needs_input_grad[0]:
        gb = _lags(g, _filter(one, a, x, axis, reverse), axis, b.shape[0], reverse, b)
    if ctx.needs_input_grad[1]:
        ga = -_lags(g, _filter(one, a, y, axis, reverse), axis, a.shape[0], reverse, a)
    if ctx.needs_input_grad[2]:
        gx = _filter(b, a, g, axis, not reverse)
    return gb, ga, gx, None, None


_filter.register_autograd(_filter_backward, setup_context=_filter_context)


def lfilter(b: Tensor, a: Tensor, x: Tensor, axis: int = -1) -> Tensor:
    """Filter along an axis by a transfer function, as `scipy.signal.lfilter`, with gradients.

    Parameters
    ----------
    b, a : tensors of one dimension
        Real coefficients, up to 17 each. On the host they are read without waiting for a GPU.
    x : tensor
        Of float32, float64, complex64 or complex128.
    axis : int
        The axis to filter along.

    Returns
    -------
    tensor
        Of the shape and dtype of `x`. Gradients go to `b`, `a` and `x`.

    Examples
    --------
    >>> import torch, wavescan.torch
    >>> a = torch.tensor([1.0, -0.5], requires_grad=True)
    >>> y = wavescan.torch.lfilter(torch.ones(1), a, torch.tensor([1.0, 0.0, 0.0]))
    >>> y.sum().backward()
    >>> a.grad
    tensor([-2.7500, -2.0000])
    """
    return _filter(b, a, x, axis, False)


@torch_library.custom_op("wavescan::sosfilt", mutates_args=())
def _sections(sos: Tensor, x: Tensor, axis: int) -> Tensor:
    return _filters.sosfilt(_plain(sos), _plain(x), axis)


@_sections.register_fake
def _(sos, x, axis):
    return torch.empty_like(x)


def sosfilt(sos: Tensor, x: Tensor, axis: int = -1) -> Tensor:
    """Filter along an axis by a cascade of second-order sections, as `scipy.signal.sosfilt`, with gradients.

    One pass over memory without gradients; with them one for each section.

    Parameters
    ----------
    sos : tensor of shape (sections, 6)
        Rows of ``b0, b1, b2, a0, a1, a2``.
    x : tensor
        Of float32, float64, complex64 or complex128.
    axis : int
        The axis to filter along.

    Examples
    --------
    >>> import torch, wavescan.torch
    >>> sos = torch.tensor([[1.0, 0, 0, 1.0, -0.5, 0]])
    >>> wavescan.torch.sosfilt(sos, torch.tensor([1.0, 0.0, 0.0]))
    tensor([1.0000, 0.5000, 0.2500])
    """
    if torch.is_grad_enabled() and (sos.requires_grad or x.requires_grad):
        for section in sos:
            x = _filter(section[:3], section[3:], x, axis, False)
        return x
    return _sections(sos, x, axis)


# Tridiagonal systems.


@torch_library.custom_op("wavescan::solve_tridiagonal", mutates_args=())
def _solve(dl: Tensor, d: Tensor, du: Tensor, b: Tensor, axis: int, transposed: bool) -> Tensor:
    return _columns.solve_tridiagonal(
        _plain(dl), _plain(d), _plain(du), _plain(b), axis=axis, transposed=transposed
    )


@_solve.register_fake
def _(dl, d, du, b, axis, transposed):
    return torch.empty_like(b)


def _solve_context(ctx, inputs, output):
    dl, d, du, _, ctx.axis, ctx.transposed = inputs
    ctx.save_for_backward(dl, d, du, output)


def _solve_backward(ctx, g):
    dl, d, du, x = ctx.saved_tensors
    axis = ctx.axis
    gb = _solve(dl, d, du, g, axis, not ctx.transposed)
    row, column = (x, gb) if ctx.transposed else (gb, x)
    return (
        -row * _shifted(column, axis, 1),
        -row * column,
        -row * _shifted(column, axis, -1),
        gb,
        None,
        None,
    )


_solve.register_autograd(_solve_backward, setup_context=_solve_context)


def solve_tridiagonal(dl: Tensor, d: Tensor, du: Tensor, b: Tensor, *, axis: int = -1) -> Tensor:
    """Solve tridiagonal systems, as `wavescan.solve_tridiagonal`, with gradients.

    Parameters
    ----------
    dl, d, du : tensors
        Diagonals of the shape of `b`, or of one dimension, the matrix of all systems.
    b : tensor
        Right-hand sides, of float32 or float64.
    axis : int
        The axis along which a system lies.

    Examples
    --------
    >>> import torch, wavescan.torch
    >>> ones = torch.ones(3)
    >>> wavescan.torch.solve_tridiagonal(-ones, 2 * ones, -ones, torch.tensor([1.0, 0.0, 1.0]))
    tensor([1.0000, 1.0000, 1.0000])
    """
    axis = axis % b.ndim
    shape = [1] * b.ndim
    shape[axis] = b.shape[axis]

    def of_all(diagonal: Tensor) -> Tensor:
        if diagonal.ndim == 1 and b.ndim > 1:
            diagonal = diagonal.reshape(shape)
        return diagonal.expand(b.shape)

    return _solve(of_all(dl), of_all(d), of_all(du), b, axis, False)
