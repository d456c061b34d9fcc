#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Checks that what Markdown pages show of source files is what stands there.

    usage: check_excerpts.py CHECKOUT PAGE.md...

A comment <!-- from: FILE --> before a ```cpp block names the file, relative to the checkout, of which the
block holds some neighbouring lines. Such blocks are compiled where the file is.
"""
import re
import sys
from pathlib import Path

EXCERPT = re.compile(r"^<!-- from: (\S+) -->\n```cpp\n(.*?)^```$", re.M | re.S)


def faults(checkout, page):
    for path, code in EXCERPT.findall(page.read_text(encoding="utf-8")):
        source = checkout / path
        if not source.is_file():
            yield f"{page}: '{path}' is not there"
        elif "\n" + code not in source.read_text(encoding="utf-8"):
            yield f"{page}: not what {path} has:\n{code}"


def main():
    checkout = Path(sys.argv[1])
    found = [fault for page in sys.argv[2:] for fault in faults(checkout, Path(page))]
    print("\n".join(found) or "all excerpts are what the sources have")
    sys.exit(1 if found else 0)


main()
