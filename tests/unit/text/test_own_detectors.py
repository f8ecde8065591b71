"""Patterns and word lists of a user's own: what they find, that they are masked, and which errors
they give."""

from __future__ import annotations

import pickle
import re

import pytest

from sfumato.errors import Mistake
from sfumato.text.decision import Purpose, decide
from sfumato.text.detectors.sets import Detectors, detectors
from sfumato.text.documents import Document
from sfumato.text.finder import find
from sfumato.text.kinds import ReferenceKind
from sfumato.text.own_patterns import OwnPattern, OwnWords, own_detectors
from sfumato.text.scrubber import find_together, scrub

STUDY = OwnPattern(name="own:study", kind=ReferenceKind.RECORD_NUMBER, pattern=r"ST-\d{6}")


def words(*entries: str, kind: ReferenceKind = ReferenceKind.OTHER) -> OwnWords:
    return OwnWords("own:list", entries, kind=kind)


def found(detector: OwnPattern | OwnWords, text: str) -> list[str]:
    return [text[bid.start : bid.end] for bid in detector.bid(Document(text))]


@pytest.mark.parametrize(
    ("entry", "text", "wanted"),
    [
        (
            "Maple Ward",
            "On Maple Ward, MAPLE  WARD\nand Maple\nWard.",
            ["Maple Ward", "MAPLE  WARD", "Maple\nWard"],
        ),
        ("Maple", "Maples and Maple's and maple_7", ["Maple", "maple"]),
        ("C++", "C++ and C and XC++", ["C++"]),
        ("#42", "case #42, not #421 or 42", ["#42"]),
        ("Zoë", "ZOË came, Zoë's mother", ["ZOË", "Zoë"]),
        ("北京", "在 北京 。", ["北京"]),
        ("O'Neill", "Mr O'Neill", ["O'Neill"]),
    ],
)
def test_words_are_found_whole_in_any_case(entry, text, wanted):
    assert found(words(entry), text) == wanted


def test_of_entries_that_start_alike_each_is_found():
    assert found(words("Maple", "Maple Ward"), "Maple Ward") == ["Maple", "Maple Ward"]
    every = find(Document("At Maple Ward."), [words("Maple", "Maple Ward")])
    assert [(bid.start, bid.end) for bid in every] == [(3, 13)]


def test_findings_carry_the_reason_and_nothing_of_the_text():
    (bid,) = STUDY.bid(Document("In ST-123456."))
    assert (bid.detector, bid.reason, bid.kind) == (
        "own:study",
        'the pattern "study"',
        ReferenceKind.RECORD_NUMBER,
    )
    (bid,) = words("Oak").bid(Document("Oak"))
    assert bid.reason == 'the word list "list"'
    assert "Oak" not in repr(words("Oak"))
    assert "ST-" not in repr(STUDY)


@pytest.mark.parametrize("purpose", Purpose)
def test_what_they_find_is_masked_whatever_the_purpose(purpose):
    document = Document("The patient on Maple Ward takes insulin.")
    bids = find(document, (*detectors(Detectors.RULES), words("Maple Ward")))
    masked = [each.finding for each in decide(document, bids, purpose=purpose) if each.masks]
    assert "Maple Ward" in [document.text[bid.start : bid.end] for bid in masked]


def test_also_in_the_decision_of_a_court():
    text = (
        "THE COURT. The applicant alleged a violation of Article 6 of the Convention. The "
        "Government disagreed. " * 9
    )
    document = Document(f"{text} He lived at Maple Ward.")
    together = find_together(
        [document], detectors=(*detectors(Detectors.RULES), words("Maple Ward"))
    )
    assert "Maple Ward" in [document.text[bid.start : bid.end] for bid in together.masked[0]]


def test_the_kind_chooses_the_surrogate():
    chosen = (*detectors(Detectors.RULES), STUDY, words("Maple Ward"))
    done = scrub(
        ["In ST-123456 on Maple Ward; ST-123456."], secret=bytes(range(32)), detectors=chosen
    )
    text = done.documents[0].text
    assert "123456" not in text
    assert "Maple" not in text
    number = text.split()[1]
    assert text.count(number) == 2, "the same number has the same surrogate"


