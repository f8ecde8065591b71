"""How much Scrub finds in corpora, by source and kind: for a licensed corpus at its holder's.

    python tools/text/score_corpus.py CORPUS [CORPUS ...] [--detectors transformer]
    [--purpose "singling out"] [--spans SPANS.json] [--json]

A CORPUS is one source: a JSON list of {"id", "text", "gold"} as `evaluate.py` reads it, a folder of
i2b2 or n2c2 records (XML with TEXT and TAGS), or a folder of brat files (NAME.txt beside NAME.ann).
Nothing is sent or written, and no word of a corpus is printed.

A mention counts as found *strictly* where all its words are masked, titles and small words apart, and
*relaxed* where one is. A document leaks where a direct identifier is not found strictly. Intervals
are of 95 %, by drawing documents anew. Names are also grouped by gender and origin, which the
lexicons tell; most groups are small."""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from sfumato.text import Document
from sfumato.text.decision import Purpose
from sfumato.text.detectors import Detectors, detectors, usual_set
from sfumato.text.lexicons import first_names, folded, last_names, name_origins
from sfumato.text.scrubber import find_together

TOKEN = re.compile(r"\w+")
SMALL_WORDS = frozenset(
    "mr mrs ms miss dr drs prof md no nr about the of and a in on at from to for by".split()
)
DRAWS = 1_000
ORIGINS = {
    "English": "en us gb uk ie ga sco cy",
    "other European": "de nl es fr it pl pt el bg sk cs cz hr ru ro hu sv se no da dk fi lt lv et sl sr "
    "is eu ca sq mk be hy ka",
    "Arabic, Hebrew, Persian, Turkish": "aa ar he fa tr az kk uz",
    "South Asian": "in or ta hi ne bn te gu pa ur si lk",
    "East Asian": "zh ja ko vi th id tl ms my km lo jp kr cn vn",
    "African": "ke ng gh zu yo sw am ug tz et za",
}
NAMES = re.compile(r"(?i)^(?:name|person|patient|doctor|hcpname|nombre_\w+)\b")
BRAT = re.compile(r"T\S*\t(?P<kind>\S+) (?P<spans>\d[\d ;]*)\t")
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tally:
    """What one document adds: mentions, those found strictly and relaxed; words hit and masked."""

    mentions: int = 0
    strict: int = 0
    relaxed: int = 0
    hit: int = 0
    wanted: int = 0
    masked: int = 0
    leaks: int = 0
    documents: int = 1


def read_corpus(path: Path) -> list[Record]:
    """The documents of a source, in whichever of the three forms it has."""
    if path.is_file():
        return list(json.loads(path.read_text(encoding="utf-8")))
    out = [_read_i2b2(file) for file in sorted(path.rglob("*.xml"))]
    out += [_read_brat(file) for file in sorted(path.rglob("*.ann"))]
    if not out:
        sys.exit(f"{path} has no XML of i2b2 or n2c2 and no brat files (*.ann beside *.txt).")
    return out


def _read_i2b2(file: Path) -> Record:
    root = ElementTree.parse(file).getroot()
    text = root.findtext("TEXT") or ""
    gold = [
        [int(tag.attrib["start"]), int(tag.attrib["end"]), tag.attrib.get("TYPE", tag.tag), tag.tag]
        for tag in root.find("TAGS") or ()
        if "start" in tag.attrib
    ]
    return {"id": str(file), "text": text, "gold": gold}


def _read_brat(file: Path) -> Record:
    text = file.with_suffix(".txt").read_text(encoding="utf-8")
    gold = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if found := BRAT.match(line):
            for span in found["spans"].split(";"):
                start, end = map(int, span.split())
                gold.append([start, end, found["kind"], "PHI"])
    return {"id": str(file), "text": text, "gold": gold}


def find_spans(
    corpus: Iterable[Record], *, which: Detectors, purpose: Purpose
) -> dict[str, list[list[int]]]:
    """What Scrub masks, as anybody would run it: each document is a person's."""
    looking = detectors(which)
    out = {}
    for each in corpus:
        found = find_together([Document(each["text"])], purpose=purpose, detectors=looking)
        out[each["id"]] = [[bid.start, bid.end] for bid in found.masked[0]]
    return out


def tallies(record: Record, spans: Iterable[Sequence[Any]]) -> Iterator[tuple[str, Tally]]:
    """What a document adds to each group: to all, to its kinds, and to groups of names."""
    text = record["text"]
    gold = [[*mention, ""][:4] for mention in record["gold"] if mention[3:4] != ["NO_MASK"]]
    found, wanted = _mask(text, spans), _mask(text, gold)
    words = [(word.start(), word.end()) for word in TOKEN.finditer(text)]
    are_found = [all(found[a:b]) for a, b in words]
    are_wanted = [all(wanted[a:b]) for a, b in words]
    left = False
    seen: list[Tally] = []
    for start, end, kind, group in gold:
        parts = _words(text, start, end)
        covered = [all(found[a:b]) for a, b in parts]
        left |= not all(covered) and group != "QUASI"
        each = Tally(1, all(covered), any(covered))
        seen.append(each)
        yield f"kind {kind}", each
        if group in ("DIRECT", "QUASI"):
            yield f"class {group.lower()}", each
        if NAMES.match(kind) or NAMES.match(group):
            yield f"names: {gender_of(text[start:end])}", each
            yield f"names: {origin_of(text[start:end])}", each
    yield (
        "all",
        Tally(
            len(seen),
            sum(each.strict for each in seen),
            sum(each.relaxed for each in seen),
            sum(f and w for f, w in zip(are_found, are_wanted, strict=True)),
            sum(are_wanted),
            sum(are_found),
            left,
        ),
    )


