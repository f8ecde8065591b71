"""Every solver on every engine, from a CSV file to a release that is read back and counted by hand.

Rows carry a number, so that what became of each cell can be followed: a quasi-identifier is
released as one of its ancestors, everything else as it is."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.errors import NoRecodingFound, PolicyError
from sfumato.policy import SOLVERS as NAMES
from sfumato.policy import Policy, policy_from_table
from sfumato.releases.pipeline import Release, release

# The engines that read a file; those of servers and clusters have their own tests of whole
# releases.
ENGINES = ("duckdb", "reference")

Row = dict[str, str]

QUASI = ("zip", "born", "word")
OTHERS = ("number", "note")
FIELDS = {
    "number": {"role": "insensitive"},
    "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}, "rank": 2},
    "born": {"role": "quasi", "hierarchy": {"dates": ["month", "year", "10 years"]}, "rank": 2},
    "word": {"role": "quasi"},
    "note": {"role": "sensitive"},
}
CHECKED = [(name,) for name in QUASI] + [*itertools.combinations(QUASI, 2)]
"""What mu-Argus looks at under these ranks."""

ODD = [
    "",
    "*",
    "NULL",
    "Zoë",
    "Ω, 漢字",
    'said "no"',
    "two\nlines",
    " edges ",
    "#N/A",
    "0010",
    "naïve;semi\ttab",
]
SOLVERS = {
    "anytime": {"max_suppression": 0.1},
    "best": {"max_suppression": 0.1},
    "optimal": {"max_suppression": 0.1},
    "given": {"max_suppression": 0.6},
    "datafly": {},
    "datafly2": {"max_suppression": 0.1},
    "mu_argus": {},
    "greedy": {},
    "k_similar": {},
    "local": {},
}
each_solver = pytest.mark.parametrize("solver", SOLVERS)
each_engine = pytest.mark.parametrize("engine", ENGINES)


def policy(solver: str, k: int) -> Policy:
    asked: dict[str, object] = {"k": k}
    if solver == "datafly":
        asked = {"anonymity": {"level": 0.5, "r2": 2.0 * k, "e": float(k), "loss": 0.1}}
    if solver == "mu_argus":
        asked = {"combinations": {"k": k, "sizes": [1, 2]}}
    levels = {"levels": {"zip": 2, "born": 3, "word": 1}} if solver == "given" else {}
    return policy_from_table(
        {"fields": FIELDS, "require": asked | SOLVERS[solver], "solve": {"solver": solver} | levels}
    )


def table(cells: list[tuple[str, str, str]], notes: list[str]) -> list[Row]:
    rows = [dict(zip(QUASI, row, strict=True)) for row in cells]
    return [row | {"number": str(n), "note": notes[n % len(notes)]} for n, row in enumerate(rows)]


PEOPLE = table(
    [
        ("02138", "1964-10-23", "Zoë"),
        ("02138", "1964-10-23", "Zoë"),
        ("02139", "1964-10-01", 'said "no"'),
        ("02139", "1965-03-15", 'said "no"'),
        ("02141", "1967-02-13", "two\nlines"),
        ("02141", "1967-03-21", "two\nlines"),
        ("", "1967-03-21", ""),
        ("", "", ""),
        ("02657", "1999-12-31", "*"),
        ("02138", "", "Ω, 漢字"),
        ("02138", "1964-10-23", " edges "),
        ("02138", "1964-10-24", "Ω, 漢字"),
    ],
    ODD,
)
EQUAL = table([("02138", "1964-10-23", "Ω, 漢字")] * 6, ["flu\n", ""])
ONE = table([("02138", "1964-10-23", "Zoë")], ['"'])


@pytest.fixture(scope="module", autouse=True)
def plain_report():
    """The report page has its own tests, and takes longer than the release."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.releases.one_row_flow.render", lambda facts: "")
        yield


