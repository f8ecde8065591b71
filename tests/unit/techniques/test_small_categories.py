"""Small categories: gathered under a label that has enough rows and hides more than one."""

from __future__ import annotations

import pytest
from steps_by_hand import column, counted, taken

from sfumato.engines import FieldKind
from sfumato.errors import PolicyError


def merge(values, *, kind=FieldKind.TEXT, field="insensitive", **step):
    given = {"technique": "merge_small", "fields": ["job"], **step}
    return taken(
        {"job": values}, given, kinds={"job": kind}, fields={"job": field}, require={"k": 2}
    )


def test_small_categories_become_one():
    done = merge(["nurse"] * 5 + ["pilot"] * 2 + ["judge"] + [None], least=3)
    assert counted(column(done, "job")) == {"nurse": 5, "other": 3, None: 1}
    assert done.facts == {"categories_merged": {"job": 2}}
    assert done.words["job"] == '2 categories became "other", so that each has 3 rows or more'
    assert done.warnings == ()


def test_the_next_smallest_joins_where_too_few_rows_were_gathered():
    """One rare category alone would be known by its absence, whatever it is called."""
    done = merge(["nurse"] * 9 + ["pilot"] * 4 + ["judge"], least=3)
    assert counted(column(done, "job")) == {"nurse": 9, "other": 5}
    assert counted(
        column(merge(["nurse"] * 9 + ["pilot"] * 4 + ["judge"] * 3, least=4), "job")
    ) == {
        "nurse": 9,
        "other": 7,
    }


def test_rows_that_have_the_label_already_are_counted():
    done = merge(["nurse"] * 9 + ["other"] * 2 + ["judge"], least=3)
    assert counted(column(done, "job")) == {"nurse": 9, "other": 3}
    few = merge(["nurse"] * 9 + ["pilot"] * 5 + ["other"] * 2, least=3)
    assert counted(column(few, "job")) == {"nurse": 9, "other": 7}


def test_nothing_small_changes_nothing():
    done = merge(["nurse"] * 3 + ["pilot"] * 3, least=3)
    assert counted(column(done, "job")) == {"nurse": 3, "pilot": 3}
    assert done.words["job"].startswith("kept as it is")
    assert done.cells.given == {}


def test_one_category_has_no_other_to_join():
    done = merge(["nurse"] * 2, least=3)
    assert column(done, "job") == ["other"] * 2
    assert len(done.warnings) == 1


@pytest.mark.parametrize("values", [[], [None, None]])
def test_nothing_there(values):
    assert column(merge(values, least=3), "job") == values


def test_a_label_that_is_no_number_makes_the_field_text():
    assert merge(["1"] * 3 + ["2", "3", "4"], least=3, kind=FieldKind.INTEGER).cells.given == {
        "job": FieldKind.TEXT
    }
    stays = merge(["1"] * 3 + ["2", "3", "4"], least=3, kind=FieldKind.INTEGER, label="99")
    assert stays.cells.given == {"job": None}
    assert counted(column(stays, "job")) == {"1": 3, "99": 3}


def test_a_label_that_the_hierarchy_cannot_place_is_a_problem(tmp_path):
    tree = {"role": "quasi", "hierarchy": {"tree": {"care": ["nurse", "medic"], "law": ["judge"]}}}
    with pytest.raises(PolicyError, match='The hierarchy of job has no place for "other"'):
        merge(["nurse"] * 3, least=3, field=tree)
    assert counted(
        column(
            merge(["nurse"] * 5 + ["judge", "medic"] * 2, least=3, field=tree, label="care"), "job"
        )
    ) == {
        "nurse": 5,
        "care": 4,
    }


def test_an_empty_label_is_a_problem():
    with pytest.raises(PolicyError, match="missing value"):
        merge(["nurse"], label="")
