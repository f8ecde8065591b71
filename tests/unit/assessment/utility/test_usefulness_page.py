"""The part of the page: every number has its words, every chart its numbers, and no small cell is
named."""

from __future__ import annotations

import pytest
from side_tables import in_decades, people, subject_of

from sfumato.assessment.page import ru_map_part, utility_part
from sfumato.assessment.utility import measure_usefulness
from sfumato.assessment.utility.ru_map import RuMap, RuPoint


@pytest.fixture(scope="module")
def result():
    table = people(600)
    table["town"] = ["<Ely & co>" if town == "east" else town for town in table["town"]]
    table["town"][:4] = ["Rarity"] * 4
    release, hierarchies = in_decades(table)
    given = {"known": ("age", "sex", "town"), "sensitive": ("works",), "hierarchies": hierarchies}
    with subject_of(release, table, **given) as subject:
        return measure_usefulness(subject, queries=120)


def test_the_part_without_charts_has_all_numbers(result):
    page = utility_part.part(result, {})
    for anchor in ("worth", "fields-worth", "pairs-worth", "questions-worth", "models-worth"):
        assert f'<section id="{anchor}">' in page
    assert "&lt;Ely &amp; co&gt;" in page
    assert "<Ely" not in page
    assert "Rarity" not in page
    assert "spread evenly" in page


def test_the_charts_are_drawn_and_name_no_small_cell(result):
    pytest.importorskip("altair")
    from sfumato.assessment.charts.utility_charts import draw

    charts = draw(result)
    assert set(charts) == {"field-change", "distributions", "associations", "queries", "models"}
    assert all(chart.startswith("<svg ") and 'role="img"' in chart for chart in charts.values())
    assert "Rarity" not in "".join(charts.values())
    page = utility_part.part(result, charts)
    assert page.count("<figure>") == 5
    assert page.count("<details") >= 6


def points():
    return tuple(
        RuPoint(
            setting=k,
            solver="anytime",
            risks={"highest": 1 / k, "average": 0.5 / k},
            utilities={"information": worth, "precision": worth},
            smallest=k,
            bins=9,
        )
        for k, worth in ((2, 0.9), (5, 0.85), (10, 0.8), (20, 0.4))
    )


def test_the_map_says_where_returns_diminish_and_what_failed():
    failed = RuPoint(
        setting=900, solver="anytime", reason="It has 40 rows, so no bin can have 900."
    )
    found = RuMap(over="k", points=(*points(), failed))
    page = ru_map_part.part(found, {})
    assert "returns diminish at k = 10" in page
    assert "no bin can have 900" in page
    pytest.importorskip("altair")
    from sfumato.assessment.charts.ru_map_chart import draw

    charts = draw(found)
    assert set(charts) == {"ru-map", "ru-map-average"}
    assert "diminishing return" in charts["ru-map"]
    assert draw(RuMap(over="k", points=(failed,))) == {}
