# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Errors that name the argument, what was wanted and what came, also where Python's own do not."""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["explains_errors"]

Function = TypeVar("Function", bound=Callable[..., Any])


def explains_errors(function: Function) -> Function:
    """Makes a public function's errors name it and the argument; what went wrong is found by its
    annotations, once something has."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, OverflowError, LookupError) as error:
            text = str(error)
            if text.startswith("wavescan"):
                raise
            if text.startswith("WaveScan::"):
                renamed = _renamed(function, text)
                raise type(error)(renamed) from None
            try:
                given = inspect.signature(function).bind(*args, **kwargs)
            except TypeError:
                raise error from None
            raise _explained(function, given, error) from error

    return call  # type: ignore[return-value]


# Arguments that the C++ library calls otherwise; 'a' and 'b' of alignments are more than one name here.
_names = {
    "y": "out",
    "length": "padlen",
    "count": "sweeps",
    "tolerance": "tol",
    "relative_tolerance": "rtol",
    "binning": "range",
    "histogram": "bins",
    "coefficients": "a",
    "gap": "gap_open",
    "substitution": "match",
    "name": "matrix",
    "m": "rows",
    "n": "columns",
}


def _renamed(function, text):
    """What the C++ library says, in the names of Python's function."""
    found = re.match(r"WaveScan::\w+: argument '(\w+)' (.*)", text, re.DOTALL)
    if found is None:
        return text
    theirs, rest = found.groups()
    ours = list(inspect.signature(function).parameters)
    name = _names.get(theirs, theirs)
    if theirs in "ab" and theirs not in ours and len(ours) > 1:
        name = ours["ab".index(theirs)]
    elif name not in ours and "rules" not in ours:
        name = theirs
    return f"wavescan.{function.__name__}: '{name}' {rest}"


def _is_integer(value):
    operator.index(value)
    return True


def _is_number(kind):
    def test(value):
        kind(value)
        return not isinstance(value, (str, bytes, bytearray))

    return test


_kinds = {
    "int": ("an integer", _is_integer),
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "float": ("a real number", _is_number(float)),
    "complex": ("a number", _is_number(complex)),
    "str": ("a string", lambda value: isinstance(value, str)),
    "None": ("None", lambda value: value is None),
    "Sequence": ("a sequence", lambda value: iter(value) is not None),
    "tuple": ("a tuple", lambda value: isinstance(value, (tuple, list))),
}


def _fits(test, value):
    try:
        return test(value)
    except Exception:
        return False


def _explained(function, given, error):
    name = f"wavescan.{function.__name__}"
    large = []  # integers
    for argument, parameter in given.signature.parameters.items():
        if argument not in given.arguments:
            continue
        value = given.arguments[argument]
        named = [(argument, parameter.annotation, value)]
        if parameter.kind is parameter.VAR_KEYWORD:  # **rules: Unpack[Rules]
            rules = function.__globals__[parameter.annotation.partition("[")[2][:-1]].__annotations__
            named = [(k, rules[k].__forward_arg__, v) for k, v in value.items() if k in rules]
        elif parameter.default is parameter.empty and value is None:
            return TypeError(f"{name}: '{argument}' must not be None")
        for key, annotation, value in named:
            kinds = [part.partition("[")[0].strip() for part in annotation.split("|")]
            if not all(kind in _kinds for kind in kinds):
                continue  # arrays say themselves what they are
            if not any(_fits(_kinds[kind][1], value) for kind in kinds):
                wanted = " or ".join(_kinds[kind][0] for kind in kinds)
                return TypeError(f"{name}: '{key}' must be {wanted}, got {_described(value)}")
            if "int" in kinds and value is not None and not -(2**31) <= value < 2**31:
                large.append(f"{name}: '{key}' must be a smaller integer, got {value}")
    if large and "incompatible function arguments" in str(error):
        return ValueError(large[0])
    return (TypeError if isinstance(error, TypeError) else ValueError)(f"{name}: {error}")


def _described(value):
    text = repr(value) if isinstance(value, (int, float, complex, str, bytes)) else ""
    return f"{type(value).__name__}{' ' + text if 0 < len(text) < 40 else ''}"
