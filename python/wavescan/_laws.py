# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Tells whether operators fulfil the laws that scans rest on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

__all__ = ["LawsReport", "check_laws"]


@dataclass(frozen=True)
class LawsReport:
    """What `check_laws` found: whether all laws hold, else the first that does not.

    Attributes
    ----------
    holds : bool
    law : str
        The law that fails, as a formula; empty if none does.
    example : tuple
        Numbers for which it fails.
    sides : tuple
        What comes out on both sides of the law.
    """

    holds: bool
    law: str = ""
    example: tuple[Any, ...] = ()
    sides: tuple[Any, ...] = ()

    def __bool__(self) -> bool:
        return self.holds


def check_laws(
    accumulate: Callable[[Any, Any], Any],
    distribute: Callable[[Any, Any], Any] | None = None,
    *,
    samples: Iterable[Any] | None = None,
    tol: float = 0.0,
    seed: int = 1,
    tries: int = 1000,
) -> LawsReport:
    """Test on samples whether a loop over two operators can be run in parallel.

    A scan needs an associative operator. A weighted scan, ``(y[j-1] distribute w) accumulate x``,
    needs an associative and commutative `accumulate`, an associative `distribute`, and that the
    second distributes over the first.

    Parameters
    ----------
    accumulate, distribute : functions of two numbers
        The operators; the second one may be left out.
    samples : iterable, optional
        Numbers to try, by default small integers.
    tol : float
        How far the sides of a law may differ, relatively, for floating point.
    seed, tries : int
        Which triples of samples are drawn, and how many.

    Returns
    -------
    LawsReport
        True if all laws hold.

    Examples
    --------
    >>> import wavescan
    >>> bool(wavescan.check_laws(max, lambda a, b: a + b))
    True
    >>> wavescan.check_laws(lambda a, b: a - b).law
    '(a + b) + c == a + (b + c), + being accumulate'
    """
    draw = random.Random(seed)
    pool = list(range(-9, 10)) if samples is None else list(samples)
    if not pool:
        raise ValueError("wavescan.check_laws: 'samples' must not be empty")
    add, times = accumulate, distribute
    laws = [
        (
            "(a + b) + c == a + (b + c), + being accumulate",
            lambda a, b, c: (add(add(a, b), c), add(a, add(b, c))),
        )
    ]
    if times is not None:
        laws += [
            ("a + b == b + a, + being accumulate", lambda a, b, c: (add(a, b), add(b, a))),
            (
                "(a * b) * c == a * (b * c), * being distribute",
                lambda a, b, c: (times(times(a, b), c), times(a, times(b, c))),
            ),
            (
                "(a + b) * c == (a * c) + (b * c), + being accumulate, * distribute",
                lambda a, b, c: (times(add(a, b), c), add(times(a, c), times(b, c))),
            ),
        ]
    for _ in range(tries):
        example = tuple(draw.choice(pool) for _ in range(3))
        for law, sides in laws:
            left, right = sides(*example)
            if left != right and not abs(left - right) <= tol * max(abs(left), abs(right)):
                return LawsReport(False, law, example, (left, right))
    return LawsReport(True)
