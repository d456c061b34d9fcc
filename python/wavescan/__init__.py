# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""WaveScan: scans, recurrences, filters and wavefront loops on hosts and GPUs.

Functions take arrays of NumPy, PyTorch, CuPy, JAX or any library of the array API standard, wherever
they lie, and return arrays of the same library. They never copy, cast or move what they are given.
"""

from ._filters import *
from ._filters import __all__ as _filters_all
from ._runtime import *
from ._runtime import __all__ as _runtime_all
from ._scans import *
from ._scans import __all__ as _scans_all

__version__ = "0.1.0"
__all__ = sorted([*_filters_all, *_runtime_all, *_scans_all])
