"""What is masked in a corpus for a purpose, as spans that score.py and evaluate.py read.

    python tools/text/decided_spans.py CORPUS.json [--with all] [--purpose "singling out"]
    [--weights FILE] > SPANS.json

`--with` is all, rules or learned (the conditional random field alone, which then spreads nothing
either); transformer is all with the transformer too, transformed the transformer alone. `--weights`
and `--network` are files to use instead of the package's."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from sfumato.text import Document, TextDetector
from sfumato.text.decision import FLOOR, Purpose, masked
from sfumato.text.detectors import RULES
from sfumato.text.detectors.learned_references import LearnedReferences
from sfumato.text.finder import find
from sfumato.text.learned.weights import packaged, read_weights

TRANSFORMED = ("transformer", "transformed")


def transformed(file: Path | None) -> TextDetector:
    from sfumato.text.detectors.transformed_references import TransformedReferences
    from sfumato.text.learned.transformer import read_network

    if file is None:
        return TransformedReferences()
    with file.open("rb") as opened:
        return TransformedReferences(network=read_network(opened))


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("corpus", type=Path)
    asked.add_argument(
        "--with", dest="by", default="all", choices=("all", "rules", "learned", *TRANSFORMED)
    )
    asked.add_argument(
        "--purpose", type=Purpose, default=Purpose.SINGLING_OUT, choices=list(Purpose)
    )
    asked.add_argument("--weights", type=Path)
    asked.add_argument("--network", type=Path)
    given = asked.parse_args()
    if given.weights:
        with given.weights.open("rb") as file:
            learned = LearnedReferences(weights=read_weights(file))
    else:
        learned = LearnedReferences(weights=packaged())
    rules = tuple(each for each in RULES if not isinstance(each, LearnedReferences))
    detectors: tuple[TextDetector, ...]
    detectors = {"all": (*rules, learned), "rules": rules, "learned": (learned,)}.get(given.by, ())
    if given.by in TRANSFORMED:
        transformer = transformed(given.network)
        detectors = (*rules, learned, transformer) if given.by == "transformer" else (transformer,)
    corpus = json.loads(given.corpus.read_text(encoding="utf-8"))
    began = time.process_time()
    spans = {}
    for each in corpus:
        document = Document(each["text"])
        found = find(
            document, detectors, threshold=FLOOR, spreads=given.by not in ("learned", "transformed")
        )
        spans[each["id"]] = [
            [bid.start, bid.end, str(bid.kind)]
            for bid in masked(document, found, purpose=given.purpose)
        ]
    taken = time.process_time() - began
    sys.stderr.write(
        f"{sum(len(each['text']) for each in corpus) / 1e6 / taken:.2f} MB for each CPU second\n"
    )
    json.dump(spans, sys.stdout)


if __name__ == "__main__":
    main()
