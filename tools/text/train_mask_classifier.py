"""Learn the rule that decides what to mask in court decisions, and measure it by cross-validation.

    python tools/text/train_mask_classifier.py [--folds 5 | --by-country] [--threshold T] [--write]
    [--spans OUT.json]

Data: tab_mask_92 (Text Anonymization Benchmark, MIT). Figures printed are of decisions about
documents that the rule has not seen, and with `--by-country` of countries that it has not seen;
`--write` then learns from all of them and writes
learned/mask_classifier.json."""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from evaluate import lines, measure
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from training_data import DATA

from sfumato.text import Bid, Document
from sfumato.text.decision import FLOOR, _ruled
from sfumato.text.detectors import RULES
from sfumato.text.detectors.learned_references import LearnedReferences
from sfumato.text.detectors.transformed_references import TransformedReferences
from sfumato.text.finder import find
from sfumato.text.mask_classifier import MaskRule, facts_of

SEED = 20241115
HERE = Path(__file__).parents[2] / "src" / "sfumato" / "text" / "learned"
LEARNED = LearnedReferences()
BY_RULES = tuple(each for each in RULES if not isinstance(each, LearnedReferences))
DETECTORS = {
    "all": (*BY_RULES, LEARNED),
    "learned": (LEARNED,),
    "rules": BY_RULES,
    "transformer": (*BY_RULES, LEARNED, TransformedReferences()),
}
FILES = {"all": "mask_classifier.json", "transformer": "mask_classifier_with_transformer.json"}
"""Where the rule of a set of detectors is kept."""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--folds", type=int, default=5)
    asked.add_argument(
        "--by-country", action="store_true", help="decisions about one country in one part only"
    )
    asked.add_argument("--with", dest="by", default="all", choices=sorted(DETECTORS))
    asked.add_argument("--threshold", type=float, default=0.07)
    asked.add_argument("--strength", type=float, default=0.15)
    asked.add_argument("--alone", action="store_true", help="do not look again for what was found")
    asked.add_argument("--write", action="store_true")
    asked.add_argument("--spans", type=Path)
    given = asked.parse_args()
    corpus = json.loads((DATA / "tab_mask_92.json").read_text())
    found = {
        each["id"]: find(
            Document(each["text"]), DETECTORS[given.by], threshold=FLOOR, spreads=not given.alone
        )
        for each in corpus
    }
    say("everything found, before deciding:")
    show(corpus, {name: [[bid.start, bid.end] for bid in bids] for name, bids in found.items()})
    likely: dict[str, MaskRule] = {}
    for unseen in by_country(corpus) if given.by_country else by_chance(corpus, given.folds):
        learned = learn(
            [each for each in corpus if each["id"] not in unseen],
            found,
            given.threshold,
            given.strength,
        )
        likely.update(dict.fromkeys(unseen, learned))
    for threshold in sorted({0.04, 0.05, 0.055, 0.06, 0.065, 0.07, 0.08, given.threshold}):
        spans = {}
        for each in corpus:
            by = likely[each["id"]]
            decisions = _ruled(
                Document(each["text"]), found[each["id"]], MaskRule(by.bias, threshold, by.weights)
            )
            spans[each["id"]] = [
                [d.finding.start, d.finding.end, str(d.finding.kind)] for d in decisions if d.masks
            ]
        say(f"decided, threshold {threshold}:")
        show(corpus, spans)
        if threshold == given.threshold and given.spans:
            given.spans.write_text(json.dumps(spans))
    if given.write:
        write(learn(corpus, found, given.threshold, given.strength), HERE / FILES[given.by])


_STATE = re.compile(
    r"against (?:the )?((?:Republic|Federal|French|Kingdom|United)[\w ]+?)(?: and| \(|\"|,|\.| lodged| with)"
)


def by_country(corpus: list[dict[str, Any]]) -> list[set[str]]:
    """The decisions about each state with ten or more of them, and all others together."""
    states: dict[str, set[str]] = defaultdict(set)
    for each in corpus:
        found = _STATE.search(each["text"])
        states[found[1] if found else ""].add(each["id"])
    large = [ids for ids in states.values() if len(ids) >= 10]
    return [*large, set().union(*(ids for ids in states.values() if len(ids) < 10))]


def by_chance(corpus: list[dict[str, Any]], folds: int) -> list[set[str]]:
    order = [each["id"] for each in corpus]
    random.Random(SEED).shuffle(order)
    return [set(order[fold::folds]) for fold in range(folds)]


def show(corpus: list[dict[str, Any]], spans: dict[str, Any]) -> None:
    say("  " + "\n  ".join(list(lines(measure(corpus, spans)))[:3]))


def learn(
    corpus: list[dict[str, Any]],
    found: dict[str, tuple[Bid, ...]],
    threshold: float,
    strength: float,
) -> MaskRule:
    """Fit the rule; words that stand in fewer than three documents are left out, names among
    them."""
    facts, wanted, weights = [], [], []
    seen: dict[str, set[str]] = defaultdict(set)
    for each in corpus:
        document = Document(each["text"])
        mask = np.zeros(len(each["text"]), bool)
        for start, end, _, group, *_ in each["gold"]:
            mask[start:end] |= group != "NO_MASK"
        for finding, fact in zip(
            found[each["id"]], facts_of(document, found[each["id"]]), strict=True
        ):
            facts.append(fact)
            wanted.append(bool(mask[finding.start : finding.end].mean() > 0.3))
            weights.append(len(each["text"][finding.start : finding.end].split()) ** 0.5)
            for name in fact:
                seen[name].add(each["id"])
    kept = [{name: value for name, value in fact.items() if len(seen[name]) >= 3} for fact in facts]
    table = DictVectorizer()
    model = LogisticRegression(C=strength, max_iter=2000)
    model.fit(table.fit_transform(kept), wanted, sample_weight=weights)
    pairs = zip(table.get_feature_names_out(), model.coef_[0], strict=True)
    return MaskRule(
        float(model.intercept_[0]), threshold, {str(name): float(value) for name, value in pairs}
    )


def write(rule: MaskRule, path: Path) -> None:
    weights = {
        name: round(value, 3) for name, value in sorted(rule.weights.items()) if abs(value) >= 0.02
    }
    path.write_text(
        json.dumps(
            {"bias": round(rule.bias, 4), "threshold": rule.threshold, "weights": weights},
            indent=0,
            ensure_ascii=False,
        )
        + "\n"
    )
    say(f"{len(weights)} weights")


if __name__ == "__main__":
    main()
