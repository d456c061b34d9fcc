# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Settings of Sphinx. docs/site/build.py makes the pages, and calls it."""
import json
import re
from pathlib import Path

from docutils import nodes

CHECKOUT = Path(__file__).resolve().parents[1]

project = "WaveScan"
author = "the WaveScan contributors"
project_copyright = "WaveScan contributors"
release = re.search(r"VERSION (\d+\.\d+\.\d+)",
                    (CHECKOUT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
version = release

extensions = ["myst_parser", "sphinx_copybutton"]
myst_heading_anchors = 4
highlight_language = "text"
root_doc = "index"

html_theme = "furo"
html_title = f"WaveScan {release}"
html_static_path = [str(CHECKOUT / "docs/site/static")]
html_css_files = ["wavescan.css"]
html_show_sourcelink = False
html_copy_source = False
html_use_index = False  # the reference has lists of its own

# Also words of other meanings.
AMBIGUOUS = {"fence", "multiply", "reversed", "transposed", "wavefront"}
NAME = re.compile(r"(?:wavescan::)?((?:mpi::)?\w+)(?:\(\))?")


def link_names(app, doctree, here):
    """Makes links of names in running text that have a page in the reference, which is that of C++."""
    if here == "python":
        return
    for literal in list(doctree.findall(nodes.literal)):
        match = NAME.fullmatch(literal.astext())
        named = match and match[1] not in AMBIGUOUS
        page = app.wavescan_names.get(match[1]) if named else None
        parent = literal.parent
        while parent is not None and not isinstance(parent, (nodes.reference, nodes.title)):
            parent = parent.parent
        if page is None or page == here or parent is not None:
            continue
        link = nodes.reference("", "", internal=True,
                               refuri=app.builder.get_relative_uri(here, page))
        literal.replace_self(link)
        link += literal


def read_names(app):
    file = app.config.wavescan_names
    app.wavescan_names = json.loads(Path(file).read_text(encoding="utf-8")) if file else {}


def setup(app):
    app.add_config_value("wavescan_names", "", "env", str)
    app.connect("builder-inited", read_names)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
