"""The page runs nothing, loads nothing, and shows no cell of the source."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import report_example
from pages import Page, text_of

from sfumato.hierarchies import Hierarchy
from sfumato.report import FieldFacts, ReportFacts, StepFacts, render

HOSTILE = "<script>alert(\"1\")</script></svg><img src=x onerror='alert(1)'>&amp;</style>"
TAGS = """html head meta title style body header main footer section div p h1 h2 h3 a ul li strong span code pre details
summary table caption thead tbody tr th td figure figcaption svg g path text line rect defs clippath"""


@pytest.fixture(scope="module")
def hostile_page() -> str:
    """A report in which everything that a person or a file can name is an attack on the page."""
    facts = report_example.facts()
    fields = tuple(
        replace(field, name=field.name + HOSTILE, treatment=HOSTILE) for field in facts.fields
    )
    return render(
        replace(
            facts,
            title=HOSTILE,
            created=HOSTILE,
            version=HOSTILE,
            recipient=HOSTILE,
            recipient_description=HOSTILE,
            engine=HOSTILE,
            solver=HOSTILE,
            fields=tuple(replace(field, level_names=(HOSTILE,) * 5) for field in fields),
            utility=replace(facts.utility, per_field={HOSTILE: 0.5}),
            verdicts=tuple(
                replace(
                    verdict, model=HOSTILE, requirement=HOSTILE, fields=(HOSTILE,), reason=HOSTILE
                )
                for verdict in facts.verdicts
            ),
            ads0=replace(facts.ads0, reason=HOSTILE),
            steps=tuple(StepFacts(what=HOSTILE, bins=2, rows_failing=1) for _ in range(3)),
            notes=(HOSTILE,),
            warnings=(HOSTILE,),
            policy_toml=HOSTILE,
            files={HOSTILE: HOSTILE},
            hierarchies={HOSTILE: Hierarchy.from_rows([("a", HOSTILE), ("b", HOSTILE)])},
        )
    )


def test_hostile_names_are_only_text(hostile_page: str):
    page = Page(hostile_page)
    assert page.tags <= set(TAGS.split())
    assert page.unclosed == []
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert text_of(hostile_page).count(HOSTILE) > 20


def test_nothing_is_run_or_loaded(hostile_page: str):
    for page in (hostile_page, render(report_example.facts())):
        assert "<script" not in page.lower()
        assert "http://" not in page
        assert "https://" not in page
        parsed = Page(page)
        assert not [
            value
            for _, name, value in parsed.attributes
            if name == "href" and not value.startswith("#")
        ]
        assert not [
            name
            for _, name, _ in parsed.attributes
            if name in {"src", "srcset", "xlink:href", "action"}
        ]
        assert all(place.startswith("url(#") for place in re.findall(r"url\([^)]?", page))
        assert "@import" not in page


def test_the_content_security_policy_forbids_scripts_and_requests(hostile_page: str):
    given = Page(hostile_page).attributes
    assert (
        "meta",
        "content",
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    ) in given


def test_charts_do_not_share_ids(hostile_page: str):
    ids = re.findall(r' id="([^"]+)"', hostile_page)
    assert len(ids) == len(set(ids))


def test_no_value_of_level_0_is_shown():
    secrets = [f"SECRET{number:04d}" for number in range(400)]
    deep = Hierarchy.from_rows(
        [(s, f"group {at // 10}", f"part {at // 100}", "*") for at, s in enumerate(secrets)]
    )
    # As in a tree of uneven depth: a value that stands for itself above level 0 too.
    uneven = Hierarchy.from_rows(
        [(s, s if at < 3 else "others", "*") for at, s in enumerate(secrets)]
    )
    alone = Hierarchy.from_rows([("SECRET-ALONE", "SECRET-ALONE")])
    flat = Hierarchy.from_rows([(s,) for s in secrets])
    shown = {"deep": deep, "uneven": uneven, "alone": alone, "flat": flat}
    page = render(replace(report_example.facts(), hierarchies=shown))
    assert "SECRET" not in page
    text = text_of(page)
    assert "part 0 (100 values)" in text
    assert "group 0 (10 values)" in text
    assert "others (397 values)" in text
    assert "… 3 with one value" in text


def test_a_large_hierarchy_does_not_fill_the_page():
    codes = [
        (f"{at:05d}", f"{at // 5:04d}x", f"{at // 50:03d}xx", f"{at // 1000}", "*")
        for at in range(20_000)
    ]
    page = render(replace(report_example.facts(), hierarchies={"code": Hierarchy.from_rows(codes)}))
    assert len(page) < 200_000
    assert "more" in text_of(page)


def test_names_with_control_characters_are_marked():
    odd = FieldFacts(
        name="a\x00b\u202ec\ud800", role="quasi", treatment="kept", known=True, rows_at_level=(1, 2)
    )
    facts: ReportFacts = replace(report_example.facts(), fields=(odd,))
    page = render(facts)
    assert "a�b�c�" in page
    page.encode("utf-8")
