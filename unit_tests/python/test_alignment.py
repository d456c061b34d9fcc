# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Alignments against a plain loop, and against parasail where it is installed."""

import random

import pytest

import wavescan


def local_score(a, b, match, mismatch, gap_open, gap_extend):
    low = -(10**9)
    best = 0
    h = [0] * (len(b) + 1)
    f = [low] * (len(b) + 1)
    for x in a:
        e, diagonal = low, 0
        for j, y in enumerate(b, 1):
            e = max(e - gap_extend, h[j - 1] - gap_open)
            f[j] = max(f[j] - gap_extend, h[j] - gap_open)
            diagonal, h[j] = h[j], max(0, diagonal + (match if x == y else mismatch), e, f[j])
            best = max(best, h[j])
    return best


def score_of(found, match, mismatch, gap_open, gap_extend):
    return (
        found.matches * match
        + found.mismatches * mismatch
        - found.gap_openings * gap_open
        - (found.gaps - found.gap_openings) * gap_extend
    )


def words(n, seed=3):
    draw = random.Random(seed)
    for _ in range(n):
        yield tuple("".join(draw.choices("ACGT", k=draw.randint(0, 60))) for _ in range(2))


@pytest.mark.parametrize("rules", [(2, -1, 2, 2), (3, -2, 5, 1)])
def test_scores_and_paths(rules):
    match, mismatch, gap_open, gap_extend = rules
    named = dict(match=match, mismatch=mismatch, gap_open=gap_open, gap_extend=gap_extend)
    pairs = list(words(40))
    expected = [local_score(a, b, *rules) for a, b in pairs]
    for (a, b), score in zip(pairs, expected):
        assert wavescan.align_score(a, b, **named) == score
        found = wavescan.align(a, b, **named)
        assert found.score == score == score_of(found, *rules)
        assert found.coordinates[0] == (found.query_begin, found.reference_begin)
        assert found.coordinates[-1] == (found.query_end, found.reference_end)
    many = wavescan.align_many(*zip(*pairs), **named)
    assert [found.score for found in many] == expected
    assert wavescan.align_scores(*zip(*pairs), **named) == expected


def test_modes():
    assert wavescan.align("ACGT", "TTACGTTT", mode="semiglobal").score == 8
    found = wavescan.align("ACGT", "AGT", mode="global")
    assert found.cigar == "1=1I2=" and found.score == 4
    assert wavescan.align("WWW", "WWW", matrix="BLOSUM62", gap_open=12, gap_extend=1).score == 33
    assert wavescan.align(b"ACGT", "ACGT").identity == 1.0


def test_arguments_that_are_refused():
    with pytest.raises(TypeError, match="wavescan.align_many has no argument 'gap'"):
        wavescan.align_many("A", "A", gap=3)
    with pytest.raises(ValueError, match="wavescan.align_score: 'device' must be"):
        wavescan.align_score("A", "A", device="tpu")


def test_parasail():
    parasail = pytest.importorskip("parasail")
    matrix = parasail.matrix_create("ACGT", 2, -1)
    for a, b in words(40):
        if not a or not b:
            continue
        for mode, function in [("local", parasail.sw_trace), ("global", parasail.nw_trace)]:
            theirs = function(a, b, 5, 1, matrix)
            ours = wavescan.align(a, b, mode=mode, gap_open=5, gap_extend=1)
            assert ours.score == theirs.score
            assert set(ours.cigar) <= set("0123456789=XID")
