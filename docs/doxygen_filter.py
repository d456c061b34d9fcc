#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Gives Doxygen a Markdown page as it wants it: headings with labels that links can name.

    usage: doxygen_filter.py PAGE.md      (writes to standard output)

In the sources a link names a heading as web hosts do, by its words: scans.md#the-axis. Doxygen wants
labels that are unique over all pages: "## The axis {#scans-the-axis}". Links to pages beside examples,
which are not in the reference, become their words.
"""
import re
import sys
from pathlib import Path


def words(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def main():
    page = Path(sys.argv[1])
    text = re.sub(r"^<!--.*?-->\n", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    fence = False
    for line in text.splitlines():
        fence ^= line.startswith("```")
        if not fence:
            line = re.sub(r"^(##+ )(.+)$",
                          lambda m: f"{m[1]}{m[2]} {{#{page.stem}-{words(m[2])}}}", line)
            line = re.sub(r"\[([^\]]*)\]\([^()]*examples/[^()]*\.md[^()]*\)", r"\1", line)
            line = re.sub(r"\]\((?:[^()#]*?([\w]+)\.md)?#([^)]+)\)",
                          lambda m: f"](#{m[1] or page.stem}-{m[2]})", line)
        print(line)


main()
