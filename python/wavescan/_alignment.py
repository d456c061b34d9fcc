# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Alignments of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from . import _core
from ._errors import explains_errors

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Alignment", "align", "align_many", "align_score", "align_scores"]


@dataclass(frozen=True)
class Alignment:
    """An alignment of a query and a reference.

    Attributes
    ----------
    score : int
    query_begin, query_end, reference_begin, reference_end : int
        The aligned stretches, as slices: from 0, the end not included.
    matches, mismatches, gaps, gap_openings : int
        Columns with equal letters, with others, with one letter; and runs of the last kind.
    cigar : str
        Runs of ``=`` (equal letters), ``X`` (others), ``I`` (a letter of the query alone) and ``D``
        (a letter of the reference alone), as parasail writes it.
    query, reference : str
        The sequences.
    """

    score: int
    query_begin: int
    query_end: int
    reference_begin: int
    reference_end: int
    matches: int
    mismatches: int
    gaps: int
    gap_openings: int
    cigar: str
    query: str
    reference: str

    @property
    def identity(self) -> float:
        """Share of the columns with equal letters."""
        columns = self.matches + self.mismatches + self.gaps
        return self.matches / columns if columns else 0.0

    @property
    def coordinates(self) -> list[tuple[int, int]]:
        """Where the path bends, as pairs of positions in query and reference."""
        i, j = self.query_begin, self.reference_begin
        corners = [(i, j)]
        count = ""
        for letter in self.cigar:
            if letter.isdigit():
                count += letter
                continue
            n, count = int(count), ""
            i += n if letter != "D" else 0
            j += n if letter != "I" else 0
            if len(corners) > 1 and letter in "=X" and self._diagonal(corners[-2:], (i, j)):
                corners[-1] = (i, j)
            else:
                corners.append((i, j))
        return corners

    @staticmethod
    def _diagonal(last, end):
        (i, j), (k, m) = last
        return k - i == m - j and end[0] - k == end[1] - m

    def format(self, width: int = 60) -> str:
        """Text in the manner of BLAST."""
        counts = [
            self.query_begin,
            self.query_end,
            self.reference_begin,
            self.reference_end,
            self.matches,
            self.mismatches,
            self.gaps,
            self.gap_openings,
        ]
        return _core.format_alignment(
            self.score, counts, self.cigar, self.query, self.reference, width
        )

    def __str__(self) -> str:
        return self.format()


class Rules(TypedDict, total=False):
    """How alignments are scored, and where: see `align`."""

    match: int
    mismatch: int
    gap_open: int
    gap_extend: int
    matrix: str | None
    mode: str
    free_ends: Sequence[bool] | None
    device: str


_usual = {
    "match": 2,
    "mismatch": -1,
    "gap_open": 2,
    "gap_extend": 2,
    "matrix": None,
    "mode": "local",
    "free_ends": None,
    "device": "host",
}


def _call(run, function, text, a, b, rules):
    """Calls a function of the module; returns what it found, and the sequences."""
    for name in rules:
        if name not in _usual:
            raise TypeError(f"wavescan.{function} has no argument '{name}', only {', '.join(_usual)}")
    (first, a), (second, b) = a, b
    a, b = text(function, first, a), text(function, second, b)
    *scores, matrix, mode, free_ends, device = {**_usual, **rules}.values()
    if device not in ("host", "gpu"):
        raise ValueError(f"wavescan.{function}: 'device' must be 'host' or 'gpu', got {device!r}")
    ends = [True] * 4 if free_ends is None else [bool(end) for end in free_ends]
    if len(ends) != 4:
        raise ValueError(f"wavescan.{function}: 'free_ends' must be four bools, got {len(ends)}")
    return run(a, b, _core.AlignmentRules(*scores, matrix or "", mode, ends, device == "gpu")), a, b


