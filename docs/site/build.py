#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Builds the documentation's site. Warnings are errors.

    usage: build.py OUTPUT_FOLDER WORK_FOLDER

Needs Doxygen and the packages of docs/requirements.txt; scripts/docs provides these.
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path

from examples import Examples
from manual import Manual
from reference import Reference

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]


def run_doxygen(work):
    settings = (HERE / "Doxyfile").read_text(encoding="utf-8") + f'\nOUTPUT_DIRECTORY = "{work}"\n'
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=CHECKOUT, check=True)
    return work / "xml"


def main():
    output, work = (Path(argument).resolve() for argument in sys.argv[1:3])
    pages = work / "pages"
    for folder in (pages, work / "xml"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    manual = Manual(CHECKOUT)
    manual.write(pages, (HERE / "contents.md").read_text(encoding="utf-8"))
    reference = Reference(CHECKOUT, run_doxygen(work), Examples(manual.texts))
    reference.write(pages)
    names = {entry.short: entry.page for entry in reference.entries.values()}
    (work / "names.json").write_text(json.dumps(names), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q",
                    "-j", "auto", "-c", CHECKOUT / "docs",
                    "-d", work / "doctrees", "-D", f"wavescan_names={work / 'names.json'}",
                    pages, output], check=True)
    print(f"-- the site: {output / 'index.html'}, {len(names)} names in its reference")


main()