def test_they_go_from_process_to_process():
    for detector in (STUDY, words("Oak", "Maple Ward")):
        again = pickle.loads(pickle.dumps(detector))
        assert (
            found(again, "Oak, Maple Ward and ST-123456")
            == found(detector, "Oak, Maple Ward and ST-123456")
            != []
        )


def test_a_long_list_is_read_once_through():
    many = words(*(f"code{number}" for number in range(50_000)))
    assert len(many) == 50_000
    assert found(many, "code7 code70000 " * 100) == ["code7"] * 100


def test_every_problem_is_told_at_once(tmp_path):
    (tmp_path / "latin.txt").write_bytes("Zo\xeb".encode("latin-1"))
    (tmp_path / "empty.txt").write_text("# nothing\n\n", encoding="utf-8")
    (tmp_path / "marks.txt").write_text("***\nsecret words\n", encoding="utf-8")
    for file, said in (
        ("latin", "is not UTF-8"),
        ("empty", "holds no entry"),
        ("marks", "1 lines of"),
    ):
        with pytest.raises(Mistake, match=said) as problem:
            own_detectors(patterns={}, words={"a": ("other", tmp_path / f"{file}.txt")})
        assert "secret" not in str(problem.value)
    with pytest.raises(Mistake, match="2 patterns and word lists cannot be used") as both:
        own_detectors(patterns={"a": ("other", "[")}, words={"b": ("other", tmp_path / "none.txt")})
    assert "no regular expression" in str(both.value)
    assert "cannot be read" in str(both.value)


@pytest.mark.parametrize(
    ("patterns", "said"),
    [
        ({"a": ("nobody", "x")}, "There is no kind"),
        ({"+": ("other", "x")}, "a name that cannot be used"),
        ({"a": ("other", "(a+)+b")}, "could take for ever"),
    ],
)
def test_what_cannot_be_used_is_refused(patterns, said):
    with pytest.raises(Mistake, match=said):
        own_detectors(patterns=patterns, words={})


def test_a_pattern_that_is_slow_all_the_same_stops_the_run(monkeypatch):
    monkeypatch.setattr("sfumato.text.own_patterns.checked_pattern", re.compile)
    slow = OwnPattern(name="own:slow", kind=ReferenceKind.OTHER, pattern="(z+)+y")
    monkeypatch.setattr("sfumato.text.own_patterns.matches_of", _impatient)
    with pytest.raises(Mistake, match="seconds for one text") as problem:
        list(slow.bid(Document("z" * 64)))
    assert "zzz" not in str(problem.value)


def _impatient(pattern, text):
    from sfumato.patterns import matches_of

    return matches_of(pattern, text, seconds=0.1)


def made(tmp_path, *lines: str):
    file = tmp_path / "form.txt"
    file.write_text("\n".join(lines), encoding="utf-8")
    return own_detectors(patterns={}, words={}, templates={"form": file})


@pytest.mark.parametrize(
    ("line", "text", "wanted"),
    [
        ("Our ref: {record number}", "Our ref: blue 7\nnext", ["blue 7"]),
        ("Seen by {name} on {date}.", "seen  by zyx quorl on Lammas.", ["zyx quorl", "Lammas"]),
        ("Ward {team} ({other})", "Ward grue (blue) and Ward x", ["grue", "blue"]),
        ("Our ref: {record number}", "Our reference is none", []),
    ],
)
def test_a_template_finds_what_stands_in_its_slots(tmp_path, line, text, wanted):
    detectors_ = made(tmp_path, "a line without a slot", line)
    assert [
        text[bid.start : bid.end] for each in detectors_ for bid in each.bid(Document(text))
    ] == wanted


@pytest.mark.parametrize("lines", [["no slot"], ["{name}"], ["Seen by {nobody}"]])
def test_a_template_that_cannot_be_used_is_refused(tmp_path, lines):
    with pytest.raises(Mistake):
        made(tmp_path, *lines)


def test_a_template_is_masked_whatever_the_purpose(tmp_path):
    (form,) = made(tmp_path, "Ward {team} today")
    note = Document("Ward grue today, she is well.")
    found = find_together([note], purpose=Purpose.DIRECT, detectors=[form])
    assert [note.text[bid.start : bid.end] for bid in found.masked[0]] == ["grue"]
