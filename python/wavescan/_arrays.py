# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Arrays of other libraries: how they are read, made and enqueued on.

Everything passes by DLPack. A *library* object knows one array library: it makes capsules of its
arrays for the caller's current stream, and new arrays for results, in the caller's namespace and on
the caller's device.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["Call", "Library", "library_of", "run_on"]


class Library:
    """An array library that speaks the array API standard; others derive from this."""

    name = "array API"

    def new(self, like: Any, shape: tuple[int, ...] | None = None, dtype: str | None = None) -> Any:
        """An array for results. What is left out is as in `like`."""
        space = like.__array_namespace__()
        return space.empty(
            tuple(like.shape) if shape is None else shape,
            dtype=like.dtype if dtype is None else getattr(space, dtype),
            device=like.device,
        )

    def stream(self, x: Any) -> int:
        """The handle of the stream that calls are enqueued on; 0 where there is none."""
        return 0

    def capsule(self, x: Any, function: str, argument: str, stream: int = 0) -> Any:
        """A DLPack capsule of an array."""
        try:
            if x.__dlpack_device__()[0] == 1:
                return x.__dlpack__()
            return x.__dlpack__(stream=stream or 1)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise _no_capsule(function, argument, x, error) from error

    def finish(self, result: Any, stream: int) -> Any:
        """What the caller gets of an array that `new` made."""
        return result

    def device_of(self, x: Any) -> int:
        """The number of the GPU that has an array, or -1."""
        kind, number = x.__dlpack_device__()
        return -1 if kind in (1, 3) else number

    def array(self, values: Any, like: Any, dtype: str | None = None) -> Any:
        """A small array from numbers, beside `like` and of its dtype."""
        space = like.__array_namespace__()
        return space.asarray(
            values,
            dtype=like.dtype if dtype is None else getattr(space, dtype),
            device=like.device,
        )

    def take(self, x: Any, index: Any, axis: int) -> Any:
        """What is at some places along an axis."""
        return x.__array_namespace__().take(x, index, axis=axis)

    def to_bytes(self, x: Any) -> Any:
        """Numbers rounded to nearest, from 0 to 255."""
        space = x.__array_namespace__()
        return space.astype(space.clip(x + 0.5, 0, 255), space.uint8)

    def dtype_name(self, x: Any) -> str:
        """"float32", and so on."""
        return str(x.dtype).rpartition(".")[2]

    def copy(self, x: Any, dtype: str | None = None, shape: tuple[int, ...] | None = None) -> Any:
        """A dense copy that calls may write to: an array that `new` could have made."""
        result = self.new(x, shape, dtype)
        result[...] = x
        return result


def _no_capsule(function: str, argument: str, x: Any, error: Exception) -> TypeError:
    return TypeError(
        f"wavescan.{function}: '{argument}' must be an array that can be handed over by DLPack, "
        f"in native byte order; got {type(x).__module__}.{type(x).__qualname__} of dtype "
        f"{getattr(x, 'dtype', None)} ({error})"
    )


class _NumPy(Library):
    name = "numpy"

    def __init__(self) -> None:
        import numpy

        self.numpy = numpy
        self.empty = numpy.empty
        self.empty_like = numpy.empty_like

    def new(self, like, shape=None, dtype=None):
        if dtype is None and shape is None:
            return self.empty_like(like)
        return self.empty(like.shape if shape is None else shape, like.dtype if dtype is None else dtype)

    def capsule(self, x, function, argument, stream=0):
        try:
            return x.__dlpack__()
        except BufferError as error:
            try:  # read-only arrays are handed over by the second version of the protocol
                return x.__dlpack__(max_version=(1, 0))
            except (BufferError, TypeError):
                if not x.flags.writeable and x.dtype.isnative and x.dtype.kind in "biufc":
                    return _writable_view(x).__dlpack__()
                raise _no_capsule(function, argument, x, error) from None

    def device_of(self, x):
        return -1

    def take(self, x, index, axis):
        return x.take(index, axis=axis)

    def to_bytes(self, x):
        return (x + 0.5).clip(0, 255).astype("uint8")

    def array(self, values, like, dtype=None):
        return self.numpy.asarray(values, dtype=like.dtype if dtype is None else dtype)


def _writable_view(x):
    raise BufferError("a read-only array; NumPy 2.1 or newer can hand it over")


