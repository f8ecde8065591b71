"""Whatever is asked of several tables about the same people: the classes that all answers together
tell apart keep to the rules, counted from the answers and the raw rows alone."""

from __future__ import annotations

import itertools
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import Refused
from sfumato.gate.settings import Asker, Mode, Terms

from ..unit.gate.linked import linked_gate, write_table

ANN = Asker(name="ann", profile="public")
K = 3
KNOWN = {"patients": ("age", "town"), "stays": ("ward",), "tests": ("month",)}
SECRET = {"patients": "job", "stays": "drug", "tests": "result"}
HIERARCHIES = {
    "age": "{ numbers = { widths = [10, 40] } }",
    "town": '{ tree = { north = ["a", "b"], south = ["c", "d"] } }',
    "ward": '{ tree = { inner = ["u", "v"], outer = ["w"] } }',
    "month": "{ numbers = { widths = [3] } }",
}
VALUES = {"age": range(20, 60, 5), "town": "abcd", "ward": "uvw", "month": range(6)}


def policy(table: str) -> str:
    fields = "".join(
        f'[fields.{name}]\nrole = "quasi"\nhierarchy = {HIERARCHIES[name]}\n'
        for name in KNOWN[table]
    )
    return (
        f'entity = "id"\n[fields.id]\nrole = "direct"\n{fields}'
        f'[fields.{SECRET[table]}]\nrole = "sensitive"\n[require]\nk = {K}\n'
        'l_diversity = { kind = "distinct", l = 2 }\n'
    )


@st.composite
def hospitals(draw: st.DrawFn) -> dict[str, list[dict[str, Any]]]:
    """Two or three tables; people may be missing in some, and have several rows in the last."""
    names = draw(st.sampled_from([("patients", "stays"), ("patients", "stays", "tests")]))
    chance = draw(st.randoms(use_true_random=False))
    people, out = draw(st.integers(12, 60)), {}
    for name in names:
        missing = draw(st.sampled_from([0, 0, 1, people // 3]))
        several = name == names[-1] and draw(st.booleans())
        rows = []
        for person in range(people - missing):
            for _ in range(chance.choice([1, 1, 2, 3]) if several else 1):
                known = {field: chance.choice([*VALUES[field]]) for field in KNOWN[name]}
                rows.append({"id": f"p{person}", **known, SECRET[name]: chance.choice("xyz")})
        out[name] = rows
    return out


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, str, bool]:
    """A table, a condition over its known fields, and whether what is protected is asked for."""
    table = draw(st.sampled_from([*KNOWN]))
    field = draw(st.sampled_from(KNOWN[table]))
    value = draw(st.sampled_from([*VALUES[field]]))
    word = f"'{value}'" if isinstance(value, str) else value
    where = draw(st.sampled_from(["", f" WHERE {field} = {word}", f" WHERE {field} <> {word}"]))
    return table, where, draw(st.booleans())


@given(hospitals(), st.lists(questions(), min_size=1, max_size=6))
@settings(deadline=None)
def test_all_answers_together_keep_to_the_rules_of_every_table(tables, asked):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        held = [write_table(folder, table, rows, policy(table)) for table, rows in tables.items()]
        shown: list[tuple[str, tuple[str, ...], dict[str, int], set[Any], bool]] = []
        with linked_gate(folder, held, terms=Terms(mode=Mode.EXACT)) as gate:
            labels_of = {
                (field, value): [labels[up[code]] for labels, up in _levels(table, field)]
                for table in gate.keeper.holdings.values()
                for field in table.known
                for code, value in enumerate(table.fields[field].values)
            }
            for table, where, protected in asked:
                if table not in tables:
                    continue
                fields = KNOWN[table]
                more = f", {SECRET[table]}" if protected else ""
                try:
                    answer = gate.keeper.ask(
                        ANN, f"SELECT {', '.join(fields)}{more} FROM {table}{where}"
                    )
                except Refused:
                    continue
                labels = {tuple(map(str, row[: len(fields)])) for row in answer.rows}
                shown.append((table, fields, dict(answer.levels), labels, protected))
    _check(tables, shown, labels_of)


def _levels(table: Any, field: str) -> Any:
    hierarchy = table.hierarchies[field]
    return list(zip(hierarchy.labels, hierarchy.up, strict=True))


def _check(tables: dict[str, Any], shown: Sequence[Any], labels_of: Any) -> None:
    """Every combination of a person's rows by what each answer shows of it, counted in people."""

    def label(answer: Any, row: Any) -> Any:
        _, fields, levels, labels, _ = answer
        if row is None:
            return None
        told = tuple(labels_of[field, str(row[field])][levels[field]] for field in fields)
        return told if told in labels else None

    rows_of = {
        name: {person: [row for row in rows if row["id"] == person] for person in _people(tables)}
        for name, rows in tables.items()
    }
    classes: dict[Any, set[str]] = defaultdict(set)
    for person in _people(tables):
        for rows in itertools.product(*(rows_of[name][person] or [None] for name in tables)):
            of = dict(zip(tables, rows, strict=True))
            classes[tuple(label(answer, of[answer[0]]) for answer in shown)].add(person)
    if shown:
        assert min(map(len, classes.values())) >= K
    told = [answer for answer in shown if answer[4]]
    for name in {answer[0] for answer in told}:
        if any(len(rows) > 1 for rows in rows_of[name].values()):
            continue
        values: dict[Any, set[str]] = defaultdict(set)
        for person in _people(tables):
            for rows in itertools.product(*(rows_of[n][person] or [None] for n in tables)):
                of = dict(zip(tables, rows, strict=True))
                if of[name] is not None:
                    seen = tuple(label(answer, of[answer[0]]) for answer in told)
                    values[seen].add(of[name][SECRET[name]])
        assert min(map(len, values.values())) >= 2


def _people(tables: dict[str, Any]) -> list[str]:
    return sorted({row["id"] for rows in tables.values() for row in rows})
