#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Checks that a page names every header that keeps something beyond plans and calls, and no other.

    usage: check_static.py SRC PAGE.md

Looks for variables of static or thread storage, on hosts and devices, that are no compile-time
constants. Names of headers count where the page gives them as `.../WaveScan_Name.hpp` in a table.
"""
import re
import sys
from pathlib import Path

VARIABLES = re.compile(
    r"^(?!.*operator) *(?:(?:inline )?static(?! constexpr| inline| __device__)|thread_local"
    r"|inline(?! constexpr)|extern(?! (?:template|__shared__|\"C\"))|__constant__|__managed__"
    r"|__device__(?! inline)) [^()\n]*(?:=|;|\{)", re.M)


def main():
    kept = {path.name for path in Path(sys.argv[1]).rglob("*.hpp")
            if VARIABLES.search(path.read_text(encoding="utf-8"))}
    page = Path(sys.argv[2]).read_text(encoding="utf-8")
    section = page.partition("## Plans and enqueueing")[2].partition("\n## ")[0]
    named = set(re.findall(r"^\|.*`(?:[a-z]+/)*(WaveScan_\w+\.hpp)` \|$", section, re.M))
    for name in sorted(kept - named):
        print(f"{name} keeps something that the page does not name")
    for name in sorted(named - kept):
        print(f"{name} keeps nothing, but the page names it")
    if not kept or kept != named:
        sys.exit(1)
    print("named: " + ", ".join(sorted(kept)))


main()