class _Torch(Library):
    """Calls are enqueued on PyTorch's current stream, on which its tensors are ready: so there is
    nothing to wait for, and capsules are taken without the checks of ``__dlpack__``."""

    name = "torch"

    def __init__(self) -> None:
        import torch
        from torch.utils.dlpack import to_dlpack

        self.torch = torch
        self.to_dlpack = to_dlpack
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)

    def new(self, like, shape=None, dtype=None):
        torch = self.torch
        if shape is None and dtype is None:
            return torch.empty_like(like)
        kind = like.dtype if dtype is None else getattr(torch, dtype)
        if shape is None:
            return torch.empty_like(like, dtype=kind)
        return torch.empty(shape, dtype=kind, device=like.device)

    def stream(self, x):
        if not x.is_cuda:
            return 0
        if self.raw_stream is not None:
            return self.raw_stream(x.get_device())
        return self.torch.cuda.current_stream(x.device).cuda_stream

    def capsule(self, x, function, argument, stream=0):
        if x.requires_grad:
            raise TypeError(
                f"wavescan.{function}: '{argument}' must not require gradients, which wavescan.torch "
                "has functions for; or detach() it"
            )
        if x.is_conj() or x.is_neg() or x.layout is not self.torch.strided:
            raise TypeError(
                f"wavescan.{function}: '{argument}' must be a dense tensor whose conjugation is not "
                "put off; resolve_conj() makes one"
            )
        try:
            return self.to_dlpack(x)
        except (BufferError, RuntimeError, TypeError) as error:
            raise _no_capsule(function, argument, x, error) from error

    def take(self, x, index, axis):
        return self.torch.index_select(x, axis, index)

    def to_bytes(self, x):
        return (x + 0.5).clamp(0, 255).to(self.torch.uint8)

    def array(self, values, like, dtype=None):
        kind = like.dtype if dtype is None else getattr(self.torch, dtype)
        return self.torch.as_tensor(values, dtype=kind, device=like.device)

    def device_of(self, x):
        return x.device.index if x.is_cuda else -1


class _CuPy(Library):
    name = "cupy"

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy

    def new(self, like, shape=None, dtype=None):
        with like.device:
            if shape is None:
                return self.cupy.empty_like(like, dtype=dtype)
            return self.cupy.empty(shape, like.dtype if dtype is None else dtype)

    def stream(self, x):
        return self.cupy.cuda.get_current_stream().ptr

    def capsule(self, x, function, argument, stream=0):
        try:
            return x.__dlpack__(stream=-1)  # ready on the current stream, which is ours
        except (BufferError, RuntimeError, TypeError) as error:
            raise _no_capsule(function, argument, x, error) from error

    def take(self, x, index, axis):
        return x.take(index, axis=axis)

    def to_bytes(self, x):
        return (x + 0.5).clip(0, 255).astype("uint8")

    def array(self, values, like, dtype=None):
        with like.device:
            return self.cupy.asarray(values, dtype=like.dtype if dtype is None else dtype)


class _JAX(Library):
    """JAX's arrays cannot be written, but for those that nobody else has seen yet. On hosts NumPy
    makes them; what runs on a GPU is waited for, because JAX has no stream to enqueue on."""

    name = "jax"

    def __init__(self) -> None:
        import jax
        import numpy

        self.jax = jax
        self.numpy = numpy

    def new(self, like, shape=None, dtype=None):
        shape = tuple(like.shape) if shape is None else shape
        kind = like.dtype if dtype is None else dtype
        if self.device_of(like) < 0:
            return self.numpy.empty(shape, kind)
        device = next(iter(like.devices()))
        with self.jax.default_device(device):
            fresh = (self.jax.numpy.empty(shape, kind) + 0).astype(kind)
            return self.jax.block_until_ready(fresh)

    def device_of(self, x):
        if isinstance(x, self.numpy.ndarray):
            return -1
        return super().device_of(x)

    def capsule(self, x, function, argument, stream=0):
        if not isinstance(x, self.numpy.ndarray):
            self.jax.block_until_ready(x)
        return super().capsule(x, function, argument, stream)

    def finish(self, result, stream):
        if isinstance(result, self.numpy.ndarray):
            return self.jax.numpy.asarray(result)
        from . import _core

        _core.wait(self.device_of(result), stream)
        return result

    def take(self, x, index, axis):
        return self.jax.numpy.take(x, index, axis=axis)

    def to_bytes(self, x):
        return (x + 0.5).clip(0, 255).astype("uint8")

    def array(self, values, like, dtype=None):
        return self.jax.numpy.asarray(values, dtype=like.dtype if dtype is None else dtype)

    def copy(self, x, dtype=None, shape=None):
        if self.device_of(x) < 0:
            result = self.new(x, shape, dtype)
            result[...] = x
            return result
        kind = x.dtype if dtype is None else dtype
        return self.jax.block_until_ready(
            (self.jax.numpy.broadcast_to(x, x.shape if shape is None else shape) + 0).astype(kind)
        )


_makers = {"numpy": _NumPy, "torch": _Torch, "cupy": _CuPy, "jax": _JAX, "jaxlib": _JAX}
_by_root: dict[str, Library] = {}
_by_type: dict[type, Library] = {}


