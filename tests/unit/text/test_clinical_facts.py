"""Clinical facts kept: of notes whose facts are known, scrubbing changes hardly any, and no
identity stays for it."""

from __future__ import annotations

import random
import re
from collections import Counter
from importlib import import_module

import pytest

from sfumato.datasets.clinical_note_lines import LISTS
from sfumato.datasets.clinical_notes import count_facts, make_clinical_notes
from sfumato.text import Document, lexicons
from sfumato.text.detectors import DETECTORS, detectors
from sfumato.text.detectors.medical_labels import MedicalLabels
from sfumato.text.scrubber import find_together, scrub

OPEN_LISTS = (
    "drug", "name drug", "eponym", "grading", "instrument", "suture", "rated", "value", "part", "head"
)  # fmt: skip
"""Lists of the generator that a detector must not know word for word."""
SENTENCES = (
    "CC: chest pain.\n\n{first} {last} is a 62-year-old male with hypertension. BP 120/80.",
    "Seen by {first} {last}, MD. HR 88. Plan: CT head.",
    "{last}, {first}\nMRN: 448812\nMeds: aspirin 81 mg daily",
    "I discussed the biopsy with {first} {last}. Stage II disease.",
    "nurse {first} {last} gave {first} 5 mg morphine IV",
    "Pt {first} {last} on 2 L O2, NPO. Grade 2/6 murmur.",
)


@pytest.mark.parametrize("identities", [False, True])
def test_facts_are_kept(identities):
    notes = list(make_clinical_notes(120, identities=identities))
    done = scrub(
        [Document(note.text, name=str(n)) for n, note in enumerate(notes)], secret=bytes(range(32))
    )
    every: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    for note, scrubbed in zip(notes, done.documents, strict=True):
        every += count_facts(note.facts)
        changed += count_facts(note.changed_facts(scrubbed.text))
        for value in note.identities:
            assert not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", scrubbed.text)
    assert changed.total() <= 0.005 * every.total()
    assert all(changed[kind] <= 0.01 * count for kind, count in every.items()), changed


def test_the_notes_use_no_word_that_a_detector_keeps():
    known = lexicons.drugs() | lexicons.medical_words() | lexicons.conditions()
    known |= lexicons.eponyms().keys()
    for key in (key for key, each in DETECTORS.all().items() if each.vetoes):
        module = import_module(f"sfumato.text.detectors.{key.replace(' ', '_')}")
        for value in vars(module).values():
            value = value.folds if isinstance(value, MedicalLabels) else value
            known |= value if isinstance(value, frozenset) else frozenset()
    known = {lexicons.folded(str(word)) for word in known}
    for name in OPEN_LISTS:
        assert not known & {lexicons.folded(word) for word in LISTS[name]}, name


def test_a_veto_uncovers_no_name():
    dice = random.Random(22)
    first = sorted(n for n, value in lexicons.first_names().items() if value[-1] >= "2")
    last = sorted(n for n, value in lexicons.last_names().items() if value >= "2")
    every = detectors()
    quiet = [each for each in every if not DETECTORS[each.name].vetoes]
    lost = 0
    for number in range(240):
        words = {"first": dice.choice(first).title(), "last": dice.choice(last).title()}
        text = SENTENCES[number % len(SENTENCES)].format(**words)
        before, after = (_covered(text, using) for using in (quiet, every))
        for found in re.finditer("|".join(map(re.escape, words.values())), text):
            span = slice(*found.span())
            lost += all(before[span]) and not all(after[span])
    assert lost == 0


def _covered(text, using):
    out = bytearray(len(text))
    for bid in find_together([Document(text)], detectors=using).masked[0]:
        out[bid.start : bid.end] = b"\1" * len(bid)
    return out
