# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Declarations as they stand in the headers, where Doxygen says they are."""
import textwrap
from functools import lru_cache

STARTS_OTHERS = ("///", "//", "#", "public:", "private:", "protected:")
MARKS = ("KOKKOS_FUNCTION ", "KOKKOS_INLINE_FUNCTION ", "KOKKOS_FORCEINLINE_FUNCTION ")


@lru_cache(maxsize=None)
def lines_of(file):
    return file.read_text(encoding="utf-8").splitlines()


def first_line(lines, line):
    """Where the declaration begins of which Doxygen names a line, counted from 0."""
    while line > 0:
        before = lines[line - 1].strip()
        if not before or before.startswith(STARTS_OTHERS) or before.endswith((";", "}", "{")):
            break
        line -= 1
    return line


def without_body(text):
    """What stands before a function's body, a list of initializers, or the semicolon."""
    depth, seen_arguments = 0, False
    for k, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
            seen_arguments = True
        elif depth == 0 and letter == ";":
            return text[:k]
        elif depth == 0 and letter == "{" and seen_arguments:
            return text[:k].rstrip()
        elif (depth == 0 and letter == ":" and seen_arguments and "operator" not in text[:k]
              and ":" not in text[k - 1] + text[k + 1] and "?" not in text[:k]):
            return text[:k].rstrip()
    return text


def declaration(checkout, location):
    """A function, type alias or variable without its body."""
    lines = lines_of(checkout / location.get("file"))
    line = int(location.get("line")) - 1
    begin = first_line(lines, line)
    found = without_body("\n".join(lines[begin:line + 30])).rstrip()
    return textwrap.dedent(found) + ";"
