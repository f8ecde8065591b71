"""Rows per person, derived fields and joins: telling two tables apart that differ by one person.

The *heavy user* has 200 stays, every one of them dearer than anybody else's, and is missing from one
of two hospitals. The attacker asks both the same questions: who was in psychiatry, how often, at what
cost. Noise hides the heavy user as long as they move no answer by more than the noise covers. So the
numbers are compared before noise: all numbers of an answer together move by at most the sensitivity
that was charged. Without the cut to declared bounds they move by far more, which is shown first."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from sfumato.accounting import ChargedMeasurement
from sfumato.gate.noise.contribution_bounding import Measure
from sfumato.gate.settings import Asker, Budget, Terms

from ..unit.gate.linked import linked_gate, write_table

EVE = Asker(name="eve", profile="public")
TERMS = Terms(
    budget=Budget(query=1.0, person=900.0, table=900.0),
    rows_per_person=4,
    bounds={"cost": (0, 100)},
)
PATIENTS = """
entity = "id"
[fields.id]
role = "direct"
[fields.sex]
role = "quasi"
domain = ["F", "M"]
[require]
k = 5
"""
STAYS = """
entity = "pid"
[fields]
pid = "direct"
cost = "insensitive"
[fields.ward]
role = "quasi"
domain = ["medicine", "psychiatry"]
[require]
k = 5
"""
TIED = "stays.pid = patients.id"
BY_PERSON = "(SELECT pid, COUNT(*) AS n, SUM(cost) AS total, MAX(cost) AS dearest FROM stays GROUP BY pid) AS x"
ASKED = (
    f"SELECT COUNT(*) AS n FROM patients WHERE EXISTS (SELECT 1 FROM stays WHERE {TIED} AND ward = 'psychiatry')",
    f"SELECT sex, COUNT(*) AS n FROM patients WHERE NOT EXISTS (SELECT 1 FROM stays WHERE {TIED}) GROUP BY sex",
    f"SELECT n, COUNT(*) AS people FROM {BY_PERSON} GROUP BY n",
    f"SELECT SUM(n) AS n, SUM(total) AS t, SUM(dearest) AS d FROM {BY_PERSON}",
    f"SELECT VAR_POP(total) AS v FROM {BY_PERSON}",
    "SELECT ward, SUM(cost * cost + 1) AS c FROM stays GROUP BY ward",
    "SELECT SUM(CASE WHEN ward = 'psychiatry' THEN cost ELSE -cost END) AS c FROM stays",
    "SELECT cost, COUNT(*) AS n FROM stays WHERE cost < 3 GROUP BY cost",
    "SELECT STDDEV(s.cost) AS d, COUNT(*) AS n FROM stays s JOIN patients p ON s.pid = p.id",
    "SELECT ward, COUNT(*) AS n FROM stays s WHERE EXISTS (SELECT 1 FROM stays t WHERE t.pid = s.pid AND t.cost > "
    "s.cost) GROUP BY ward",
    "SELECT ward, COUNT(DISTINCT CASE WHEN cost > 10 THEN pid END) AS n, COUNT(*) AS m FROM stays GROUP BY ward",
    "SELECT SUM((SELECT COUNT(*) FROM stays t WHERE t.pid = s.pid AND t.cost <> s.cost)) AS n FROM stays s",
)  # fmt: skip


def hospitals(folder):
    draw = np.random.default_rng(8)
    patients = [{"id": f"p{n}", "sex": "FM"[n % 2]} for n in range(60)]
    stays = [
        {"pid": f"p{n % 60}", "ward": "medicine", "cost": int(draw.integers(90))}
        for n in range(150)  # Nobody else has more rows than count, so that none is sampled.
    ]
    heavy = [{"pid": "heavy", "ward": "psychiatry", "cost": 5_000 + n} for n in range(200)]
    for name, more in (("with", heavy), ("without", [])):
        people = [*patients, *([{"id": "heavy", "sex": "F"}] if more else [])]
        yield (
            folder / name,
            (
                replace(
                    write_table(folder / name, "patients", people, PATIENTS), rows_per_person=1
                ),
                write_table(folder / name, "stays", [*stays, *more], STAYS),
            ),
        )


def before_noise(folder, sql):
    """The numbers of both hospitals for each line that is charged, and what the line covers."""
    found = []
    for place, tables in hospitals(folder):
        lines = []

        def exact(charged, numbers, lines=lines):
            lines.append((charged.line.squared_sensitivity, np.asarray(numbers, float)))
            return np.asarray(numbers)

        with (
            patch.object(ChargedMeasurement, "add_noise", exact),
            linked_gate(place, tables, terms=TERMS) as gate,
        ):
            gate.keeper.ask(EVE, sql)
        found.append(lines)
    return list(zip(*found, strict=True))


def moved(folder, sql):
    """How far the heavy user moves the numbers of each line, beside what it covers (squared)."""
    for (covered, one), (_, other) in before_noise(folder, sql):
        if len(one) == len(other):
            yield float(((one - other) ** 2).sum()), covered


@pytest.mark.long("two gates for each question; each third question stays", every=3)
@pytest.mark.parametrize("sql", ASKED, ids=range(len(ASKED)))
def test_one_person_with_all_their_rows_moves_no_answer_further_than_noise_covers(tmp_path, sql):
    pairs = list(moved(tmp_path, sql))
    assert pairs
    assert all(squared <= covered for squared, covered in pairs)


def test_the_heavy_user_is_seen_without_bounds(tmp_path):
    def uncut(self, held):
        return np.where(held.present, np.rint(np.nan_to_num(held.numbers()) / self.step), 0).astype(
            np.int64
        )

    with ExitStack() as broken:
        broken.enter_context(patch.object(Measure, "worth", uncut))
        pairs = list(moved(tmp_path, ASKED[3]))
    assert any(squared > 100 * covered for squared, covered in pairs)
