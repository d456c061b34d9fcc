# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""The manual's examples, and which functions and classes they use."""
import re
from collections import Counter
from dataclasses import dataclass

BLOCK = re.compile(r"^```cpp\n(.*?)^```$(?:\n+^```output\n(.*?)^```$)?", re.M | re.S)
LONGEST = 45  # lines


@dataclass
class Example:
    code: str
    last_block: str
    output: str
    heading: str
    page_title: str
    link: str


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class Examples:
    """Of pages: names, as the site has them, and Markdown."""

    def __init__(self, pages):
        self.examples = []
        self.names = {page: Counter(re.findall(r"\w+(?:::\w+)*", text))
                      for page, text in pages.items() if not page.endswith(("changelog", "_design"))}
        self.titles = {page: re.search(r"^# (.+)$", text, re.M)[1] for page, text in pages.items()}
        for page, text in pages.items():
            for section in re.split(r"^(?=##? )", text, flags=re.M):
                heading = re.match(r"##? (.+)", section)
                before = ""  # what the section has so far, which declares what later blocks use
                for code, output in BLOCK.findall(section):
                    name = heading[1] if heading else self.titles[page]
                    link = f"/{page}.md" + ("" if section.startswith("# ") else f"#{slug(name)}")
                    whole = f"{before}\n{code}".strip() if "int main(" not in code else code.strip()
                    self.examples.append(Example(whole, code, output.rstrip(), name,
                                                 self.titles[page], link))
                    if whole.count("\n") > LONGEST / 2:
                        self.examples.append(Example(code.strip(), code, output.rstrip(), name,
                                                     self.titles[page], link))
                    before = "" if output or "int main(" in code else whole

    def of(self, name):
        """Those that use it, the best first: that print, that say what their Views are, the shortest."""
        use = re.compile(rf"\bwavescan::{re.escape(name)}\b(?!::)")
        found = [e for e in self.examples
                 if use.search(e.last_block) and e.code.count("\n") < LONGEST]
        return sorted(found, key=lambda e: (not e.output, "Kokkos::View" not in e.code,
                                            e.code.count("\n")))

    def pages_that_name(self, name):
        """Pages of the manual that name it most often."""
        counts = {page: names[name] + names[f"wavescan::{name}"] for page, names in self.names.items()}
        best = sorted((page for page in counts if counts[page]), key=lambda page: -counts[page])[:5]
        return [(page, self.titles[page]) for page in best]
