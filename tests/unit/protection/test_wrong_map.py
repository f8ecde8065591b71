"""Wrong-map: a released tuple leads to one subject, who is not its own (Sweeney 2000, section
5)."""

import pytest

from sfumato.bins import NOBODY, Bins, Pairing
from sfumato.hierarchies import Hierarchy
from sfumato.protection import WrongMap

ZIP = ("zip",)
ZIPS = {
    "zip": Hierarchy.from_rows(
        [
            ("02138", "0213*", "*"),
            ("02139", "0213*", "*"),
            ("02141", "0214*", "*"),
            ("02144", "0214*", "*"),
        ]
    ),
}
PEOPLE = [("02138",), ("02139",), ("02141",)]
THREE = Bins.of(ZIP, dict.fromkeys(PEOPLE, 1))


def wrong(*, own=(1, 2, 0), subjects=PEOPLE, released=PEOPLE, collected=(), said=()):
    pairing = Pairing.of(
        ZIP, subjects=subjects, released=released, own=own, collected=collected, said=said
    )
    return WrongMap(fields=ZIP, pairing=pairing, hierarchies=ZIPS)


def test_everyone_leads_to_someone_else():
    verdict = wrong().judge(THREE)
    assert verdict.outcome == "pass"
    assert verdict.reason.endswith(
        "0 rows lead to their own subject, "
        "0 have the collected values of the subject that they lead to"
    )


def test_a_row_that_leads_home_breaks_it():
    model = wrong(own=(2, 1, 0))
    assert model.failing(THREE).tolist() == [False, True, False]
    assert "1 row leads to its own subject" in model.judge(THREE).reason


def test_a_tuple_that_leads_to_two_or_to_none_breaks_it():
    release = Bins.of(ZIP, {("0213*",): 1, ("02141",): 1, ("10001",): 1})
    model = wrong(released=[("02138",), ("02141",), ("10001",)], own=(2, 0, 1))
    assert model.failing(release).tolist() == [True, False, True]
    assert model.judge(release).reason.endswith("1 lead to several, 1 lead to none")


def test_a_wider_label_can_lead_home():
    """A value that was moved a little leads to nobody, and its label to the one it is about."""
    moved = [("02138",), ("02139",), ("02144",)]
    model = wrong(released=moved, own=(1, 0, 2))
    assert model.under(
        Bins.of(ZIP, {("02144",): 1}),
    ).home.tolist() == [0]
    found = model.under(Bins.of(ZIP, {("0214*",): 1}))
    assert (found.subjects.tolist(), found.home.tolist()) == ([1], [1])


def test_what_was_collected_about_the_wrong_one_must_not_be_said():
    """Row 0 has the tuple of the first and is about the second, who has the same diagnosis."""
    model = wrong(
        collected=(
            "flu",
            "flu",
            "gout",
        ),
        said=("flu", "gout", "flu"),
    )
    assert model.is_compromised  # flu or gout: what is wrong tells what is right
    assert "of two, a wrong one discloses the right one" in model.impossible
    people = [*PEOPLE, ("02144",)]
    release = Bins.of(ZIP, dict.fromkeys(people, 1))
    model = wrong(
        subjects=people, released=people, own=(1, 2, 3, 0), collected=("flu", "flu", "gout", "cold"),
        said=("flu", "gout", "cold", "flu"),
    )  # fmt: skip
    assert not model.impossible
    assert model.failing(release).tolist() == [True, False, False, False]
    assert model.under(release).right.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("many", [1, 2])
def test_with_two_it_is_compromised(many):
    few = PEOPLE[:many]
    model = wrong(subjects=few, released=few, own=range(many)[::-1])
    assert model.failing(Bins.of(ZIP, dict.fromkeys(few, 1))).all()
    assert "fewer than 3 subjects" in model.judge(Bins.of(ZIP, dict.fromkeys(few, 1))).reason


def test_two_rows_of_three_people_are_too_few():
    assert wrong().failing(Bins.of(ZIP, dict.fromkeys(PEOPLE[:2], 1))).all()


def test_rows_that_nobody_can_account_for_break_it():
    more = Bins.of(ZIP, {("02138",): 1, ("02139",): 2, ("02141",): 1})
    assert wrong().failing(more).tolist() == [False, True, False]


def test_a_made_up_row_leads_nobody_home():
    release = Bins.of(ZIP, {("02138",): 1, ("02139",): 2, ("02141",): 1})
    model = wrong(released=[*PEOPLE, ("02139",)], own=(1, 2, 0, NOBODY))
    assert not model.failing(release).any()


def test_over_fewer_fields_than_the_bins_have():
    release = Bins.of(("sex", "zip"), {("f", "02138"): 1, ("m", "02138"): 1, ("f", "02139"): 1})
    model = wrong(released=[("02138",), ("02138",), ("02139",)], own=(1, 2, 1))
    assert model.failing(release).tolist() == [False, False, True]
    assert "1 row leads to its own subject" in model.judge(release).reason
