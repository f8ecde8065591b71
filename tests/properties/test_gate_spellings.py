"""Spellings of one question: what means the same has one normal form, and nothing else has it."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import duckdb
import numpy as np
import pytest
import sqlglot

from sfumato.engines import FieldKind
from sfumato.gate.decide.protected_table import HeldField
from sfumato.gate.gate_opener import open_gate
from sfumato.gate.settings import Asker, Budget, HeldTable, Mode, Settings, Terms
from sfumato.gate.sql.condition_reader import predicate_of
from sfumato.gate.sql.expression_spelling import respelt
from sfumato.gate.sql.normal_form import normal_form
from sfumato.policy import Role

KINDS = {"a": FieldKind.INTEGER, "b": FieldKind.REAL, "c": FieldKind.TEXT}
VALUES = {
    "a": (*map(str, range(-1, 6)), None),
    "b": (*(str(each / 4) for each in range(-2, 19, 2)), None),
    "c": ("", "k", "ka", "l", "la", "m", "n", None),
}


def condition(draw: random.Random, depth: int) -> str:
    if depth and draw.random() < 0.7:
        parts = [condition(draw, depth - 1) for _ in range(2)]
        joined = f"({draw.choice([' AND ', ' OR ']).join(parts)})"
        return f"NOT {joined}" if draw.random() < 0.3 else joined
    name = draw.choice("abc")
    one, other = (
        repr(draw.choice("klm")) if name == "c" else str(draw.randint(0, 4)) for _ in range(2)
    )
    return draw.choice(
        [
            f"{name} {draw.choice(['=', '<>', '<', '<=', '>', '>='])} {one}",
            f"{one} {draw.choice(['=', '<>', '<', '<=', '>', '>='])} {name}",
            f"{name} BETWEEN {one} AND {other}",
            f"{name} IN ({one}, {other})",
            f"NOT {name} IN ({one}, {other})",
            f"{name} IS NULL",
            f"NOT {name} IS NULL",
        ]
    )


def meaning(text: str) -> bytes:
    """Where a condition is true, of all combinations of some values."""
    names = sorted(VALUES)
    codes = np.array([*product(*(range(len(VALUES[name])) for name in names))], np.int32).T
    held = {
        name: HeldField(
            name=name, role=Role.QUASI, kind=KINDS[name], values=VALUES[name], codes=own
        )
        for name, own in zip(names, codes, strict=True)
    }
    found = predicate_of(sqlglot.parse_one(text))
    return found.marks(held, {name: each.codes for name, each in held.items()}).tobytes()


def test_conditions_have_one_form_where_they_mean_the_same() -> None:
    """Two fields of a condition that does not depend on one of them are named, so only conditions
    over the same fields are compared."""
    draw = random.Random(7)
    forms: dict[tuple[frozenset[str], bytes], set[str]] = {}
    means: dict[str, set[bytes]] = {}
    for _ in range(400):
        text = condition(draw, 2)
        found = predicate_of(sqlglot.parse_one(text))
        form, meant = normal_form(found, KINDS), meaning(text)
        forms.setdefault((found.fields(), meant), set()).add(form)
        means.setdefault(form, set()).add(meant)
    assert max(map(len, means.values())) == 1  # One form never has two meanings.
    assert max(map(len, forms.values())) == 1  # And one meaning never two forms.
    assert len(means) > 100


def test_respelt_expressions_have_the_same_outcome() -> None:
    draw = random.Random(3)
    rows = [
        (draw.choice([None, *range(5)]), draw.choice([None, 0.5, 2.0]), draw.choice([None, *"klm"]))
        for _ in range(60)
    ]
    with duckdb.connect() as base:
        base.execute("CREATE TABLE t (a INTEGER, b DOUBLE, c VARCHAR)")
        base.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        for _ in range(80):
            sum_of = draw.choice(["a + b", "2 * (b + a)", "(a - b) * 3", "a % 2 * 3", "3 - a * b"])
            text = f"CASE WHEN {condition(draw, 2)} THEN {sum_of} ELSE (a) END"
            spelt = respelt(sqlglot.parse_one(text))
            again = respelt(spelt).sql()
            assert again == spelt.sql()
            one, other = (
                base.execute(f"SELECT {each} FROM t").fetchall() for each in (text, again)
            )
            assert one == other


SPELLINGS = {
    "SELECT COUNT(*) FROM t WHERE sick = 'yes' AND cost > 100": [
        "SELECT COUNT(*) FROM t WHERE 100 < cost AND 'yes' = sick",
        "SELECT COUNT(*) FROM t WHERE NOT (cost <= 100 OR NOT sick IN ('yes'))",
        "SELECT COUNT(*) FROM t WHERE (cost > 100) AND sick = 'yes' AND cost > 50 AND cost <> 7",
        "SELECT COUNT(*) AS n FROM (SELECT * FROM t WHERE cost > 1e2) AS q WHERE sick = 'yes'",
    ],
    "SELECT SUM(CASE WHEN cost BETWEEN 10 AND 20 THEN 1 ELSE 0 END) FROM t": [
        "SELECT SUM(CASE WHEN 20 >= cost AND NOT cost < 10 THEN 1 ELSE 0 END) FROM t",
        "SELECT SUM((CASE WHEN ((cost >= 10) AND cost <= 20) THEN 1 ELSE 0 END)) FROM t",
    ],
}


@pytest.mark.parametrize("first", SPELLINGS)
def test_other_spellings_are_not_charged(tmp_path: Path, first: str) -> None:
    draw = random.Random(1)
    lines = [f"{draw.choice('FM')},{draw.choice(['yes', 'no'])},{draw.randint(0, 300)}"] * 300
    (tmp_path / "t.csv").write_text("\n".join(["sex,sick,cost", *lines]))
    (tmp_path / "p.toml").write_text(
        'membership = "protected"\n[fields.sex]\nrole = "quasi"\n[fields.sick]\nrole = "sensitive"\n'
        '[fields.cost]\nrole = "insensitive"\ndomain = { least = 0, most = 300 }\n[require]\nk = 5\n'
    )
    table = HeldTable(name="t", source=str(tmp_path / "t.csv"), policy=tmp_path / "p.toml")
    terms = Terms(
        mode=Mode.NOISY, budget=Budget(query=0.1, person=1.0, table=1.0), bounds={"cost": (0, 300)}
    )
    settings = Settings(folder=tmp_path / "state", tables={"t": table}, terms={"public": terms})
    ann, bob = (Asker(name=name, profile="public") for name in ("ann", "bob"))
    with open_gate(settings) as gate:
        rows = gate.keeper.ask(ann, first).rows
        for other in SPELLINGS[first]:
            answer = gate.keeper.ask(bob, other)
            assert answer.remembered
            assert answer.rows == rows
