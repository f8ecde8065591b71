"""Letters, notes, queries and messages with made-up identities: python tools/text/generate.py COUNT
> CORPUS.json

    python tools/text/generate.py 2000 --held-out --least 1000 > CORPUS.json

Texts are put together by the rules of grammar.txt and, for notes and dialogues, from sentences of
open carriers (ACI-Bench, MTS-Dialog; CC BY 4.0) and Presidio's templates (MIT). Rules and names
kept from training are used with `--held-out`: a corpus to measure on whose phrases were not
learned, nor the names in it. Same seed, same texts."""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from carriers import carried, dialogue, presidio
from made_up_values import LABEL_OF, Piece, Rules, Values, read_rules
from training_data import Example

from sfumato.text.decision import BROAD

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
            for name, choices in _read_grammar().items()
        }
        self.templates = [
            template
            for number, template in enumerate(presidio(), start=1)
            if held_out is None or (number % 5 == 0) == held_out
        ]

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
        template = self.dice.choices(
            [choice for _, choice in choices], [weight for weight, _ in choices]
        )[0]
        return self.pieces(template)


def _read_grammar() -> Rules:
    """The rules of all files: letters and notes, texts beyond court and clinic, notes of wards."""
    here = Path(__file__).parent
    return {
        name: choices
        for file in ("grammar.txt", "genres.txt", "wards.txt")
        for name, choices in read_rules(here / file).items()
    }