def _mask(text: str, spans: Iterable[Sequence[Any]]) -> bytearray:
    mask = bytearray(len(text))
    for start, end, *_ in spans:
        mask[start:end] = b"\1" * (min(end, len(text)) - start)
    return mask


def _words(text: str, start: int, end: int) -> list[tuple[int, int]]:
    words = [
        word.span()
        for word in TOKEN.finditer(text, start, end)
        if word.group().lower() not in SMALL_WORDS
    ]
    return words or [(start, end)]


def gender_of(name: str) -> str:
    """What the lexicons say of the first name in it: women's, men's, either or unknown."""
    for word in TOKEN.findall(name):
        if entry := first_names().get(folded(word)):
            return {"f": "women's first name", "m": "men's first name"}.get(
                entry[0], "first name of either"
            )
    return "no first name known"


def origin_of(name: str) -> str:
    """The rarest origin that the lexicons know of its words; English only where nothing else is."""
    groups = list(ORIGINS)
    best = -1
    for word in TOKEN.findall(name):
        codes = set(name_origins().get(folded(word), "").split())
        known = [place for place, group in enumerate(groups) if codes & set(ORIGINS[group].split())]
        best = max(best, min(known, default=-1))
    if best >= 0:
        return f"{groups[best]} origin"
    listed = any(folded(word) in last_names() for word in TOKEN.findall(name))
    return "origin unknown, listed" if listed else "in no list"


def added(each: Sequence[Tally]) -> Tally:
    return Tally(
        *(sum(getattr(tally, name) for tally in each) for name in Tally.__dataclass_fields__)
    )


def interval(each: Sequence[Tally], figure: str) -> tuple[float, float]:
    """The middle 95 % of a figure over documents drawn anew, the same ones in every run."""
    dice = random.Random(22)
    drawn = sorted(FIGURES[figure](added(dice.choices(each, k=len(each)))) for _ in range(DRAWS))
    return drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS) - 1]


FIGURES = {
    "strict recall": lambda t: t.strict / max(1, t.mentions),
    "relaxed recall": lambda t: t.relaxed / max(1, t.mentions),
    "token recall": lambda t: t.hit / max(1, t.wanted),
    "token precision": lambda t: t.hit / max(1, t.masked),
    "documents with a leak": lambda t: t.leaks / max(1, t.documents),
}


def figures_of(corpus: Sequence[Record], spans: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a source with their intervals, and strict and relaxed recall by group."""
    groups: dict[str, list[Tally]] = {}
    for record in corpus:
        of_record: dict[str, list[Tally]] = {}
        for group, tally in tallies(record, spans.get(record["id"], ())):
            of_record.setdefault(group, []).append(tally)
        for group, each in of_record.items():
            groups.setdefault(group, []).append(added(each))
    every = groups.pop("all", [])
    total = added(every)
    return {
        "documents": len(corpus),
        "mentions": total.mentions,
        "figures": {
            name: [round(each(total), 4), *(round(end, 4) for end in interval(every, name))]
            for name, each in FIGURES.items()
        },
        "groups": {
            group: [
                added(each).mentions,
                *(
                    round(FIGURES[name](added(each)), 4)
                    for name in ("strict recall", "relaxed recall")
                ),
                *(round(end, 4) for end in interval(each, "strict recall")),
            ]
            for group, each in sorted(groups.items())
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument("--detectors", type=Detectors, choices=list(Detectors))
    parser.add_argument(
        "--purpose", type=Purpose, default=Purpose.SINGLING_OUT, choices=list(Purpose)
    )
    parser.add_argument("--spans", type=Path, help="spans that were found before")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    out = {}
    for path in asked.corpus:
        corpus = read_corpus(path)
        if asked.spans:
            spans = json.loads(asked.spans.read_text(encoding="utf-8"))
        else:
            which = asked.detectors or usual_set()
            spans = find_spans(corpus, which=which, purpose=asked.purpose)
        out[path.stem] = figures_of(corpus, spans)
    if asked.json:
        sys.stdout.write(json.dumps(out, indent=2) + "\n")
        return
    for source, found in out.items():
        sys.stdout.write(
            f"{source}: {found['documents']} documents, {found['mentions']} mentions\n"
        )
        for name, (value, least, most) in found["figures"].items():
            sys.stdout.write(f"  {name:24} {value:.4f} ({least:.4f} to {most:.4f})\n")
        for group, (number, strict, relaxed, least, most) in found["groups"].items():
            sys.stdout.write(
                f"  {group:44} {number:6} strict {strict:.4f} ({least:.4f} to {most:.4f})  relaxed {relaxed:.4f}\n"
            )


if __name__ == "__main__":
    main()
