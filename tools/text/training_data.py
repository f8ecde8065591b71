"""Texts to learn from, each with its labelled spans: court decisions, noisy posts; the generated
ones are in generate.

Only open data, read in place: docs/text/crf-card.md lists it with its licences. Corpora kept for
measuring (tab_mask_92, asqphi_half, presidio_synth) are never read here."""

from __future__ import annotations

import json
import os
import random
import re
from dataclasses import dataclass
from pathlib import Path

from sfumato.text import lexicons

DATA = Path(os.environ.get("SFUMATO_DATA", Path(__file__).parents[3] / "shared" / "data")) / "text"


@dataclass(frozen=True, slots=True)
class Example:
    """A text with spans `(start, end, label)` that do not overlap."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


_TAB = {
    "PERSON": "NAME",
    "CODE": "NUMBER",
    "LOC": "TOWN",
    "ORG": "ORGANISATION",
    "DEM": "DEMOGRAPHIC",
    "DATETIME": "DATE",
    "QUANTITY": "QUANTITY",
    "MISC": "OTHER",
}
_HOSPITAL = re.compile(r"\b(?:hospital|clinic|medical cent|infirmary|hospice)", re.IGNORECASE)


def court_decisions(corpus: Path = DATA / "tab_mentions_202.json") -> list[tuple[str, Example]]:
    """Decisions of the Text Anonymization Benchmark (Pilán et al. 2022) with typed mentions; each
    with its id."""
    out = []
    for document in json.loads(corpus.read_text()):
        spans = []
        reach = 0
        for start, end, kind, *_ in sorted(document["gold"], key=lambda gold: (gold[0], -gold[1])):
            if start >= reach:
                spans.append((start, end, _finer(document["text"][start:end], kind)))
                reach = end
        out.append((document["id"], Example(document["text"], tuple(spans))))
    return out


def _finer(mention: str, kind: str) -> str:
    """The label of a mention: countries apart from other places, hospitals from other bodies, work
    from the rest."""
    bare = lexicons.folded(mention).removeprefix("the ").strip()
    if kind in ("LOC", "ORG") and bare in lexicons.countries():
        return "COUNTRY"
    if kind == "LOC" and bare in lexicons.regions() and bare not in lexicons.towns():
        return "REGION"
    if kind == "LOC" and any(mark.isdigit() for mark in mention):
        return "STREET"
    if kind in ("LOC", "ORG") and _HOSPITAL.search(mention):
        return "HOSPITAL"
    if kind == "DEM" and any(word in lexicons.professions() for word in (bare, *bare.split()[-1:])):
        return "PROFESSION"
    return _TAB[kind]


_WNUT = {"person": "NAME", "location": "TOWN", "corporation": "ORGANISATION"}


def noisy_posts(seed: int, *files: Path) -> list[Example]:
    """WNUT-17 posts (Derczynski et al. 2017), put together into words again. Groups stay unlabelled
    where unclear."""
    shuffled = random.Random(seed)
    out = []
    for file in files or (DATA / "carriers" / "wnut17train.conll",):
        for block in re.split(r"\n\s*\n", file.read_text()):
            rows = [row.split("\t") for row in block.splitlines() if "\t" in row]
            if rows and not any(row[-1].endswith("group") for row in rows):
                out.append(_joined([(row[0], row[-1].strip()) for row in rows]))
    shuffled.shuffle(out)
    return out


def _joined(rows: list[tuple[str, str]]) -> Example:
    text = ""
    spans: list[tuple[int, int, str]] = []
    for word, tag in rows:
        glue = "" if not text or word[0] in ".,!?;:)'" or text[-1] in "(@#" else " "
        start = len(text) + len(glue)
        text += glue + word
        label = _WNUT.get(tag[2:].strip())
        if label and tag.startswith("I-") and spans and spans[-1][2] == label:
            spans[-1] = (spans[-1][0], len(text), label)
        elif label:
            spans.append((start, len(text), label))
    return Example(text, tuple(spans))
