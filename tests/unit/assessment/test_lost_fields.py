"""What was lost, on the first screen of an assessment: the fields that the release itself names."""

from __future__ import annotations

import re
from html import unescape
from types import SimpleNamespace

import pytest
import ward

import sfumato
from sfumato.assessment.page.short_part import in_short
from sfumato.measures import FieldUse


def lost_text(html: str) -> str:
    """The words below "What was lost"."""
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", html.split("</style>")[-1])).split())
    return text.split("What was lost", 1)[1].split("What to do")[0]


def use(name: str, loss: float = 0.9) -> FieldUse:
    return FieldUse(name=name, loss=loss, alike=0.3, alike_before=0.2, labels=4, labels_before=9)


def short(uses: list[FieldUse], constant: tuple[str, ...] = ()) -> str:
    facts = SimpleNamespace(
        judgements=(),
        uses=uses,
        constant=constant,
        source=100,
        released=90,
        unit="rows",
        cards=(),
    )
    return lost_text(in_short(facts))  # type: ignore[arg-type]


@pytest.mark.usefixtures("without_charts")
@pytest.mark.long(
    "an assessment that loses fields and one that does not; the former stays", but=("40-True",)
)
@pytest.mark.parametrize(("k", "loses"), [(4, False), (40, True)])
def test_the_page_names_the_fields_that_the_release_names(tmp_path, k, loses):
    source = ward.write(tmp_path / "ward.csv", ward.people())
    policy = tmp_path / "reviewed.toml"
    policy.write_text(ward.POLICY.replace("k = 4", f"k = {k}"), encoding="utf-8")
    made = sfumato.release(source, policy, to=tmp_path / "release")
    found = sfumato.assess(tmp_path / "release", source=source, attacks=False)
    assert {each.name for each in found.facts.uses if each.is_lost} == set(made.lost)
    said = lost_text(found.page())
    assert all(name in said for name in made.lost)
    assert bool(made.lost) is loses


def test_six_fields_are_named_and_the_others_counted():
    said = short([use(f"field{n}") for n in range(8)])
    assert "8 known fields are lost: " in said
    assert "field5 and 2 more. More than half of each is gone" in said
    assert "field6" not in said


def test_where_no_field_is_lost_the_one_that_lost_most_is_named():
    said = short([use("zip", 0.1), use("birth", 0.4)])
    assert "No known field is lost. birth lost most: 40 % of it." in said.replace("\xa0", " ")
    assert "lost" not in short([use("zip", 0.0)])


def test_constant_fields_are_named_too():
    said = short([use("zip", 1.0)], constant=("zip",))
    assert "1 known field is lost: zip. More than half of it is gone" in said
    assert "1 known field is constant." in said
    said = short([use("zip", 1.0), use("birth", 0.6)], constant=("zip",))
    assert "2 known fields are lost: zip, birth." in said
    assert "1 known field is constant: zip." in said


def test_a_field_with_one_value_in_the_source_is_not_lost(tmp_path):
    source = ward.write(tmp_path / "ward.csv", [{**row, "sex": "*"} for row in ward.people(40)])
    found = sfumato.assess(source, source=source, known=ward.KNOWN, attacks=False)
    assert [each.name for each in found.facts.uses if each.is_lost] == []
    assert "sex" not in {each.name for each in found.facts.uses}
