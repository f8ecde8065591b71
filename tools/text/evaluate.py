"""How well detectors, or the baselines of Sweeney 2000 Fig. 24, do on a corpus in the format of
the folder `text` of $SFUMATO_DATA.

    python tools/text/evaluate.py CORPUS.json [--with rules] [--threshold 0.5] [--only ID ...]
    [--spans OUT.json]

`--with` is rules, patterns, words, straight, cues, a file of spans {"id": [[start, end, ...],
...]}, or module:name of a detector or of several. Baselines are handed what a database would know:
the direct identifiers as first spelt. Prints token recall, precision and F2 over what must be
masked; per class the share of entities of which every mention is covered; per kind of the corpus
the share of mentions; and per kind found the share of tokens that were wanted."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.text import Bid, Document, TextDetector
from sfumato.text.baselines import SearchWithCues, StraightSearch
from sfumato.text.detectors import PATTERNS, RULES, WORDS
from sfumato.text.finder import THRESHOLD, find

TOKEN = re.compile(r"\w+")
SMALL_WORDS = frozenset("mr mrs ms no nr about dr the of and a in on at from to for by".split())
NAMING = {
    "NAME": "name",
    "PERSON": "name",
    "MEDICAL_RECORD_NUMBER": "number",
    "CODE": "number",
    "NUMBER": "number",
}
"""Kinds of corpora that a database has: names, and numbers of records."""
NAMED = {
    "rules": RULES,
    "patterns": PATTERNS,
    "words": WORDS,
    "straight": (StraightSearch(),),
    "cues": (SearchWithCues(),),
}
Spans = Mapping[str, Sequence[Sequence[Any]]]


@dataclass
class Counts:
    """What was counted over a corpus."""

    hit: int = 0
    missed: int = 0
    extra: int = 0
    entities: dict[tuple[str, str, str], bool] = field(default_factory=dict)
    mentions: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    found: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    empty: Counter[bool] = field(default_factory=Counter)

    @property
    def recall(self) -> float:
        return self.hit / max(1, self.hit + self.missed)

    @property
    def precision(self) -> float:
        return self.hit / max(1, self.hit + self.extra)

    @property
    def f2(self) -> float:
        return 5 * self.precision * self.recall / max(1e-9, 4 * self.precision + self.recall)

    def entity_recall(self, kind: str) -> tuple[float, int]:
        values = [covered for (each, *_), covered in self.entities.items() if each == kind]
        return sum(values) / max(1, len(values)), len(values)


def measure(corpus: Iterable[Mapping[str, Any]], spans: Spans) -> Counts:
    """Compare spans with what a corpus says must be masked."""
    counts = Counts()
    for document in corpus:
        _measure_one(counts, document, spans.get(document["id"], ()))
    return counts


def _measure_one(
    counts: Counts, document: Mapping[str, Any], spans: Sequence[Sequence[Any]]
) -> None:
    text = document["text"]
    gold = [[*mention, "", ""][:5] for mention in document["gold"] if mention[3:4] != ["NO_MASK"]]
    found, wanted = _mask(text, spans), _mask(text, gold)
    if not gold:
        counts.empty[not any(found)] += 1
    for start, end, kind, group, entity in gold:
        covered = _is_covered(text, found, start, end)
        key = (group, document["id"], entity or f"{start}-{end}")
        counts.entities[key] = counts.entities.get(key, True) and covered
        counts.mentions[kind][covered] += 1
    for token in TOKEN.finditer(text):
        is_found, is_wanted = (all(mask[token.start() : token.end()]) for mask in (found, wanted))
        counts.hit += is_found and is_wanted
        counts.missed += is_wanted and not is_found
        counts.extra += is_found and not is_wanted
    for start, end, *rest in spans:
        for token in TOKEN.finditer(text, start, end):
            counts.found[rest[0] if rest else "found"][
                all(wanted[token.start() : token.end()])
            ] += 1


def _mask(text: str, spans: Iterable[Sequence[Any]]) -> bytearray:
    mask = bytearray(len(text))
    for start, end, *_ in spans:
        mask[start:end] = b"\1" * (min(end, len(text)) - start)
    return mask


def _is_covered(text: str, mask: bytearray, start: int, end: int) -> bool:
    """Whether all of a mention but its titles and small words is masked."""
    words = [
        match.span()
        for match in TOKEN.finditer(text, start, end)
        if match.group().lower() not in SMALL_WORDS
    ]
    return all(all(mask[one:other]) for one, other in words or [(start, end)])


def known_of(document: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """What a database would know of a document: each direct identifier as first spelt.

    Where a corpus does not say which are direct, the first two names and the first number: the
    patient, the physician."""
    first: dict[str, str] = {}
    left = {"name": 2, "number": 1}
    for start, end, kind, *rest in sorted(document["gold"], key=lambda gold: gold[0]):
        group, entity = [*rest, "", ""][:2]
        value = document["text"][start:end]
        sort = NAMING.get(kind, "")
        if group == "DIRECT":
            first.setdefault(entity or value, value)
        elif (
            group not in ("QUASI", "NO_MASK") and left.get(sort, 0) and value not in first.values()
        ):
            left[sort] -= 1
            first[entity or value] = value
    return {"name": tuple(first.values())}


def spans_by(
    detectors: Sequence[TextDetector],
    corpus: Iterable[Mapping[str, Any]],
    *,
    threshold: float = THRESHOLD,
    is_baseline: bool = False,
) -> Spans:
    """What detectors find in a corpus. Baselines alone are told what a database would know, and do
    not spread."""
    spans = {}
    for each in corpus:
        document = Document(each["text"], cues=known_of(each) if is_baseline else {})
        found = find(document, detectors, threshold=threshold, spreads=not is_baseline)
        spans[each["id"]] = [_span(bid) for bid in found]
    return spans


def _span(bid: Bid) -> list[Any]:
    return [bid.start, bid.end, str(bid.kind), round(bid.score, 3), bid.detector]


def lines(counts: Counts) -> Iterable[str]:
    """The figures as they are printed."""
    yield f"token recall {counts.recall:.4f}  precision {counts.precision:.4f}  F2 {counts.f2:.4f}"
    for group in sorted({key[0] for key in counts.entities}):
        share, number = counts.entity_recall(group)
        yield f"entities {group or 'all':8} {share:.4f} of {number}"
    if counts.empty:
        number = counts.empty.total()
        yield (
            f"texts with nothing to find, left alone: {counts.empty[True] / number:.4f} of {number}"
        )
    for title, table in (("mentions", counts.mentions), ("tokens found as", counts.found)):
        for kind, tally in sorted(table.items(), key=lambda item: -item[1].total()):
            yield f"{title} {kind:32} {tally[True] / tally.total():.4f} of {tally.total()}"


def _detectors(name: str) -> Sequence[TextDetector]:
    if name in NAMED:
        return NAMED[name]
    module, _, attribute = name.partition(":")
    named = getattr(importlib.import_module(module), attribute)
    if isinstance(named, type):
        named = named()
    return tuple(named) if isinstance(named, Iterable) else (named,)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--with", dest="by", default="rules")
    parser.add_argument("--threshold", type=float, default=THRESHOLD)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--spans", type=Path)
    asked = parser.parse_args(arguments)
    corpus = [
        each
        for each in json.loads(asked.corpus.read_text(encoding="utf-8"))
        if not asked.only or each["id"] in asked.only
    ]
    started = time.process_time()
    if asked.by.endswith(".json"):
        spans = json.loads(Path(asked.by).read_text(encoding="utf-8"))
    else:
        spans = spans_by(
            _detectors(asked.by),
            corpus,
            threshold=asked.threshold,
            is_baseline=asked.by in ("straight", "cues"),
        )
    taken = time.process_time() - started
    if asked.spans:
        asked.spans.write_text(json.dumps(spans), encoding="utf-8")
    for line in lines(measure(corpus, spans)):
        sys.stdout.write(line + "\n")
    sys.stdout.write(
        f"{sum(len(each['text']) for each in corpus) / 1e6:.2f} MB in {taken:.1f} CPU seconds\n"
    )


if __name__ == "__main__":
    main()
