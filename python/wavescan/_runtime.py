# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""The life of Kokkos in this process, and what was built."""

from __future__ import annotations

import atexit

from . import _core
from ._errors import explains_errors

__all__ = ["release_workspaces", "show_config"]

# Results belong to the caller's library, so nothing of Kokkos outlives this.
atexit.register(_core.shut_down)


@explains_errors
def show_config(mode: str = "stdout") -> dict[str, str] | None:
    """Say what this build is and where it runs.

    Parameters
    ----------
    mode : {'stdout', 'dicts'}
        Whether to print, or to return a dictionary.

    Examples
    --------
    >>> import wavescan
    >>> sorted(wavescan.show_config("dicts"))[:2]
    ['baseline', 'device']
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError(f"wavescan.show_config: 'mode' must be 'stdout' or 'dicts', got {mode!r}")
    found = dict(_core.configuration())
    if mode == "dicts":
        return found
    for name, value in found.items():
        if name != "kokkos_configuration":
            print(f"{name:16} {value}")
    return None


@explains_errors
def release_workspaces() -> None:
    """Release the memory that functions keep from one call to the next.

    To be called before a stream is destroyed that functions have been enqueued on.

    Examples
    --------
    >>> import wavescan
    >>> wavescan.release_workspaces()
    """
    _core.release_workspaces()
