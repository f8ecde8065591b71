"""Letters, notes, queries and messages with made-up identities: python tools/text/generate.py COUNT > CORPUS.json

Texts are put together by the rules of grammar.txt and, for notes and dialogues, from sentences of open carriers
(ACI-Bench, MTS-Dialog; CC BY 4.0) and Presidio's templates (MIT). Rules kept from training are used with
`--held-out`: a corpus to measure on whose phrases were not learned. Same seed, same texts.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from pathlib import Path

from carriers import carried, dialogue, presidio
from made_up_values import Piece, Values, read_rules
from training_data import Example

_RULE = re.compile(r"<(\w+)>|\{\{?(\w+)\}?\}")


class Grammar:
    """Rules with their choices: each fifth choice is held out; `None` takes all."""

    def __init__(self, values: Values, *, held_out: bool | None = False) -> None:
        self.values, self.dice = values, values.dice
        self.rules = {
            name: [
                choice
                for number, choice in enumerate(choices, start=1)
                if held_out is None or name in _SHARED or (number % 5 == 0) == held_out
            ]
            for name, choices in read_rules(Path(__file__).parent / "grammar.txt").items()
        }

    def pieces(self, template: str) -> list[Piece]:
        """The template with all slots filled."""
        out: list[Piece] = []
        place = 0
        for found in _RULE.finditer(template):
            out.append((template[place : found.start()], None))
            rule, slot = found.groups()
            out += self.expand(rule) if rule else self.values(slot)
            place = found.end()
        return [*out, (template[place:], None)]

    def expand(self, rule: str) -> list[Piece]:
        choices = self.rules[rule]
        template = self.dice.choices([choice for _, choice in choices], [weight for weight, _ in choices])[0]
        return self.pieces(template)


_SHARED = frozenset(
    "sex sexshort end closing clauses problem complaint askshort short shortevents idpair mrnpair mrnlabel when".split()
)
"""Rules too small to be parted."""


def example_of(pieces: list[Piece]) -> Example:
    text = ""
    spans = []
    for piece, label in pieces:
        if label and piece:
            spans.append((len(text), len(text) + len(piece), label))
        text += piece
    return Example(text, tuple(spans))


def generated(count: int, *, seed: int, held_out: bool | None = False) -> list[Example]:
    """So many texts: of five, a letter, a note, a dialogue or message, and two queries, three in ten with nobody."""
    values = Values(seed)
    grammar = Grammar(values, held_out=held_out)
    makers = (letter, note, message, query, query)
    out = []
    for number in range(count):
        values.begin()
        example = example_of(makers[number % len(makers)](grammar))
        out.append(_recased(example, values.dice))
    return out


def letter(grammar: Grammar) -> list[Piece]:
    """A heading, whom it is about, a greeting, what is to be said, and who says it."""
    dice = grammar.dice
    out = grammar.pieces("{date}\n\n") if dice.random() < 0.8 else []
    out += grammar.expand("block")
    for _ in range(dice.randint(0, 4)):
        out += [(dice.choice(("\n", "\n", "     ")), None), *grammar.expand("field")]
    out += [
        ("\n\n", None),
        *grammar.expand("salutation"),
        ("\n\n", None),
        *body(grammar, dice.randint(4, 10)),
        ("\n\n", None),
    ]
    if dice.random() < 0.7:
        out += [*grammar.expand("closing"), ("\n\n", None)]
    return [*out, *grammar.expand("signature")]


def note(grammar: Grammar) -> list[Piece]:
    dice = grammar.dice
    out: list[Piece] = []
    between = dice.choice(("\n", "\n", "   ", " | ", "; "))
    for _ in range(dice.randint(0, 7)):
        out += [*grammar.expand("field"), (between, None)]
    for heading in dice.sample(
        ("HISTORY OF PRESENT ILLNESS", "Assessment and Plan:", "SOCIAL HISTORY", "HPI:", "Plan", ""), 2
    ):
        out += [(f"\n\n{heading}\n", None), *body(grammar, dice.randint(2, 6))]
    if dice.random() < 0.4:
        out += [("\n\n", None), *grammar.expand("signature")]
    return out


def body(grammar: Grammar, count: int) -> list[Piece]:
    """Sentences about somebody, among sentences of carriers."""
    dice = grammar.dice
    out: list[Piece] = []
    sentences = carried(dice, dice.randint(0, count))
    order = ["made"] * (count - len(sentences)) + ["carried"] * len(sentences)
    dice.shuffle(order)
    for kind in order:
        out += grammar.expand("note") if kind == "made" else _named(sentences.pop(), grammar)
        out.append((dice.choice((" ", " ", " ", "\n", "  ")), None))
    return out


def message(grammar: Grammar) -> list[Piece]:
    dice = grammar.dice
    roll = dice.random()
    if roll < 0.45:
        return grammar.pieces(dice.choice(presidio()))
    if roll < 0.65:
        return grammar.expand("message")
    out: list[Piece] = []
    for line in dialogue(dice):
        out += [*_named(line, grammar), ("\n", None)]
        if dice.random() < 0.12:
            out += [*grammar.expand("message" if dice.random() < 0.5 else "note"), ("\n", None)]
    return out


def query(grammar: Grammar) -> list[Piece]:
    return grammar.expand("plain" if grammar.dice.random() < 0.3 else "query")


_SUBJECT = re.compile(
    r"^(?:The patient|This patient|Patient|He|She)\b"
    r"(?= (?:is|was|has|had|states|reports|denies|does|presents|did|will|continues))"
)
_PARTS = re.compile(
    r"(?P<AGE>\b\d{1,2}(?:[- ]?(?:year|yr)s?[- ]?old|[- ]?y[./]?o\b))|"
    r"(?P<DATE>\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b)|"
    r"(?P<DEMOGRAPHIC>\b(?:African[- ]American|Caucasian|Hispanic|white|black|Asian)\b"
    r"(?= (?:male|female|man|woman|gentleman|lady|boy|girl)))",
    re.IGNORECASE,
)


def _named(sentence: str, grammar: Grammar) -> list[Piece]:
    """A sentence of a carrier, now and then with a name for its subject; ages and the like in it labelled."""
    out: list[Piece] = []
    subject = _SUBJECT.match(sentence)
    if subject and grammar.dice.random() < 0.35:
        out += grammar.values(grammar.dice.choice(("first", "titled", "fullname", "last", "titled")))
        sentence = sentence[subject.end() :]
    place = 0
    for found in _PARTS.finditer(sentence):
        out += [(sentence[place : found.start()], None), (found.group(), found.lastgroup)]
        place = found.end()
    return [*out, (sentence[place:], None)]


def _recased(example: Example, dice: random.Random) -> Example:
    """Now and then all in small letters, or all in capitals, as people write."""
    roll = dice.random()
    changed = example.text.lower() if roll < 0.07 else example.text.upper() if roll < 0.1 else example.text
    return Example(changed, example.spans) if len(changed) == len(example.text) else example


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("count", type=int)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--held-out", action="store_true")
    given = asked.parse_args()
    corpus = [
        {
            "id": f"g{number}",
            "text": example.text,
            "gold": [[start, end, label, "PII", f"{number}_{start}"] for start, end, label in example.spans],
        }
        for number, example in enumerate(generated(given.count, seed=given.seed, held_out=given.held_out))
    ]
    json.dump(corpus, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
