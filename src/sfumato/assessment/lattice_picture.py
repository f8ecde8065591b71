"""The picture of the lattice in a release's report, copied from it element by element.

The report is a file that somebody may have changed, so nothing is copied as it is. Shapes and words
of the picture are copied, and a picture with anything else is refused."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from sfumato.releases import REPORT
from sfumato.report import Html, tag

_PICTURE = re.compile(
    r'<svg (?:xmlns="[^"]*" )?[^<>]*aria-label="Lattice of [^<>]*>.*?</svg>', re.DOTALL
)
_SHAPES = frozenset({"svg", "g", "path", "circle", "rect", "text", "title"})
_SAID = frozenset(
    "viewBox role aria-label font-family font-size stroke fill d x y cx cy r width height "
    "text-anchor".split()
)
LARGEST = 2_000_000


def lattice_picture(folder: Path) -> str:
    """The SVG of the lattice, or nothing where the report has none."""
    report = folder / REPORT
    try:
        if report.stat().st_size > 10 * LARGEST:
            return ""
        page = report.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    found = _PICTURE.search(page)
    if found is None or len(found[0]) > LARGEST:
        return ""
    try:
        return _copied(ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", found[0])))
    except (ElementTree.ParseError, ValueError):
        return ""


def _copied(shape: ElementTree.Element) -> Html:
    """The same shape made anew; ValueError where it is none that a picture of the lattice has."""
    if shape.tag not in _SHAPES or not _SAID.issuperset(shape.attrib):
        raise ValueError("not a picture of the lattice")
    if any("url" in value.lower() or ":" in value for value in shape.attrib.values()):
        raise ValueError("not a picture of the lattice")
    children = [_copied(child) for child in shape]
    words = [shape.text] if shape.text and shape.text.strip() else []
    said = {name.replace("-", "_"): value for name, value in shape.attrib.items()}
    return tag(shape.tag, *words, *children, **said)