def write(rows: list[Row], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(made: Release) -> list[Row]:
    with made.table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def made_from(rows: list[Row], folder: Path, *, solver: str, engine: str, k: int = 2) -> Release:
    source = write(rows, folder / "source.csv")
    return release(source, policy(solver, k), to=folder / engine, engine=engine, replace=True)


def check(made: Release, rows: list[Row], *, solver: str, k: int = 2) -> None:
    released = read(made)
    assert made.outcome == made.manifest["outcome"] == "pass"
    assert len(released) == made.rows == len(rows) - made.rows_suppressed
    assert smallest(released, solver) >= k
    assert not beyond_the_source(released, rows)
    assert strangers(released, rows, made.policy) == []
    assert {found.outcome for found in sfumato.verify(made.folder)} <= {"pass", "review"}


def smallest(released: list[Row], solver: str) -> int:
    """The size of the smallest bin, or of the smallest value of a combination without blanked
    cells."""
    sizes: list[int] = [len(released)]
    for fields in CHECKED if solver == "mu_argus" else [QUASI]:
        counted = Counter(tuple(row[name] for name in fields) for row in released)
        sizes += [n for values, n in counted.items() if solver != "mu_argus" or "*" not in values]
    return min(sizes)


def beyond_the_source(released: list[Row], rows: list[Row]) -> Counter[tuple[str, ...]]:
    """What is released of the other fields and is not in the source, as multisets."""
    new, old = (
        Counter(tuple(row[name] for name in OTHERS) for row in some) for some in (released, rows)
    )
    return new - old


def strangers(released: list[Row], rows: list[Row], decided: Policy) -> list[str]:
    """The fields, once per cell, of released values that are no ancestors of what they were."""
    out = []
    for name in QUASI:
        values = sorted({row[name] or None for row in rows}, key=str)
        bound = decided.fields[name].hierarchy.bind(values)
        above = {
            value or "": {
                bound.labels[level][bound.up[level][code]] or ""
                for level in range(bound.height + 1)
            }
            for code, value in enumerate(values)
        }
        out += [name for row in released if row[name] not in above[rows[int(row["number"])][name]]]
    return out


def tuples(rows: list[Row], fields: tuple[str, ...]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(row[name] for name in fields) for row in rows)


def check_on_every_engine(rows: list[Row], folder: Path, *, solver: str) -> bool:
    """Whether there is a release, the same from all of them; where k-Similar cuts bins at random,
    the same bins.

    μ-Argus suppresses cells: a `*` of the source could not be told from one, and is refused.
    """
    if solver == "mu_argus" and any(row["word"] == "*" for row in rows):
        with pytest.raises(PolicyError, match="a suppressed cell would look the same"):
            made_from(rows, folder, solver=solver, engine="duckdb")
        rows = [row | {"word": row["word"].replace("*", "+")} for row in rows]
    fields = QUASI if solver == "k_similar" else (*QUASI, *OTHERS)
    found: list[Counter[tuple[str, ...]] | None] = []
    for engine in ENGINES:
        try:
            made = made_from(rows, folder, solver=solver, engine=engine)
        except NoRecodingFound:
            found.append(None)
        else:
            check(made, rows, solver=solver)
            found.append(tuples(read(made), fields))
    assert all(one == found[0] for one in found)
    return found[0] is not None


def test_every_solver_is_here():
    assert set(SOLVERS) >= set(NAMES) - {"microaggregation"}  # Numbers only: test_local_ranges.py.


@pytest.mark.long("odd cells with every solver; each third stays", every=3)
@each_solver
def test_nulls_unicode_dates_quotes_and_newlines(solver, tmp_path):
    assert check_on_every_engine(PEOPLE, tmp_path, solver=solver)


@pytest.mark.long("every solver on each engine; each third cell stays", every=3)
@each_solver
@each_engine
def test_rows_that_are_all_equal_leave_as_they_are(solver, engine, tmp_path):
    made = made_from(EQUAL, tmp_path, solver=solver, engine=engine)
    check(made, EQUAL, solver=solver)
    if solver != "given":
        assert tuples(read(made), (*QUASI, *OTHERS)) == tuples(EQUAL, (*QUASI, *OTHERS))


@pytest.mark.long("every solver on each engine; each third cell stays", every=3)
@each_solver
@each_engine
def test_one_row_leaves_only_where_one_is_enough(solver, engine, tmp_path):
    with pytest.raises(NoRecodingFound):
        made_from(ONE, tmp_path, solver=solver, engine=engine)
    assert [path.name for path in tmp_path.iterdir()] == ["source.csv"]
    check(made_from(ONE, tmp_path, solver=solver, engine=engine, k=1), ONE, solver=solver, k=1)


@each_engine
def test_a_release_without_rows_is_refused(engine, tmp_path):
    """It would keep every requirement, and the limit allows it."""
    table = {
        "fields": FIELDS,
        "require": {"k": 6, "max_suppression": 1.0},
        "solve": {"solver": "given"},
    }
    with pytest.raises(NoRecodingFound, match="All 12 rows would be suppressed"):
        release(
            write(PEOPLE, tmp_path / "source.csv"),
            policy_from_table(table),
            to=tmp_path / "out",
            engine=engine,
        )
    assert [path.name for path in tmp_path.iterdir()] == ["source.csv"]


@pytest.mark.parametrize("solver", ["anytime", "datafly2", "given", "k_similar"])
@each_engine
def test_who_links_on_nothing_gets_every_row_and_a_review(solver, engine, tmp_path):
    trusted = {"release_to": "team", "recipient": {"team": {"default_linking": 0.0}}}
    table = {"fields": FIELDS, "require": {"k": 2}, "solve": {"solver": solver}} | trusted
    source = write(PEOPLE, tmp_path / "source.csv")
    made = release(source, policy_from_table(table), to=tmp_path / "out", engine=engine)
    assert made.outcome == "review"
    assert tuples(read(made), (*QUASI, *OTHERS)) == tuples(PEOPLE, (*QUASI, *OTHERS))


def test_datafly_takes_k_for_the_bin_size_of_all_fields_and_needs_one_or_the_other(tmp_path):
    table = {
        "fields": FIELDS,
        "require": {"k": 2, "max_suppression": 0.1},
        "solve": {"solver": "datafly"},
    }
    made = release(
        write(PEOPLE, tmp_path / "source.csv"), policy_from_table(table), to=tmp_path / "out"
    )
    check(made, PEOPLE, solver="datafly")
    with pytest.raises(PolicyError, match="neither anonymity nor k"):
        policy_from_table(table | {"require": {"bin_sizes": {"zip": 2}}})


letters = st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n"\t,;* ')
words = st.text(letters, max_size=4) | st.sampled_from(ODD)
zips = st.sampled_from(["02138", "02139", "02141", "94301", ""])
dates = st.dates().map(str) | st.sampled_from(["2000-02-29", "1964-10-23", "1964-10-01", ""])
few = st.lists(words, min_size=1, max_size=3)


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    some = draw(few)
    return table(
        draw(st.lists(st.tuples(zips, dates, st.sampled_from(some)), min_size=2, max_size=12)),
        draw(few),
    )


@pytest.mark.long("random tables for each solver; each fourth solver stays", every=4)
@each_solver
@settings(max_examples=3, deadline=None)
@given(rows=tables())
def test_any_table(solver, rows, tmp_path_factory):
    """Only the given levels, which nobody chose for these rows, may not be enough."""
    assert (
        check_on_every_engine(rows, tmp_path_factory.mktemp("any"), solver=solver)
        or solver == "given"
    )
