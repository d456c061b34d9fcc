#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Turns the C++ blocks of Markdown pages into tests.

    usage: extract_code.py OUTPUT_FOLDER PAGE.md...

Every ```cpp block is compiled and run (mark others as ```text):
- a block with a main function is a program: PAGE_program_N.cpp;
- the other blocks of a section (from one level-2 heading to the next) make one test in PAGE.cpp;
  declarations, which begin with struct or template, are seen by later sections too;
- an ```output block holds what the section has printed since its last such block;
- a block behind a comment <!-- from: FILE --> is part of that file, see check_excerpts.py;
- a comment <!-- cpp: ... --> holds statements that readers do not see: preparations, and
  expectations that keep true what the text says. TestDocs.hpp has some help for them.
"""
import re
import sys
from pathlib import Path

LICENSE = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
"""
PIECE = re.compile(r"^<!-- from: \S+ -->\n```cpp\n(?P<excerpt>.*?)^```$"
                   r"|^```cpp\n(?P<code>.*?)^```$|^```output\n(?P<output>.*?)^```$"
                   r"|^<!-- cpp: (?P<hidden>.*?)\s-->$", re.M | re.S)
DECLARATION = re.compile(r"(//[^\n]*\n)*(struct|template)\b")


def identifier(text):
    return re.sub(r"\W+", "_", text.lower()).strip("_0123456789")


def sections(text):
    """Pairs of a heading and the text below it."""
    parts = re.split(r"^## (.+)$", re.sub(r"^# ", "## ", text, count=1, flags=re.M), flags=re.M)
    return zip(parts[1::2], parts[2::2])


def extract(page):
    """The files that a page becomes: names and contents."""
    stem = identifier(page.stem)
    includes, tests, programs = [], [], []
    for heading, body in sections(page.read_text(encoding="utf-8")):
        declarations, statements = [], []
        for piece in PIECE.finditer(body):
            if piece["excerpt"]:
                continue
            if piece["output"]:
                statements.append(f'EXPECT_EQ(printed.since_last(), R"({piece["output"]})");')
            elif piece["hidden"]:
                statements.append(piece["hidden"])
            elif "int main(" in piece["code"]:
                programs.append(piece["code"])
            else:
                lines = piece["code"].splitlines()
                includes += [line for line in lines if line.startswith("#include")]
                code = "\n".join(line for line in lines if not line.startswith("#include"))
                is_declaration = DECLARATION.match(code.strip())
                (declarations if is_declaration else statements).append(code)
        tests += declarations
        if any("printed." in statement for statement in statements):
            statements.insert(0, "Printed printed;")
        if statements:
            name = identifier(heading)
            tests += [f"void {name}() {{", *statements, "}",  # nvcc wants no lambdas in TEST bodies
                      f"TEST({stem}, {name}) {{ {name}(); }}\n"]
    files = {}
    if tests:
        files[f"{stem}.cpp"] = "\n".join([
            LICENSE, *sorted(set(includes)), '#include "TestDocs.hpp"\n',
            f"namespace {stem}_page {{\n", *tests, "}\n"])
    for number, program in enumerate(programs):
        files[f"{stem}_program_{number}.cpp"] = LICENSE + program
    return files


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for page in sys.argv[2:]:
        files.update(extract(Path(page)))
    for old in folder.glob("*.cpp"):
        if old.name not in files:
            old.unlink()
    for name, content in files.items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != content:
            file.write_text(content, encoding="utf-8")  # unchanged files are not built again


main()
