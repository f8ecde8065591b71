"""The page of several tables shows everything in its facts, in order, runs nothing, loads nothing
and escapes names."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import tables_example
from pages import Page, text_of

from sfumato.report import TablesFacts, render_tables

ORDER = "outcome recipient summary verdicts warnings tables each"
REST = "levels bins policy method files"
HOSTILE = "<script>alert(\"1\")</script></svg><img src=x onerror='alert(1)'>&amp;</style>"
TAGS = """html head meta title style body header main footer section div p h1 h2 h3 h4 a ul li strong span code pre
details summary table caption thead tbody tr th td figure figcaption svg g path text line rect defs clippath"""


@pytest.fixture(scope="module")
def facts() -> TablesFacts:
    return tables_example.facts()


@pytest.fixture(scope="module")
def page(facts: TablesFacts) -> str:
    return render_tables(facts)


@pytest.fixture(scope="module")
def hostile_page(facts: TablesFacts) -> str:
    """A report in which everything that a person, a file or a server can name is an attack on the
    page."""
    tables = tuple(
        replace(
            table,
            name=table.name + HOSTILE,
            file=HOSTILE,
            key=HOSTILE if table.key else "",
            links=tuple(
                (HOSTILE, f"{target.split('.')[0]}{HOSTILE}.{HOSTILE}") for _, target in table.links
            ),
            fields=tuple((HOSTILE, HOSTILE, HOSTILE) for _ in table.fields),
            sets=tuple(replace(found, field=HOSTILE, notes=(HOSTILE,)) for found in table.sets),
        )
        for table in facts.tables
    )
    verdict = replace(
        facts.verdicts[0],
        model=HOSTILE,
        requirement=HOSTILE,
        fields=(HOSTILE + "f",),
        reason=HOSTILE,
    )
    return render_tables(
        replace(
            facts,
            title=HOSTILE,
            created=HOSTILE,
            version=HOSTILE,
            recipient=HOSTILE,
            recipient_description=HOSTILE,
            engine=HOSTILE,
            solver=HOSTILE,
            snapshot={HOSTILE: HOSTILE},
            verdicts=(verdict,),
            warnings=(HOSTILE,),
            notes=(HOSTILE,),
            tables=tables,
            levels=((HOSTILE, HOSTILE),),
            policy_toml=HOSTILE,
            files={HOSTILE: HOSTILE},
            person="",
        )
    )


def test_the_parts_stand_in_the_order_of_reading(page: str, facts: TablesFacts):
    each = [f"table-{at + 1}" for at in range(len(facts.tables))]
    assert Page(page).ids == [*ORDER.split(), *each, *REST.split()]


def test_everything_that_is_named_appears(page: str, facts: TablesFacts):
    text = text_of(page)
    for verdict in facts.verdicts:
        assert verdict.requirement in text
        assert verdict.reason in text
    for table in facts.tables:
        assert all(f"{name} {role} {done}" in text for name, role, done in table.fields)
        assert all(f"{own} links to {target}" in text for own, target in table.links)
    shown = (
        *facts.warnings,
        *facts.notes,
        *facts.files,
        *facts.files.values(),
        *facts.snapshot,
        facts.engine,
    )
    assert not [
        words for words in (*shown, *(level for _, level in facts.levels)) if words not in text
    ]


def test_the_summary_counts_people_first(page: str):
    text = text_of(page)
    assert "The release holds 292 people in 6 tables." in text
    assert (
        "Each combination of a person's quasi-identifiers is that of 5 people or more; before, 294"
        in text
    )
    assert "In 4 tables, each number of rows that someone has is that of 5 people or more." in text


def test_the_rows_of_a_table_are_accounted_for(page: str):
    assert "6,660 released (89 %) 241 were left out with their parent rows (3.2 %)" in text_of(page)
    assert (
        "581 revealed how many rows someone has (7.8 %) 4 belonged to nobody (under 0.1 %)"
        in text_of(page)
    )
    assert "8 were in bins of too few people (2.7 %)" in text_of(page)
    assert "All of its 40 rows are released." in text_of(page)


def test_rows_that_went_no_known_way_are_said_to_be_so(facts: TablesFacts, page: str):
    patients = replace(facts.tables[0], by_bins=1)
    assert "are not accounted for" not in text_of(page)
    assert "7 are not accounted for" in text_of(render_tables(replace(facts, tables=(patients,))))


def test_numbers_of_rows_are_told_before_and_after(page: str):
    words = (
        "Before, 37 of 292 people (12.7 %) had a number that nobody else had, and 110 one that "
        "fewer than 5 had."
    )
    assert (
        f"{words} After, each number is that of 5 people or more. For this, 581 rows were left out"
        in text_of(page)
    )


def test_a_number_that_is_still_rare_is_not_passed_over(facts: TablesFacts):
    visits = facts.tables[2]
    assert visits.row_counts is not None
    counts = replace(visits.row_counts, after=(*visits.row_counts.after, (9_999, 2)))
    text = text_of(
        render_tables(replace(facts, tables=(facts.tables[0], replace(visits, row_counts=counts))))
    )
    assert "After, 2 people still have such a number." in text
    assert "each number of rows that someone has is that of" not in text


def test_sets_are_told_in_counts(page: str):
    text = text_of(page)
    assert (
        "whoever knows up to 2 values of it that a person has finds 5 people or more with the same"
        in text
    )
    assert "code 212 14 34.1 % 6" in text


def test_the_worst_verdict_stands_first(page: str):
    found = text_of(render_tables(tables_example.many()))
    assert found.index("✕ fail") < found.index("✓ pass")
    assert "1 of 11 requirements is broken." in found
    assert "do not share these tables" in found
    assert "No person has confirmed it" in found
    assert "✕ fail" not in text_of(page)


def test_a_long_report_stays_small_and_its_fields_fold():
    page = render_tables(tables_example.many())
    assert len(page) < 500_000
    assert text_of(page).count("Show the 40 fields") == 5
    assert "dispensed" in text_of(page)


def test_it_breaks_off_nowhere_and_every_link_within_it_leads_somewhere(
    page: str, hostile_page: str
):
    for made in (page, hostile_page):
        parsed = Page(made)
        assert parsed.unclosed == []
        places = {value[1:] for _, name, value in parsed.attributes if name == "href"}
        assert {"table-1", "table-6", "warnings"} <= places
        assert places <= set(parsed.ids)


def test_charts_are_drawn_and_described(page: str):
    charts = re.findall(r"<svg [^>]*>", page)
    # The drawing, the bars of five tables that lost rows, two panels for each of four tables, and
    # the bins.
    assert len(charts) == 1 + 5 + 2 * 4 + 1
    assert all('role="img"' in chart and 'aria-label="' in chart for chart in charts)


def test_one_table_without_anything_still_makes_a_page(facts: TablesFacts):
    alone = replace(
        facts.tables[0],
        name="release",
        key="",
        rows_source=0,
        rows_released=0,
        fields=(),
        by_bins=0,
    )
    empty = replace(
        facts,
        outcome="review",
        verdicts=(),
        warnings=(),
        notes=(),
        tables=(alone,),
        people=0,
        levels=(),
        before=None,
        after=None,
        files={},
        snapshot={},
        solver="",
    )
    text = text_of(render_tables(empty))
    for words in (
        "nothing was judged",
        "There are no warnings.",
        "The source holds no row of it.",
        "has no bins",
    ):
        assert words in text
    assert "The tables and their links" not in text
    assert text_of(render_tables(replace(empty, tables=()))).startswith("Hospital database 2024")


def test_hostile_names_are_only_text(hostile_page: str):
    parsed = Page(hostile_page)
    assert parsed.tags <= set(TAGS.split())
    assert not [name for _, name, _ in parsed.attributes if name.startswith("on")]
    assert text_of(hostile_page).count(HOSTILE) > 30
    assert hostile_page.count('class="arrow"') == 5


def test_nothing_is_run_or_loaded(page: str, hostile_page: str):
    for made in (page, hostile_page):
        assert "<script" not in made.lower()
        assert "http://" not in made
        assert "https://" not in made
        parsed = Page(made)
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
        assert all(place.startswith("url(#") for place in re.findall(r"url\([^)]?", made))
        ids = re.findall(r' id="([^"]+)"', made)
        assert len(ids) == len(set(ids))
