# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""WaveScan: scans, recurrences, filters and wavefront loops on hosts and GPUs.

Functions take arrays of NumPy, PyTorch, CuPy, JAX or any library of the array API standard, wherever
they lie, and return arrays of the same library. They never copy, cast or move what they are given.
"""

from . import (
    _alignment,
    _columns,
    _filters,
    _images,
    _laws,
    _relaxation,
    _runtime,
    _scans,
    _segments,
    _select,
)
from ._alignment import *
from ._columns import *
from ._filters import *
from ._images import *
from ._laws import *
from ._relaxation import *
from ._runtime import *
from ._scans import *
from ._segments import *
from ._select import *

__version__ = "0.1.0"
__all__ = sorted(
    name
    for module in (
        _alignment,
        _columns,
        _filters,
        _images,
        _laws,
        _relaxation,
        _runtime,
        _scans,
        _segments,
        _select,
    )
    for name in module.__all__
)
