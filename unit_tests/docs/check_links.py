#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Checks that the links and pictures of Markdown pages lead somewhere.

    usage: check_links.py CHECKOUT PAGE.md...

Relative links must name a file or folder of the checkout, and their #anchor, if any, a heading of
that page. Addresses on the web are left alone.
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?\)|(?:src|href)=\"([^\"]+)\"")


def anchors(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for heading in re.findall(r"^#+ (.+)$", text, flags=re.M):
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        yield words.replace(" ", "-")


def faults(checkout, page):
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"),
                  flags=re.M | re.S)
    for match in LINK.finditer(text):
        link = match[1] or match[2]
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or not target.is_relative_to(checkout):
            yield f"{page}: '{link}' is not there"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{page}: '{link}' names no heading of that page"


def main():
    checkout = Path(sys.argv[1]).resolve()
    found = [fault for page in sys.argv[2:] for fault in faults(checkout, Path(page).resolve())]
    print("\n".join(found) or "all links lead somewhere")
    sys.exit(1 if found else 0)


main()
