# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Doxygen's XML of a docstring as Markdown."""
import re

SECTIONS = {"return": "Returns", "note": "Note", "see": "See", "param": "Arguments",
            "templateparam": "Template arguments", "exception": "Throws"}


def escaped(text):
    return re.sub(r"([\\`*_\[\]<>|$#{}~])", r"\\\1", text)


def words(element):
    """All text below an element."""
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def code(text):
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


class Markup:
    """Renders docstrings. `link_of(refid)` is the page of what Doxygen refers to, or None; `names` are
    those that are recognized in running text."""

    def __init__(self, link_of, names):
        self.link_of, self.names = link_of, names

    def text(self, text):
        """Running text. What has an underscore, and a page, is a name (which the site makes a link)."""
        pieces = re.split(r"\b(\w+_\w+(?:\(\))?)", text or "")
        return "".join(code(piece) if piece.removesuffix("()") in self.names else escaped(piece)
                       for piece in pieces)

    def inline(self, element):
        parts = [self.text(element.text)]
        for child in element:
            parts += [self.inline_child(child), self.text(child.tail)]
        return re.sub(r"\s+", " ", "".join(parts))

    def inline_child(self, child):
        if child.tag == "computeroutput":
            ref = child.find("ref")
            whole = ref is not None and words(ref) == words(child)
            return self.linked(ref, code(words(child))) if whole else code(words(child))
        if child.tag == "ref":
            return self.linked(child, code(words(child)))
        if child.tag in ("emphasis", "bold"):
            return f"*{self.inline(child)}*"
        if child.tag == "ulink":
            return f"[{self.inline(child)}]({child.get('url')})"
        return self.inline(child)

    def linked(self, ref, text):
        page = self.link_of(ref.get("refid"))
        return f"[{text}]({page})" if page else text

    def blocks(self, element, indent=""):
        """The paragraphs, lists and sections below an element, as lines."""
        lines, run = [], [self.text(element.text)]

        def flush():
            text = re.sub(r"\s+", " ", "".join(run)).strip()
            run.clear()
            if text:
                lines.extend([indent + text, ""])

        for child in element:
            block = self.block_of(child, indent)
            if block is None:
                run.append(self.inline_child(child))
            else:
                flush()
                lines += block
            run.append(self.text(child.tail))
        flush()
        return lines

    def block_of(self, child, indent):
        """The lines of a child that stands by itself, or None if it is part of the running text."""
        if child.tag == "para":
            return self.blocks(child, indent)
        if child.tag in ("verbatim", "programlisting"):
            text = "".join(child.itertext()).strip("\n")
            return [indent + line for line in ["```cpp", *text.splitlines(), "```"]] + [""]
        if child.tag in ("itemizedlist", "orderedlist"):
            lines = []
            for item in child.findall("listitem"):
                body = self.blocks(item, indent + "  ")
                lines += [f"{indent}- {body[0].strip()}", *body[1:]]
            return lines
        if child.tag == "simplesect":
            body = self.blocks(child)
            title = SECTIONS.get(child.get("kind"), child.get("kind"))
            return [f"**{title}:** {body[0]}", *body[1:]]
        if child.tag == "parameterlist":
            lines = [f"**{SECTIONS[child.get('kind')]}**", ""]
            for item in child.findall("parameteritem"):
                names = ", ".join(code(words(name)) for name in item.iter("parametername"))
                text = " ".join(self.inline(para).strip()
                                for para in item.find("parameterdescription"))
                lines.append(f"- {names}: {text}")
            return lines + [""]
        return None
