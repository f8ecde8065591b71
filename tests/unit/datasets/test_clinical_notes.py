"""Notes with known facts: each class is there, and a change to a fact is seen."""

from __future__ import annotations

from sfumato.datasets.clinical_note_lines import LINES
from sfumato.datasets.clinical_notes import count_facts, make_clinical_notes, read_marked


def test_the_same_seed_makes_the_same_notes():
    first, second = (
        [note.text for note in make_clinical_notes(5, identities=True, seed=3)] for _ in range(2)
    )
    assert first == second
    assert first != [note.text for note in make_clinical_notes(5, identities=True, seed=4)]


def test_every_class_has_facts_and_identities_stand_only_where_asked_for():
    notes = list(make_clinical_notes(60, identities=False))
    assert set(count_facts(fact for note in notes for fact in note.facts)) == set(LINES)
    assert not any(note.identities for note in notes)
    assert all(note.identities for note in make_clinical_notes(5, identities=True))


def test_every_fact_is_in_its_note():
    for note in make_clinical_notes(60, identities=True):
        lines = note.text.split("\n")
        assert all(fact.pattern.search(lines[fact.line]) for fact in note.facts)
        assert note.changed_facts(note.text) == ()
        assert not set("«»‹›{}") & set(note.text)


def test_a_changed_fact_is_seen():
    note = read_marked(["«pT1c pN0», then «BG 188»", "«BG 188»"], kinds=["stage", "vitals"])
    changed = note.changed_facts("pT1c pN0, then BG 418\nBG 188")
    assert [(fact.line, fact.text) for fact in changed] == [(0, "BG 188")]
    assert note.changed_facts("pT1c pN0, then BG 1880\nBG 188")
    assert note.changed_facts("pT1c pN0, then BG 188 BG 188") == note.facts, "a line was lost"
