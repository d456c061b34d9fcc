# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""What the tests of the Python package share."""

import importlib

import numpy as np
import pytest


def _has(name):
    try:
        importlib.import_module(name)
    except Exception:
        return False
    return True


def _on_gpu(name):
    """Whether the library is there, sees a GPU, and wavescan was built for it."""
    import wavescan

    if wavescan.show_config("dicts")["device"] == "none" or not _has(name):
        return False
    if name == "torch":
        import torch

        return torch.cuda.is_available()
    if name == "cupy":
        import cupy

        return cupy.cuda.runtime.getDeviceCount() > 0
    import jax

    return jax.default_backend() == "gpu"


class Numpy:
    name = "numpy"

    def array(self, x):
        return x

    def back(self, x):
        assert type(x) is np.ndarray
        return x


class Torch:
    def __init__(self, device):
        self.device, self.name = device, "torch on " + device

    def array(self, x):
        import torch

        return torch.from_numpy(np.ascontiguousarray(x)).to(self.device)

    def back(self, x):
        import torch

        assert isinstance(x, torch.Tensor) and x.device.type == self.device
        return x.cpu().numpy()


class Cupy:
    name = "cupy"

    def array(self, x):
        import cupy

        return cupy.asarray(x)

    def back(self, x):
        import cupy

        assert isinstance(x, cupy.ndarray)
        return cupy.asnumpy(x)


class Jax:
    name = "jax"

    def array(self, x):
        import jax

        jax.config.update("jax_enable_x64", True)
        return jax.numpy.asarray(x)

    def back(self, x):
        import jax

        assert isinstance(x, jax.Array)
        return np.asarray(x)


class Strict:
    """What the array API standard has, and nothing else."""

    name = "array_api_strict"

    def array(self, x):
        import array_api_strict

        return array_api_strict.asarray(np.array(x))

    def back(self, x):
        import array_api_strict

        assert isinstance(x, type(array_api_strict.zeros(1)))
        return np.from_dlpack(x)


libraries = [Numpy()]
if _has("array_api_strict"):
    libraries.append(Strict())
if _has("torch"):
    libraries.append(Torch("cpu"))
    if _on_gpu("torch"):
        libraries.append(Torch("cuda"))
if _on_gpu("cupy"):
    libraries.append(Cupy())
if _has("jax"):
    libraries.append(Jax())


@pytest.fixture(params=libraries, ids=lambda library: library.name)
def lib(request):
    """An array library: `array` makes an array of NumPy's, `back` the reverse."""
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(7)
