# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""The reference: a page for each public function, class, concept and enumeration, of what Doxygen found.

Overloads share a page. An example is taken from the manual, whose code is compiled and run by the tests;
where it prints something, the output is shown, too.
"""
import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

from declarations import declaration, first_line, lines_of
from markup import Markup, code, words

LAYERS = {
    "algebra": "Operators and algebras",
    "scan": "Scans and segmented scans",
    "filters": "Filters and recurrences",
    "columns": "Tridiagonal systems",
    "sliding": "Stream compaction and padding",
    "wavefront": "Wavefront loops",
    "sor": "Successive over-relaxation",
    "imaging": "Images",
    "alignment": "Alignments",
    "mpi": "Several processes",
    "gpu": "Devices",
    "common": "Views, grids, workspaces",
}
KINDS = {"function": ("functions", "Functions"), "class": ("classes", "Classes"),
         "concept": ("concepts", "Concepts"), "enum": ("enumerations", "Enumerations")}


class Entry:
    """What one page is about."""

    def __init__(self, kind, name, elements):
        self.kind, self.name, self.elements = kind, name, elements
        self.short = name.removeprefix("wavescan::")
        file = self.short.replace("::", ".")
        self.page = f"reference/{KINDS[kind][0]}/{file}"
        location = elements[0].find("location").get("file")
        self.layer = location.split("/")[1]
        self.header = location.split("/")[-1]
        brief = next((words(e.find("briefdescription")) for e in elements
                      if words(e.find("briefdescription"))), "")
        self.brief = brief

    @property
    def ids(self):
        return [element.get("id") for element in self.elements]


def read(folder):
    """Entries by name, of Doxygen's folder of XML."""
    functions, entries = defaultdict(list), []
    roots = [ElementTree.parse(file).getroot() for file in sorted(folder.glob("*.xml"))]
    private = {inner.get("refid") for root in roots for inner in root.iter("innerclass")
               if inner.get("prot") == "private"}
    for root in roots:
        for compound in root.findall("compounddef"):
            if compound.get("id") in private:
                continue
            name = compound.find("compoundname").text
            if compound.get("kind") == "namespace" and name.startswith("wavescan"):
                for member in compound.iter("memberdef"):
                    full = f"{name}::{member.find('name').text}"
                    if member.get("kind") == "function" and "operator" not in full:
                        functions[full].append(member)
                    elif member.get("kind") == "enum":
                        entries.append(Entry("enum", full, [member]))
            elif compound.get("kind") in ("class", "struct") and "<" not in name:
                entries.append(Entry("class", name, [compound]))
            elif compound.get("kind") == "concept":
                entries.append(Entry("concept", name, [compound]))
    classes = {entry.name for entry in entries}
    entries += [Entry("function", name, members) for name, members in functions.items()
                if name not in classes]  # deduction guides
    return {entry.name: entry for entry in entries if entry.layer in LAYERS}


