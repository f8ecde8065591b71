"""Each chart is SVG that stands by itself: well-formed, described, and drawn for few fields as for
many."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import report_example
from hypothesis import given
from hypothesis import strategies as st

from sfumato.report import FieldFacts, StepFacts
from sfumato.report.charts import draw
from sfumato.report.charts.field_charts import ladder, precision
from sfumato.report.charts.step_chart import steps
from sfumato.report.charts.svg_canvas import round_ticks

HOSTILE = '</text><script>alert("1")</script>&\''


def texts(svg: str | None) -> list[str]:
    assert svg is not None
    return ["".join(item.itertext()) for item in ElementTree.fromstring(svg).iter("text")]


def test_every_chart_is_well_formed_and_has_a_size():
    drawn = draw(report_example.facts())
    assert set(drawn) == {"bins", "chance", "ladder", "precision", "steps"}
    for svg in drawn.values():
        root = ElementTree.fromstring(svg)
        assert root.tag == "svg"
        assert float(root.attrib["width"]) > 500
        assert float(root.attrib["height"]) > 100
        assert root.attrib["aria-label"]


def test_a_report_needs_neither_altair_nor_vega():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import report_example; "
        "from sfumato.report import render; assert '<svg' in render(report_example.facts()); "
        "sys.exit(any(name in sys.modules for name in ('altair', 'vl_convert')))"
    )
    folder = str(Path(__file__).parent)
    assert subprocess.run([sys.executable, "-c", code, folder], check=False).returncode == 0


def test_nothing_is_drawn_outside_its_chart():
    for svg in draw(report_example.facts()).values():
        root = ElementTree.fromstring(svg)
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for item in root.iter("rect"):
            x, y, wide, high = (float(item.attrib[key]) for key in ("x", "y", "width", "height"))
            assert x >= 0
            assert y >= 0
            assert x + wide <= width
            assert y + high <= height
        for item in root.iter("text"):
            if "x" in item.attrib:
                assert 0 <= float(item.attrib["x"]) <= width
                assert 0 <= float(item.attrib["y"]) <= height


@given(st.floats(0, 1e12))
def test_ticks_are_few_whole_and_within(most: float):
    ticks = round_ticks(most)
    assert ticks[0] == 0
    assert all(tick == int(tick) for tick in ticks)
    assert ticks[-1] <= max(most, 0)
    assert len(ticks) <= 6


def test_numbers_have_thousands_separators():
    drawn = draw(report_example.facts())
    assert {"5,612", "3,424"} <= set(texts(drawn["bins"]))
    assert "9,793" in texts(drawn["steps"])


def field(name: str, levels: int) -> FieldFacts:
    rows = (3, *[0] * (levels - 2), 1)
    return FieldFacts(
        name=name, role="quasi", treatment="", known=True, rows_at_level=rows, labels_per_level=rows
    )


@pytest.mark.parametrize(
    ("levels", "shown"), [(3, "75\u00a0% of rows"), (11, "75\u00a0%"), (25, "")]
)
def test_the_ladder_writes_what_its_steps_have_room_for(levels: int, shown: str):
    found = texts(ladder([field("age", levels)]))
    assert "age" in found
    assert shown in found or not shown


def test_long_names_that_are_cut_alike_keep_their_own_lines():
    names = ["a" * 30 + "b" * 30 + "c" * 30, "a" * 30 + "x" * 30 + "c" * 30]
    assert (
        len(
            [
                text
                for text in texts(ladder([field(name, 3) for name in names]))
                if text.startswith("aaa")
            ]
        )
        == 2
    )
    assert (
        len(
            [
                text
                for text in texts(precision(dict.fromkeys(names, 0.5), 0.5))
                if text.startswith("aaa")
            ]
        )
        == 2
    )


def test_hostile_names_stay_text():
    for chart in (
        ladder([field(HOSTILE, 3)]),
        precision({HOSTILE: 0.5}, 0.5),
        steps([move(HOSTILE, 3), move("b", 1)]),
    ):
        assert any("<script>" in text or "</text>" in text for text in texts(chart))


def move(what: str, failing: int) -> StepFacts:
    return StepFacts(what=what, bins=1, rows_failing=failing)


def test_many_steps_become_a_line():
    svg = steps([move(f"move {index}", 100 - index) for index in range(100)])
    assert "Step" in texts(svg)
    assert not [text for text in texts(svg) if "move" in text]


def test_nothing_is_drawn_of_nothing():
    assert ladder([]) is None
    assert precision({}, 1.0) is None
    assert steps([move("start", 0)]) is None
