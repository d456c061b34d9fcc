# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""The Markdown pages of the checkout as those of the site, whose links stay inside of it.

In the checkout pages link to each other, to sources and to folders, as hosts of repositories show them. On
the site all pages lie in one folder, and sources that a page links to get pages of their own.
"""
import re
import shutil
from pathlib import Path

CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.M | re.S)
COMMENT = re.compile(r"^<!--.*?-->\n?", re.M | re.S)
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".cmake": "cmake", ".txt": "cmake",
             ".json": "json"}
IN_ROOT = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "GOVERNANCE.md", "SECURITY.md",
           "CODE_OF_CONDUCT.md"]


def site_name(path):
    """The page of a Markdown file, which is relative to the checkout."""
    if path == Path("README.md"):
        return "index"
    if path.name == "README.md":
        return path.parent.name if path.parent.name != "data" else "example_data"
    return path.stem.lower()


class Manual:
    def __init__(self, checkout):
        self.checkout = checkout
        files = [*map(Path, IN_ROOT), *(path.relative_to(checkout) for pattern in
                                        ("docs/*.md", "docs/pages/*.md", "examples/*/README.md")
                                        for path in sorted(checkout.glob(pattern)))]
        self.files = {path: site_name(path) for path in files}
        self.texts = {name: (checkout / path).read_text(encoding="utf-8")
                      for path, name in self.files.items()}
        self.sources, self.pictures = set(), set()

    def write(self, folder, contents):
        """`contents`: the tables of contents, which the first page gets."""
        for path, name in self.files.items():
            text = self.converted(path)
            if name == "index":
                text += "\n" + self.completed(contents)
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
        for picture in self.pictures:
            target = folder / "images" / picture.name
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(self.checkout / picture, target)
        for source in sorted(self.sources):
            self.write_source(folder, source)

    def completed(self, contents):
        """The tables of contents; pages that they forget stand at the end of the manual."""
        forgotten = set(self.files.values()) - set(contents.split()) - {"index"}
        return contents.replace("\nwavescan\n", "\n".join(["", "wavescan", *sorted(forgotten), ""]))

    def converted(self, path):
        text = COMMENT.sub("", self.texts[self.files[path]])
        text = text.replace("```output\n", "```text\n")
        parts, end = [], 0
        for match in CODE.finditer(text):  # links are outside of code
            parts += [self.linked(path, text[end:match.start()]), match[0]]
            end = match.end()
        return "".join(parts) + self.linked(path, text[end:])

    def linked(self, path, text):
        # A link's words may hold code, which has been cut out: so the target alone is looked for.
        return re.sub(r"\]\(<?([^)\s>]+)>?\)", lambda m: f"]({self.target(path, m[1])})", text)

    def target(self, page, link):
        link, _, anchor = link.partition("#")
        anchor = anchor and f"#{anchor}"
        if not link or re.match(r"[a-z]+:", link):
            return link + anchor
        path = (self.checkout / page.parent / link).resolve().relative_to(self.checkout)
        if (path / "README.md") in self.files:
            path = path / "README.md"
        if path in self.files:
            return f"/{self.files[path]}.md{anchor}"
        if path.suffix in (".png", ".svg", ".jpg"):
            self.pictures.add(path)
            return f"/images/{path.name}"
        self.sources.add(path)
        return f"/{self.source_page(path)}.md"

    @staticmethod
    def source_page(path):
        return f"files/{str(path).lstrip('.')}"

    def write_source(self, folder, path):
        page = folder / f"{self.source_page(path)}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        source = self.checkout / path
        lines = ["---", "orphan: true", "---", "", f"# {path}", ""]
        if source.is_dir():
            lines += [f"- {child.name}" for child in sorted(source.iterdir())]
        else:
            text = source.read_text(encoding="utf-8").rstrip()
            language = "bash" if text.startswith("#!") else LANGUAGES.get(source.suffix, "text")
            lines += [f"``````{language}", text, "``````"]
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