class Reference:
    def __init__(self, checkout, xml, examples):
        self.checkout, self.examples = checkout, examples
        self.entries = read(xml)
        self.pages = {}  # Doxygen's identifiers, and those of members
        for entry in self.entries.values():
            for element, identifier in zip(entry.elements, entry.ids):
                self.pages[identifier] = entry.page
                for member in element.iter("memberdef"):
                    self.pages[member.get("id")] = entry.page
        names = {entry.short for entry in self.entries.values()}
        self.markup = Markup(self.link_of, names)

    def link_of(self, identifier):
        page = self.pages.get(identifier)
        return f"/{page}.md" if page else None

    def write(self, folder):
        for entry in self.entries.values():
            page = folder / f"{entry.page}.md"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text("\n".join(self.lines(entry)) + "\n", encoding="utf-8")
        for layer in LAYERS:
            page = folder / "reference" / f"{layer}.md"
            page.write_text("\n".join(self.layer_lines(layer)) + "\n", encoding="utf-8")
        index = ["# Reference", "", "Every public function and class, from the headers. `#include <WaveScan.hpp>` "
                 "brings all of them but those for several processes, whose header is `WaveScan_MPI.hpp`; "
                 "each page names the header that suffices.", "", "```{toctree}", ":maxdepth: 1", "",
                 *LAYERS, "```", ""]
        (folder / "reference" / "index.md").write_text("\n".join(index), encoding="utf-8")

    def layer_lines(self, layer):
        entries = [e for e in self.entries.values() if e.layer == layer]
        lines = [f"# {LAYERS[layer]}", ""]
        for kind, (_, title) in KINDS.items():
            found = sorted((e for e in entries if e.kind == kind), key=lambda e: e.short.lower())
            if not found:
                continue
            lines += [f"## {title}", "", "| | |", "|---|---|"]
            for entry in found:
                brief = self.markup.inline(entry.elements[0].find("briefdescription")).strip()
                brief = brief.replace("\\|", "|").replace("|", "\\|")
                brief = re.sub(r"[,:]+\.?$", ".", brief)  # what was to follow stands on the name's page
                lines.append(f"| [`{entry.short}`](/{entry.page}.md) | {brief} |")
            lines.append("")
        return lines

    def lines(self, entry):
        # Not in a table of contents: the theme writes all of these into every page.
        lines = ["---", "orphan: true", "---", "", f"# {entry.short}", "", f"`#include <{entry.header}>` · [{LAYERS[entry.layer]}]"
                 f"(/reference/{entry.layer}.md)", ""]
        lines += getattr(self, f"{entry.kind}_lines")(entry)
        return lines + self.example_lines(entry)

    def text(self, element):
        return (self.markup.blocks(element.find("briefdescription")) +
                self.markup.blocks(element.find("detaileddescription")))

    def function_lines(self, entry):
        lines = []
        for member in entry.elements:
            signature = declaration(self.checkout, member.find("location"))
            lines += ["```cpp", signature, "```", "", *self.text(member)]
        return lines

    def enum_lines(self, entry):
        [enum] = entry.elements
        lines = [*self.text(enum), "| Value | Meaning |", "|---|---|"]
        for value in enum.findall("enumvalue"):
            meaning = " ".join(self.markup.inline(value.find(kind)).strip()
                               for kind in ("briefdescription", "detaileddescription"))
            lines.append(f"| `{value.find('name').text}` | {meaning} |")
        return lines + [""]

    def concept_lines(self, entry):
        [concept] = entry.elements
        definition = "".join(concept.find("initializer").itertext()).strip()
        return [*self.text(concept), "```cpp", definition.replace("wavescan::", ""), "```", ""]

    def class_lines(self, entry):
        [compound] = entry.elements
        lines = ["```cpp", self.head_of(compound), "```", "", *self.text(compound)]
        fields, functions = [], defaultdict(list)
        for section in compound.findall("sectiondef"):
            if not section.get("kind").startswith(("public", "friend")):
                continue
            for member in section.findall("memberdef"):
                if member.get("kind") == "variable":
                    fields.append(member)
                elif member.get("kind") == "function" and "operator==" not in member.find("name").text:
                    functions[member.find("name").text].append(member)
        if fields:
            lines += ["## Members", "", "| | |", "|---|---|", *map(self.field_row, fields), ""]
        for name, members in functions.items():
            lines += [f"## {'Constructors' if name == entry.name.split('::')[-1] else name}", ""]
            for member in members:
                signature = declaration(self.checkout, member.find("location"))
                lines += ["```cpp", signature, "```", "", *self.text(member)]
        return lines

    def field_row(self, member):
        declared = f"{words(member.find('type'))} {member.find('name').text}"
        value = member.find("initializer")
        if value is not None and len(words(value)) < 40:
            declared += " " + words(value)
        meaning = " ".join(" ".join(self.markup.inline(para).strip()
                                    for para in member.find(kind))
                           for kind in ("briefdescription", "detaileddescription")).strip()
        return f"| {code(declared.replace('|', chr(92) + '|'))} | {meaning} |"

    def head_of(self, compound):
        location = compound.find("location")
        lines = lines_of(self.checkout / location.get("file"))
        line = int(location.get("line")) - 1
        begin = first_line(lines, line)
        head = "\n".join(lines[begin:line + 1])
        return head.split("{")[0].strip() + ";"

    def example_lines(self, entry):
        lines, found = [], self.examples.of(entry.short)
        if found:
            best = found[0]
            lines += ["## Example", "", "```cpp", best.code, "```", ""]
            if best.output:
                lines += ["prints", "", "```text", best.output, "```", ""]
            lines += [f"From [{best.page_title}: {best.heading}]({best.link}).", ""]
        pages = self.examples.pages_that_name(entry.short)
        if pages:
            links = " · ".join(f"[{title}](/{page}.md)" for page, title in pages)
            lines += ["## In the manual", "", links, ""]
        return lines