_SHARED = frozenset(
    "sex sexshort end closing clauses problem complaint askshort short shortevents idpair "
    "mrnpair mrnlabel when He His he his him a".split()
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
    """So many texts: of ten, a letter, a note, a dialogue or message, two queries, three in ten with
    nobody, and a text of each genre: two lives, a mail, a post or report, and medicine alone."""
    return list(islice(_endless(seed, held_out=held_out), count))


def enough(
    count: int, *, least: int, seed: int, held_out: bool | None = False, recased: bool = True
) -> list[Example]:
    """So many texts, then only texts with a label that stands in them fewer than `least` times,
    until none is left."""
    out: list[Example] = []
    seen = Counter(dict.fromkeys(LABEL_OF.values(), 0))
    for example in _endless(seed, held_out=held_out, recased=recased):
        wanted = {label for label, often in seen.items() if often < least}
        labels = [label for _, _, label, masked in decided(example) if masked]
        if len(out) >= count and not wanted:
            return out
        if len(out) < count or not wanted.isdisjoint(labels):
            out.append(example)
            seen.update(labels)
    return out


def decided(example: Example) -> list[tuple[int, int, str, bool]]:
    """The spans, each with whether it should go: not an age under 90 nor a large group of people,
    nor what somebody is where nothing tells of whom."""
    told = any(label not in ("AGE", "DEMOGRAPHIC", "PROFESSION") for _, _, label in example.spans)
    return [
        (start, end, label, _is_masked(example.text[start:end], label, told=told))
        for start, end, label in example.spans
    ]


def _is_masked(value: str, label: str, *, told: bool) -> bool:
    if label == "AGE":
        return any(int(digits) >= 90 for digits in re.findall(r"\d+", value))
    return label not in ("DEMOGRAPHIC", "PROFESSION") or (told and value.lower() not in BROAD)


def _endless(seed: int, *, held_out: bool | None, recased: bool = True) -> Iterator[Example]:
    values = Values(seed, held_out=held_out)
    grammar = Grammar(values, held_out=held_out)
    for maker in cycle(MAKERS):
        values.begin()
        example = example_of(maker(grammar))
        yield _recased(example, values.dice) if recased else example


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
        (
            "HISTORY OF PRESENT ILLNESS",
            "Assessment and Plan:",
            "SOCIAL HISTORY",
            "HPI:",
            "Plan",
            "",
        ),
        2,
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
        return grammar.pieces(dice.choice(grammar.templates))
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


def life(grammar: Grammar) -> list[Piece]:
    """A biography or an obituary: one person first, then sentences in any order."""
    dice = grammar.dice
    if dice.random() < 0.2:
        return _sentences(grammar, "obit", dice.randint(3, 7))
    return [
        *grammar.expand("lead"),
        (" ", None),
        *_sentences(grammar, "bio", dice.randint(2, 12)),
    ]


def mail(grammar: Grammar) -> list[Piece]:
    dice = grammar.dice
    out = grammar.expand("mailhead") if dice.random() < 0.7 else []
    out += _sentences(grammar, "mail", dice.randint(2, 6))
    return [*out, ("\n\n", None), *grammar.expand("mailend")]


def report(grammar: Grammar) -> list[Piece]:
    """A post, a personnel file, a log or news."""
    dice = grammar.dice
    genre = dice.choice(("post", "post", "person", "log", "news", "news"))
    return _sentences(grammar, genre, 1 if genre == "post" else dice.randint(2, 7))


def medicine(grammar: Grammar) -> list[Piece]:
    """A note of medicine with nobody in it, among sentences of carriers: nothing is to be found."""
    dice = grammar.dice
    out: list[Piece] = []
    for _ in range(dice.randint(1, 5)):
        for piece, label in grammar.expand("bare"):
            out.append((_DIGIT.sub(lambda found: _redrawn(found[0], dice), piece), label))
        out.append((dice.choice((" ", "\n")), None))
        for sentence in carried(dice, dice.randint(0, 2)):
            out += [*_labelled(sentence), (" ", None)]
    return out


def ward(grammar: Grammar) -> list[Piece]:
    """A terse note from a ward, a theatre or a laboratory, or the prose of an operation; half of them
    with nobody in it."""
    dice = grammar.dice
    peopled = dice.random() < 0.5
    prose = dice.random() < 0.25
    between = dice.choice(("\n", "\n", "\n", ". ", "; ", "  ", ", "))
    out: list[Piece] = []
    if peopled and dice.random() < 0.6:
        out += [*grammar.expand("wh"), (dice.choice(("\n", "\n", "  ")), None)]
    for number in range(dice.randint(2, 16)):
        with_somebody = peopled and dice.random() < 0.35
        rule = "wp" if with_somebody else "wo" if prose else "wn"
        out += [(f"{number + 1}. ", None)] if between == "\n" and dice.random() < 0.05 else []
        for piece, label in grammar.expand(rule):
            if label is None:
                piece = _DIGIT.sub(lambda found: _redrawn(found[0], dice), piece)
            out.append((piece, label))
        mark = " " if rule == "wo" else between if dice.random() < 0.6 else dice.choice(_MARKS)
        out.append((mark, None))
        for sentence in carried(dice, 1) if dice.random() < 0.04 else ():
            out += [*_labelled(sentence), (" ", None)]
    return out


_MARKS = (", ", ". ", "; ", " ", " - ", "\n")


def wards(count: int, *, seed: int, held_out: bool | None = False) -> list[Example]:
    """So many notes of wards, which are learned from but are no part of what is measured on."""
    values = Values(seed, held_out=held_out)
    grammar = Grammar(values, held_out=held_out)
    out = []
    for _ in range(count):
        values.begin()
        out.append(_recased(example_of(ward(grammar)), values.dice))
    return out


_DIGIT = re.compile(r"\d")


def _redrawn(digit: str, dice: random.Random) -> str:
    """Half of all digits are drawn anew, so that no value is learned by heart."""
    return str(dice.randint(0, 9)) if dice.random() < 0.5 else digit


def _sentences(grammar: Grammar, rule: str, count: int) -> list[Piece]:
    out: list[Piece] = []
    between = "\n" if rule in ("log", "person") else " "
    for _ in range(count):
        out += [*grammar.expand(rule), (between, None)]
    return out


MAKERS = (letter, note, message, query, query, life, life, mail, report, medicine)
"""What is made, in turn."""

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
    """A sentence of a carrier, now and then with a name for its subject; ages and the like in it
    labelled."""
    out: list[Piece] = []
    subject = _SUBJECT.match(sentence)
    if subject and grammar.dice.random() < 0.35:
        out += grammar.values(
            grammar.dice.choice(("first", "titled", "fullname", "last", "titled"))
        )
        sentence = sentence[subject.end() :]
    return [*out, *_labelled(sentence)]


def _labelled(sentence: str) -> list[Piece]:
    """A sentence of a carrier, with the ages, weekdays and races in it."""
    out: list[Piece] = []
    place = 0
    for found in _PARTS.finditer(sentence):
        out += [(sentence[place : found.start()], None), (found.group(), found.lastgroup)]
        place = found.end()
    return [*out, (sentence[place:], None)]


def _recased(example: Example, dice: random.Random) -> Example:
    """Now and then all in small letters, or all in capitals, as people write."""
    roll = dice.random()
    changed = (
        example.text.lower()
        if roll < 0.07
        else example.text.upper()
        if roll < 0.1
        else example.text
    )
    return Example(changed, example.spans) if len(changed) == len(example.text) else example


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("count", type=int)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--held-out", action="store_true")
    asked.add_argument(
        "--least", type=int, default=0, help="go on until each label stands so often"
    )
    asked.add_argument(
        "--as-written",
        action="store_true",
        help="no text in small letters or in capitals throughout",
    )
    given = asked.parse_args()
    made = enough(
        given.count,
        least=given.least,
        seed=given.seed,
        held_out=given.held_out,
        recased=not given.as_written,
    )
    corpus = [
        {
            "id": f"g{number}",
            "text": example.text,
            "gold": [
                [start, end, label, "PII" if masked else "NO_MASK", f"{number}_{start}"]
                for start, end, label, masked in decided(example)
            ],
        }
        for number, example in enumerate(made)
    ]
    json.dump(corpus, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