def _find(kind: type) -> Library | None:
    """The library of a type of arrays; None if it is none."""
    for base in kind.__mro__:
        root = base.__module__.partition(".")[0]
        if root in _makers and hasattr(base, "__dlpack__"):
            if root == "numpy" and kind.__name__ not in ("ndarray", "memmap"):
                return None  # masked arrays and matrices would lose what they add
            maker = _makers[root]
            if maker.name not in _by_root:
                _by_root[maker.name] = maker()
            return _by_root[maker.name]
    if hasattr(kind, "__dlpack__") and hasattr(kind, "__array_namespace__"):
        return _by_root.setdefault("", Library())
    return None


def library_of(x: Any, function: str, argument: str) -> Library:
    """The library of an array.

    Raises
    ------
    TypeError
        If `x` is no array that has `__dlpack__`.
    """
    kind = type(x)
    library = _by_type.get(kind)
    if library is None:
        library = _find(kind)
        if library is None:
            raise TypeError(
                f"wavescan.{function}: '{argument}' must be an array (of NumPy, PyTorch, CuPy, JAX "
                f"or another library of the array API standard), got {kind.__module__}."
                f"{kind.__qualname__}"
            )
        _by_type[kind] = library
    return library


class Call:
    """A call of a function of the module: what all of them begin and end with.

    The first of the arrays that come in says which library makes results and which stream is enqueued
    on; all have to be of one library, and others may be None.
    """

    __slots__ = ("function", "inputs", "namespace", "first", "stream")

    def __init__(self, function: str, **inputs: Any) -> None:
        library: Any = None
        for argument, x in inputs.items():
            if library is None:
                library, first = _by_type.get(type(x)) or library_of(x, function, argument), x
            elif x is not None and library_of(x, function, argument) is not library:
                raise TypeError(
                    f"wavescan.{function}: '{argument}' must be an array of the same library as "
                    f"'{next(iter(inputs))}' ({library.name}), got one of {library_of(x, '', '').name}"
                )
        self.function, self.inputs, self.namespace, self.first = function, inputs, library, first
        self.stream = library.stream(first)

    def result(
        self, out: Any = None, shape: tuple[int, ...] | None = None, dtype: str | None = None
    ) -> Any:
        """The array for results: the caller's, or a new one, like the first one but for what is given."""
        if out is None:
            return self.namespace.new(self.first, shape, dtype)
        return given_output(self.namespace, self.function, out)

    def shape_along(self, axis: int, extent: int) -> tuple[int, ...]:
        """The first array's shape, but for one extent."""
        shape = list(self.first.shape)
        try:
            shape[axis] = extent
        except IndexError:
            raise ValueError(
                f"wavescan.{self.function}: 'axis' must be an axis of an array of shape "
                f"{tuple(shape)}, got {axis}"
            ) from None
        return tuple(shape)

    def enqueue(self, run: Any, *values: Any, **results: Any) -> Any:
        """Calls a function of the module, once: with capsules of what comes in and of results, in their
        order, values, and the stream."""
        function, stream, capsule = self.function, self.stream, self.namespace.capsule
        self.inputs.update(results)
        capsules = [
            None if x is None else capsule(x, function, argument, stream)
            for argument, x in self.inputs.items()
        ]
        return run(*capsules, *values, stream)

    def finish(self, result: Any) -> Any:
        """What the caller gets of a result."""
        return self.namespace.finish(result, self.stream)

    def run(self, run: Any, out: Any, *values: Any) -> Any:
        """All of it, for one result."""
        result = self.result(out)
        self.enqueue(run, *values, out=result)
        return self.namespace.finish(result, self.stream)


def run_on(run: Any, function: str, x: Any, out: Any, *values: Any, states: tuple = ()) -> Any:
    """A call on one array, which most are: in half the time.

    `states` stand behind it and behind the result: None for each that the function has besides.
    """
    library = _by_type.get(type(x)) or library_of(x, function, "x")
    stream = library.stream(x)
    result = library.new(x) if out is None else given_output(library, function, out)
    capsule = library.capsule
    run(
        capsule(x, function, "x", stream),
        *states,
        capsule(result, function, "out", stream),
        *states,
        *values,
        stream,
    )
    return library.finish(result, stream)


def is_array(x: Any) -> bool:
    """Whether `x` is an array rather than a number or a list."""
    return hasattr(type(x), "__dlpack__") and not _is_numpy_scalar(x)


def _is_numpy_scalar(x: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, numpy.generic)


def given_output(library: Library, function: str, out: Any) -> Any:
    """The caller's array for results, checked."""
    if library_of(out, function, "out") is not library:
        raise TypeError(
            f"wavescan.{function}: 'out' must be an array of {library.name}, as the input is, got "
            f"{type(out).__module__}.{type(out).__qualname__}"
        )
    if library.name == "jax":
        raise TypeError(f"wavescan.{function}: 'out' must be None for arrays of JAX, which nobody may write to")
    return out
