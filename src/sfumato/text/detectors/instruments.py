"""Instruments and sutures to keep: "Kelly clamp", "3-0 Vicryl", "#10 blade", "16 Fr catheter"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..word_reading import LOWER, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import SURE, has_before
from .name_evidence import TITLES

_TOOLS = frozenset(
    "sump stitch stitches stylet introducer "
    "clamp clamps retractor retractors forceps scissors elevator elevators rongeur rongeurs "
    "dissector dissectors needle needles drain drains suture sutures catheter catheters blade "
    "blades curette curettes speculum trocar trocars stapler staplers probe probes tenaculum "
    "cannula cannulas dilator dilators osteotome osteotomes chisel rasp reamer reamers plate "
    "plates screw screws nail nails mesh graft grafts stent stents shunt balloon snare cautery "
    "tourniquet brace halo splint collar prosthesis tube tubes tubing dressing wire wires".split()
)
_SIZED = re.compile(r"(?:#?\d{1,2}-0|[#No. ]{0,4}[0-6])[ -](?P<name>[A-Z][A-Za-z-]{2,})(?!\w)")
_GAUGE = re.compile(
    r"\d{1,2}(?:\.\d)?[- ](?:gauge|Fr|French|G)(?!\w)(?: [A-Z]?[a-z]{3,12}(?![\w']))?"
)
_BLADE = re.compile(r"\d{1,2}[- ]blade(?!\w)")
_OF_PERSON = frozenset("his her their the a an dear".split())


class Instruments:
    """Looks before the words for tools, and behind the sizes of threads."""

    name = "instruments"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from self._tools(read)
        yield from self._sizes(read)

    def _tools(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(_TOOLS):
            if read.shapes[place] != LOWER:
                continue
            first = place
            while first > 0 and place - first < 3 and read.gap(first - 1) in (" ", "-"):
                if not read.is_capital(first - 1) or read.folds[first - 1] in _OF_PERSON:
                    break
                first -= 1
            owned = read.folds[first].endswith("'s")
            if first < place and not owned and not has_before(read, first, TITLES):
                span = read.starts[first], read.ends[place]
                yield Bid(*span, None, SURE, self.name, "an instrument by its name")

    def _sizes(self, read: WordReading) -> Iterator[Bid]:
        for place in read.numbers:
            start = read.starts[place]
            if found := _BLADE.match(read.text, start) or _GAUGE.match(read.text, start):
                yield Bid(*found.span(), None, SURE, self.name, "an instrument by its size")
            elif read.text[start : start + 4].find("-0") > 0 and (
                found := _SIZED.match(read.text, start)
            ):
                yield Bid(*found.span(), None, SURE, self.name, "a thread with its size")


DECLARATION = DetectorDeclaration(
    key="instruments",
    doc="instruments and sutures to keep",
    kinds=(),
    basis=Basis.WORDS,
    make=Instruments,
    order=379,
    vetoes=True,
)