def _text(function: str, argument: str, sequence) -> str:
    if isinstance(sequence, (bytes, bytearray)):
        return bytes(sequence).decode("latin-1")
    if not isinstance(sequence, str):
        raise TypeError(
            f"wavescan.{function}: '{argument}' must be str or bytes, got {type(sequence).__name__}"
        )
    if not sequence.isascii():
        raise ValueError(f"wavescan.{function}: '{argument}' must consist of ASCII letters")
    return sequence


@explains_errors
def align(query: str, reference: str, **rules: Unpack[Rules]) -> Alignment:
    """A best alignment of two sequences, in memory proportional to their lengths.

    Parameters
    ----------
    query, reference : str
        The sequences; upper and lower case differ.
    match, mismatch : int
        Scores of a pair of letters, by default 2 and -1.
    gap_open, gap_extend : int
        What a gap's first letter costs, and each further one, as parasail counts; by default 2.
    matrix : str, optional
        The name of a table of scores, in the place of `match` and `mismatch`: BLOSUM45, BLOSUM50,
        BLOSUM62, BLOSUM80, PAM120, PAM250, NUC.4.4.
    mode : {'local', 'global', 'semiglobal'}, optional
        How much of the sequences is aligned.
    free_ends : four bools, optional
        Of mode 'semiglobal', the ends that may be left out: query's begin and end, reference's begin
        and end; all by default.
    device : {'host', 'gpu'}, optional
        Where to compute.

    Returns
    -------
    Alignment

    Examples
    --------
    >>> import wavescan
    >>> found = wavescan.align("GATTACA", "GATACA")
    >>> found.score, found.cigar
    (10, '2=1I4=')
    >>> print(found)
    score 10, identities 6/7 (85.7%), gaps 1/7 (14.3%)
    <BLANKLINE>
    a  1 GATTACA 7
         || ||||
    b  1 GA-TACA 6
    <BLANKLINE>
    """
    texts = ("query", query), ("reference", reference)
    found, a, b = _call(_core.align, "align", _text, *texts, rules)
    return Alignment(*found, a, b)


@explains_errors
def align_score(query: str, reference: str, **rules: Unpack[Rules]) -> int:
    """The score that `align` finds, in less time; arguments as there.

    Examples
    --------
    >>> import wavescan
    >>> wavescan.align_score("GATTACA", "GATACA", mode="global")
    10
    """
    texts = ("query", query), ("reference", reference)
    return _call(_core.align_score, "align_score", _text, *texts, rules)[0][0]


def _texts(function, argument, sequences):
    if isinstance(sequences, (str, bytes)):
        sequences = [sequences]
    return [_text(function, argument, s) for s in sequences]


@explains_errors
def align_many(
    queries: str | Sequence[str], references: str | Sequence[str], **rules: Unpack[Rules]
) -> list[Alignment]:
    """Best alignments of many pairs: query by query with its reference, or one with all.

    Parameters
    ----------
    queries, references : str or sequence of str
        As many of each, or one of either.
    **rules
        As for `align`.

    Returns
    -------
    list of Alignment

    Examples
    --------
    >>> import wavescan
    >>> [a.score for a in wavescan.align_many("ACGT", ["ACGT", "ACT", "GGGG"])]
    [8, 4, 2]
    """
    texts = ("queries", queries), ("references", references)
    found, a, b = _call(_core.align_many, "align_many", _texts, *texts, rules)
    return [
        Alignment(*result, a[0 if len(a) == 1 else k], b[0 if len(b) == 1 else k])
        for k, result in enumerate(found)
    ]


@explains_errors
def align_scores(
    queries: str | Sequence[str], references: str | Sequence[str], **rules: Unpack[Rules]
) -> list[int]:
    """The scores that `align_many` finds, in less time; arguments as there.

    Examples
    --------
    >>> import wavescan
    >>> wavescan.align_scores(["ACGT", "AC"], ["ACGT", "AC"])
    [8, 4]
    """
    texts = ("queries", queries), ("references", references)
    return _call(_core.align_scores, "align_scores", _texts, *texts, rules)[0]
