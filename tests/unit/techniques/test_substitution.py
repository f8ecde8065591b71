"""Substitution: another value of the class, the class itself kept."""

from __future__ import annotations

from collections import Counter

import pytest
from steps_by_hand import column, taken

from sfumato.engines import FieldKind
from sfumato.errors import HierarchyError, Mistake, PolicyError

CARE = {"care": ["nurse", "medic", "carer"], "law": ["judge", "clerk"], "sea": ["pilot", "sailor"]}


def substitute(values, *, tree=CARE, kind=FieldKind.TEXT, role="sensitive", **step):
    field = {"role": role, "hierarchy": {"tree": tree}}
    given = {"technique": "substitute", "fields": ["job"], **step}
    return taken(
        {"job": values}, given, fields={"job": field}, kinds={"job": kind}, require={"k": 2}
    )


def group(job):
    return next(name for name, jobs in CARE.items() if job in jobs)


def test_every_value_becomes_another_of_its_class():
    before = (
        ["nurse"] * 300
        + ["medic"] * 100
        + ["carer"] * 100
        + ["judge"] * 50
        + ["clerk"] * 50
        + [None]
    )
    done = substitute(before)
    after = column(done, "job")
    assert after[-1] is None
    assert not any(a == b for a, b in zip(before[:-1], after[:-1], strict=True))
    assert [group(a) for a in before[:-1]] == [group(b) for b in after[:-1]]
    # From nurses by the shares of the others, which are equal; from medics to nurses three times in
    # four.
    assert abs(Counter(after[:300])["medic"] - 150) < 45
    assert abs(Counter(after[300:400])["nurse"] - 75) < 22
    assert done.warnings == ()
    assert "counts by" in done.words["job"]


def test_a_share_of_the_cells():
    before = ["nurse", "medic"] * 500
    after = column(substitute(before, share=0.3), "job")
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 300


def from_file(values, path, *, kind=FieldKind.TEXT):
    field = {"role": "quasi", "hierarchy": str(path)}
    given = {"technique": "substitute", "fields": ["job"]}
    return taken(
        {"job": values}, given, fields={"job": field}, kinds={"job": kind}, require={"k": 2}
    )


def test_a_value_that_only_the_hierarchys_file_knows_is_taken_where_no_other_occurs(tmp_path):
    rows = [f"{job};{name};*" for name, jobs in CARE.items() for job in jobs]
    (tmp_path / "jobs.csv").write_text("\n".join(rows), encoding="utf-8")
    assert set(
        column(from_file(["pilot"] * 5 + ["nurse", "medic"], tmp_path / "jobs.csv"), "job")[:5]
    ) == {"sailor"}
    # Where others occur, those that do not are not made up.
    assert "carer" not in column(from_file(["nurse", "medic"] * 50, tmp_path / "jobs.csv"), "job")


def test_a_class_of_one_keeps_its_value_and_is_counted():
    done = substitute(["pope", "pope", "nurse", "medic"], tree={"see": ["pope"], **CARE})
    assert column(done, "job") == ["pope", "pope", "medic", "nurse"]
    assert done.warnings == (
        "2 of 4 cells of job keep their value: no other value of their class is known.",
    )


def test_a_higher_level_is_a_wider_class():
    after = column(substitute(["nurse"] * 200 + ["judge"] * 200, level=2), "job")
    assert set(after[:200]) == {"judge"}
    assert set(after[200:]) == {"nurse"}


@pytest.mark.parametrize("values", [[], [None, None]])
def test_nothing_there(values):
    assert column(substitute(values), "job") == values


def test_a_level_that_is_not_there_is_told():
    with pytest.raises(Mistake, match="2 level"):
        substitute(["nurse"], level=3)


def test_a_value_that_the_hierarchy_does_not_know_is_told_and_not_shown():
    with pytest.raises(HierarchyError) as caught:
        substitute(["nurse", "Zorro"])
    assert "Zorro" not in str(caught.value)


def test_numbers_stay_numbers(tmp_path):
    """A hierarchy in a file may have labels that are no numbers: they are not taken for values of
    the field."""
    (tmp_path / "codes.csv").write_text(
        "1;low;*\n2;low;*\nunknown;low;*\n9;high;*\nnone;high;*\n", encoding="utf-8"
    )
    done = from_file(["1", "1", "9"], tmp_path / "codes.csv", kind=FieldKind.INTEGER)
    assert column(done, "job") == ["2", "2", "9"]
    assert done.cells.given == {"job": None}


def test_without_a_hierarchy_there_are_no_classes():
    with pytest.raises(PolicyError, match="no hierarchy, whose levels are the classes"):
        taken({"job": ["nurse"]}, {"technique": "substitute", "fields": ["job"]})
