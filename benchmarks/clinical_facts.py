"""Clinical facts kept by Scrub, by class, and how much of visit notes is changed.

`python -m benchmarks clinical_facts` scrubs 2,000 made-up notes whose facts are known, with and
without identities, and compares facts line by line. The visit notes are ACI-Bench and MTS-Dialog
under $SFUMATO_DATA; left out where they are not there. They have names in them, so the table says
what is replaced by kind, and a person must read whether it was medicine."""

from __future__ import annotations

import csv
import re
import time
from collections import Counter
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from sfumato.datasets.clinical_notes import count_facts, make_clinical_notes
from sfumato.text import Document
from sfumato.text.detectors import detectors, usual_set
from sfumato.text.scrubber import find_together, scrub

from .data import DATA, have

NOTES = 1_000
CARRIERS = {
    "text/carriers/aci_bench_train.csv": "note",
    "text/carriers/mts_dialog_train.csv": "section_text",
}
WORD = re.compile(r"\w+")


def main() -> None:
    console = Console(width=120)
    console.print(_facts())
    missing = [file for file in CARRIERS if not have(file)]
    if missing:
        console.print("Visit notes are left out: SFUMATO_DATA has no text/carriers.")
        return
    console.print(_visit_notes())


def _facts() -> Table:
    every: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    leaked = identities = 0
    for named in (False, True):
        notes = list(make_clinical_notes(NOTES, identities=named))
        texts = [Document(note.text, name=str(place)) for place, note in enumerate(notes)]
        done = scrub(texts, secret=bytes(range(32)), detectors=detectors(usual_set()))
        for note, scrubbed in zip(notes, done.documents, strict=True):
            every += count_facts(note.facts)
            changed += count_facts(note.changed_facts(scrubbed.text))
            identities += len(note.identities)
            leaked += sum(
                re.search(rf"(?<!\w){re.escape(value)}(?!\w)", scrubbed.text) is not None
                for value in note.identities
            )
    table = Table(title=f"clinical facts kept; {leaked} of {identities:,} identities left")
    for heading in ("class", "facts", "kept"):
        table.add_column(heading, justify="right")
    for kind, count in sorted(every.items()):
        table.add_row(kind, f"{count:,}", f"{1 - changed[kind] / count:.4f}")
    table.add_row("all", f"{every.total():,}", f"{1 - changed.total() / every.total():.4f}")
    return table


def _visit_notes() -> Table:
    table = Table(title="visit notes: what is replaced, by kind")
    for heading in ("kind", "words", "per 1,000"):
        table.add_column(heading, justify="right")
    words = 0
    replaced: Counter[str] = Counter()
    started = time.process_time()
    for text in _texts():
        words += len(WORD.findall(text))
        for bid in find_together([Document(text)], detectors=detectors(usual_set())).masked[0]:
            replaced[str(bid.kind)] += len(WORD.findall(text, bid.start, bid.end))
    for kind, count in replaced.most_common():
        table.add_row(kind, f"{count:,}", f"{1000 * count / words:.2f}")
    table.caption = f"{words:,} words in {time.process_time() - started:.1f} CPU s"
    return table


def _texts() -> Iterator[str]:
    csv.field_size_limit(1 << 24)
    for file, column in CARRIERS.items():
        with (DATA / file).open(encoding="utf-8", newline="") as opened:
            yield from (row[column] for row in csv.DictReader(opened))
