"""What a person corrects in the review file is what is masked; what they leave alone comes out as
it was."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ReviewError
from sfumato.scrubbing.review import apply_review
from sfumato.scrubbing.review.review_decisions import PERSON, Everywhere, settled
from sfumato.text.bids import Bid
from sfumato.text.decision import Decision
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind


def finding(content, text, document=0):
    return next(each for each in content["documents"][document]["findings"] if each["text"] == text)


def spans(findings):
    return [[(each.start, each.end, each.kind) for each in of] for of in findings]


def test_a_review_left_alone_gives_the_same_bytes(room):
    assert room.applied() == [each.text for each in room.done.documents]
    applied = apply_review(room.file, room.documents)
    assert (applied.masked_more, applied.kept_more, applied.kinds_changed) == (0, 0, 0)
    assert spans(applied.findings) == spans(each.findings for each in room.done.documents)


def test_the_documents_may_come_in_another_order_and_fewer(room):
    some = [room.documents[2], room.documents[0]]
    applied = apply_review(room.file, some)
    assert spans(applied.findings) == spans(room.done.documents[place].findings for place in (2, 0))


def test_what_is_turned_off_stays_and_nothing_else_changes(room):
    def change(content):
        finding(content, "Boston")["mask"] = False

    path = room.correct(change)
    texts = room.applied(path)
    assert "Boston, " in texts[0]
    assert "Townsend" not in texts[0]
    applied = apply_review(path, room.documents)
    assert (applied.masked_more, applied.kept_more, applied.kinds_changed) == (0, 1, 0)
    kept = next(
        each
        for each in applied.decisions[0]
        if not each.masks and each.finding.kind is ReferenceKind.TOWN
    )
    assert kept.reason == PERSON


def test_a_line_that_is_deleted_is_not_masked(room):
    def change(content):
        found = content["documents"][0]["findings"]
        found.remove(
            next(each for each in found if each["text"].endswith("Frank"))
        )  # With its title or without.

    assert "Dr. Frank" in room.applied(room.correct(change))[0]


def test_what_was_kept_can_be_turned_on(room):
    def change(content):
        finding(content, "7 and 6/12 year old")["mask"] = True

    path = room.correct(change)
    assert "7 and 6/12" in room.applied()[0]
    assert "7 and 6/12" not in room.applied(path)[0]
    assert apply_review(path, room.documents).masked_more == 1


def test_a_kind_can_be_changed(room):
    def change(content):
        finding(content, "Marina Corp")["kind"] = "name"

    path = room.correct(change)
    applied = apply_review(path, room.documents)
    at = room.documents[0].text.index("Marina Corp")
    assert next(each for each in applied.findings[0] if each.start == at).kind is ReferenceKind.NAME
    assert applied.kinds_changed == 1
    assert "Marina" not in room.applied(path)[0]


def test_added_words_without_places_are_found(room):
    def change(content):
        content["documents"][0]["findings"].append({"text": "Lily Human Insulin", "kind": "other"})

    assert "Lily" not in room.applied(room.correct(change))[0]


def test_added_everywhere_goes_in_all_documents_of_the_person_and_in_no_others(room):
    def change(content):
        findings = content["documents"][1]["findings"]
        findings[:] = [
            each for each in findings if "Zelquine" not in each["text"] and each["text"] != "Orvath"
        ]
        findings.append({"text": "Zelquine Orvath", "kind": "name", "everywhere": True})

    texts = room.applied(room.correct(change))
    assert "Orvath" not in texts[1]
    assert "Zelquine" not in texts[1]
    other = room.done.documents[2].text
    assert texts[2].count("Orvath") == other.count("Orvath")


def test_the_list_for_all_documents_reaches_every_person(room):
    def change(content):
        content["everywhere"].append({"text": "Orvath", "kind": "street"})

    assert not any("Orvath" in text for text in room.applied(room.correct(change)))


def test_kept_everywhere(room):
    def change(content):
        finding(content, "Virginia")["mask"] = False
        finding(content, "Virginia")["everywhere"] = True

    texts = room.applied(room.correct(change))
    assert "after seeing Virginia this" in texts[0]
    assert texts[1].startswith("Virginia came")
    assert "Virginia Townsend" not in texts[0]


def test_one_that_a_person_turned_off_stays_off_while_the_rest_goes_everywhere(room):
    def change(content):
        finding(content, "Virginia")["mask"] = False
        content["everywhere"].append({"text": "Virginia", "kind": "name"})

    texts = room.applied(room.correct(change))
    assert "after seeing Virginia this" in texts[0]
    assert "Virginia" not in texts[1]


def test_what_overlaps_is_masked_as_a_whole(room):
    def change(content):
        content["documents"][0]["findings"].append({"text": "Huntington 18 DOB", "kind": "street"})

    path = room.correct(change)
    text = room.documents[0].text
    wanted = text.index("Huntington"), text.index(" 05/26"), ReferenceKind.STREET
    assert wanted in spans(apply_review(path, room.documents).findings)[0]
    assert "Huntington" not in room.applied(path)[0]


def test_corrections_come_after_the_review(room):
    def change(content):
        content["whole"] = False
        content["reviewer"] = "R. Checker"
        only = finding(content, "Boston")
        only["mask"] = False
        content["documents"] = [{**content["documents"][0], "findings": [only]}]

    later = room.correct(change, "later.json")
    texts = room.applied(room.file, later)
    assert "Boston, " in texts[0]
    assert "Townsend" not in texts[0]
    assert apply_review([room.file, later], room.documents).reviewers == ("R. Checker",)
    with pytest.raises(ReviewError, match="corrections only"):
        apply_review(later, room.documents)


def test_a_changed_document_and_a_new_one_are_refused(room):
    changed = [
        Document(room.documents[0].text + " Anna", name="letter.txt", person="7"),
        Document("new", name="new"),
    ]
    with pytest.raises(ReviewError) as refused:
        apply_review(room.file, changed)
    assert len(refused.value.problems) == 2
    assert "1 of 2 have changed since the review" in str(refused.value)
    assert "1 of 2 are not in the review" in str(refused.value)
    assert "Anna" not in str(refused.value)


def test_words_that_do_not_stand_where_they_should_are_all_told(room):
    def change(content):
        findings = content["documents"][0]["findings"]
        findings[0]["start"] += 1
        findings += [
            {"text": "Nowhereatall", "kind": "name"},
            {"text": "a", "kind": "name"},
            {"start": 0, "end": 10**9, "text": "x", "kind": "name"},
        ]

    with pytest.raises(ReviewError) as refused:
        apply_review(room.correct(change), room.documents)
    assert len(refused.value.problems) == 4
    assert "Nowhereatall" not in str(refused.value)
    assert "Wednesday" not in str(refused.value)


def test_copies_of_one_text_are_told_apart(room):
    def change(content):
        first, second = content["documents"][4:6]
        assert "copy" not in first
        assert second["copy"] == 2
        second["findings"].append({"text": "above", "kind": "other"})

    texts = room.applied(room.correct(change))
    assert "above" in texts[4]
    assert "above" not in texts[5]


def test_a_file_that_others_may_read_is_told(room):
    path = room.correct(lambda content: None)
    path.chmod(0o644)
    assert apply_review(path, room.documents).open_to_others == (path,)
    assert apply_review(room.file, room.documents).open_to_others == ()


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9), st.booleans(), st.booleans())))
def test_settled_covers_what_is_masked_and_nothing_else_and_overlaps_nowhere(given_spans):
    decisions = [
        Decision(
            finding=Bid(
                start, start + length, ReferenceKind.NAME if mine else ReferenceKind.TOWN, 0.9, "x"
            ),
            masks=masks,
            reason=PERSON if mine else "",
        )
        for start, length, masks, mine in given_spans
    ]
    out = settled(decisions)
    masked = [each.finding for each in out if each.masks]
    assert all(one.end <= other.start for one, other in pairwise(masked))
    wanted = {
        place
        for each in decisions
        if each.masks
        for place in range(each.finding.start, each.finding.end)
    }
    assert {place for each in masked for place in range(each.start, each.end)} == wanted
    kept = {each.finding for each in out if not each.masks}
    assert kept <= {each.finding for each in decisions if not each.masks}


def test_what_is_asked_for_everywhere_is_found_where_characters_nobody_sees_stand_in_it():
    text = "Win\u00adthrop and Winth-\nrop, not Winthropia."
    bids = Everywhere([("Winthrop", ReferenceKind.TOWN)]).bids(Document(text))
    assert [text[bid.start : bid.end] for bid in bids] == ["Win\u00adthrop", "Winth-\nrop"]
