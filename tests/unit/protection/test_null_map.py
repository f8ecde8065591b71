"""Null-map: a released tuple leads to none of the subjects (Sweeney 2000, section 5, Figure 16)."""

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy, Suppression
from sfumato.protection import NullMap

FIELDS = ("birth", "zip")
SUBJECTS = Bins.of(FIELDS, {("1965", "02138"): 1, ("1964", "02139"): 1, ("1963", "02141"): 2})
LEVELS = {
    "zip": Hierarchy.from_rows(
        [("02138", "0213*", "*"), ("02139", "0213*", "*"), ("02141", "0214*", "*")]
    ),
    "birth": Hierarchy.from_rows([("1963", "*"), ("1964", "*"), ("1965", "*")]),
}


def test_values_that_were_moved_about_lead_to_nobody():
    moved = Bins.of(FIELDS, {("1965", "02139"): 1, ("1964", "02141"): 2})
    model = NullMap(fields=FIELDS, subjects=SUBJECTS)
    assert model.judge(moved).outcome == "pass"
    assert model.failing(SUBJECTS).tolist() == [True, True, True]
    assert model.matches(SUBJECTS).tolist() == [1, 1, 2]


def test_generalising_breaks_it():
    model = NullMap(fields=FIELDS, subjects=SUBJECTS, hierarchies=LEVELS)
    assert not model.failing(Bins.of(FIELDS, {("1965", "02139"): 1})).any()
    assert model.failing(Bins.of(FIELDS, {("1965", "0213*"): 1})).all()


def test_a_suppressed_cell_of_an_encrypted_field_covers_everyone():
    """The hierarchy must have the subjects' values and not only the ciphers', else `*` would cover
    nobody."""
    births = tuple(f"{n:032x}" for n in range(3))
    hierarchies = {"birth": Suppression().bind((*births, "1963", "1964", "1965"))}
    model = NullMap(
        fields=("birth",), subjects=SUBJECTS.project(("birth",)), hierarchies=hierarchies
    )
    assert not model.failing(Bins.of(("birth",), {(births[0],): 2})).any()
    assert model.matches(Bins.of(("birth",), {("*",): 2})).tolist() == [4]


def test_nothing_is_looked_up_where_nothing_is_known():
    model = NullMap(fields=(), subjects=SUBJECTS.project(()))
    assert model.judge(SUBJECTS).outcome == "review"
