# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""The examples run, and write their pictures."""

import pathlib
import subprocess
import sys

import pytest

folder = pathlib.Path(__file__).parents[2] / "examples" / "python"
needs = {"learn_filter": ["torch", "scipy"], "zero_phase": ["scipy"], "returns": [], "dot_plot": []}


@pytest.mark.parametrize("example", sorted(folder.glob("*.py")), ids=lambda path: path.stem)
def test_example(example, tmp_path):
    for package in ["matplotlib", *needs.get(example.stem, ["skimage"])]:
        pytest.importorskip(package)
    picture = tmp_path / "picture.png"
    more = ["1e5"] if example.stem == "zero_phase" else []
    subprocess.run([sys.executable, example, picture, *more], check=True, timeout=300)
    assert picture.stat().st_size > 1000
