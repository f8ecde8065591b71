"""Is somebody in the table at all? Noisy answers must not say so, whatever of them is looked at.

Two tables differ in one person, whose town nobody else lives in. The attacker knows everybody else,
and sees all that answers show: labels, how many groups there are, what is withheld, columns, notes,
refusals, sizes, the number of a question, whether it was asked before, and the noisy numbers. With
the same noise but membership public, as it was for everybody before, the attacker is right about
every target; see `test_the_attack_works`."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from gate_world import held, keeping

from sfumato.accounting import Measurement, charge_first
from sfumato.errors import Mistake, Refused
from sfumato.gate.answers import Answer
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.noise.noisy_answers import NoisyAnswers
from sfumato.gate.settings import Asker, Budget, Mode, Terms
from sfumato.gate.sql.admission import QueryableTable, admit

EVE = Asker(name="eve", profile="public")
TARGETS = 60
"""Of the test that counts guesses; what is shown without noise is the same each time, so that fewer
show it."""
SHOWN_TARGETS = 8
TOWNS = ("Aberdeen", "Bergen", "Cadiz", "Delphi")
EACH = 900
REPLIES = 12_000
LOOKED_AT = (1, 3, 5)
"""The questions, by their place, whose shapes are looked at before they are asked."""
FIELDS: dict[str, Any] = {
    "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [10, 50]}}},
    "town": {"role": "quasi"},
    "test": {"role": "sensitive"},
}
NOISY, EITHER = Terms(mode=Mode.NOISY), Terms(mode=Mode.EITHER)


def policy(*, membership: str = "", domain: bool = False) -> dict[str, Any]:
    fields = dict(FIELDS)
    if domain:
        fields["town"] = {**FIELDS["town"], "domain": [*TOWNS, "Zenda"]}
        fields["age"] = {**FIELDS["age"], "domain": {"least": 0, "most": 110}}
    said = {"membership": membership} if membership else {}
    return {**said, "fields": fields, "require": {"k": 5}}


WAYS = {
    "a threshold": (policy(), NOISY),
    "a declared domain": (policy(domain=True), NOISY),
    "a policy that says so": (policy(membership="protected"), EITHER),
}


@dataclass(frozen=True)
class Target:
    age: int
    test: int

    @property
    def alone(self) -> str:
        return f"age = {self.age} AND town = 'Zenda'"


def questions(target: Target) -> list[str]:
    """Five that cost something, the last with groups that it states itself, one that may be taken for
    another, and some that are refused."""
    return [
        "SELECT town, COUNT(*) AS n FROM people GROUP BY town",
        f"SELECT COUNT(*) AS n FROM people WHERE {target.alone}",
        "SELECT COUNT(*) AS n FROM people WHERE age >= 0 AND town <> 'Nowhere'",
        f"SELECT COUNT(*) AS n FROM people WHERE NOT ({target.alone})",
        f"SELECT town, COUNT(DISTINCT person) AS n FROM people WHERE age = {target.age} "
        "GROUP BY town ORDER BY n",
        f"SELECT town, test FROM people WHERE {target.alone}",
        f"SELECT MIN(age) AS n FROM people WHERE {target.alone}",
        f"SELECT town FROM people WHERE {target.alone} GROUP BY town HAVING COUNT(*) > 0",
        f"SELECT CASE WHEN {target.alone} THEN 'there' ELSE 'not' END AS town, COUNT(*) AS n "
        "FROM people WHERE town IN ('Zenda', 'Bergen') GROUP BY 1",
    ]


def shown(answer: Answer) -> dict[str, Any]:
    """All of an answer but its noise: the numbers, and what a note says of their sign and order."""
    columns, rows = answer.marked()
    place = columns.index("n") if "n" in columns else -1
    rest = [
        [
            re.sub("; (below zero|order uncertain).*", "", str(cell))
            for at, cell in enumerate(row)
            if at != place
        ]
        for row in rows
    ]
    return {
        "columns": columns, "labels": sorted(rest), "groups": len(rows), "withheld": answer.withheld,
        "number": answer.query, "again": answer.remembered, "levels": dict(answer.levels), "noise": dict(answer.noise),
        "size": len(json.dumps(rest)), "threshold": answer.threshold, "empty": not rows,
    }  # fmt: skip


def seen(keeper: GateKeeper, target: Target) -> dict[str, Any]:
    """Everything that the attacker sees, but for noisy numbers."""
    out: dict[str, Any] = {}
    for number, sql in enumerate(questions(target)):
        for way in ("look", "ask") if number in LOOKED_AT else ("ask",):
            try:
                answer = getattr(keeper, way)(EVE, sql)
            except (Refused, Mistake) as refused:
                out[f"{way} {number} refused"] = (type(refused).__name__, str(refused))
                continue
            facts = (
                shown(answer)
                if way == "ask"
                else {"shapes": [s.name for s in answer.shapes], "left": answer.left}
            )
            out |= {f"{way} {number} {name}": value for name, value in facts.items()}
    records = [{"age": str(target.age), "town": "Zenda"}]
    try:
        out["linked"] = len(
            keeper.link(EVE, "people", records, on=["age", "town"], show=["test"]).rows
        )
    except Refused as refused:
        out["linked"] = str(refused)
    return out


def written(path: Path, target: Target | None, *, each: int = EACH) -> Path:
    rows = [f"{20 + place % 60},{TOWNS[place % 4]},{place // 4 % 2}" for place in range(4 * each)]
    rows += [f"{target.age},Zenda,{target.test}"] if target else []
    path.write_text("age,town,test\n" + "\n".join(rows) + "\n")
    return path


def differing(folder: Path, rules: dict[str, Any], terms: Terms, *, targets: int) -> list[set[str]]:
    """For each target, what looks otherwise with them in the table and without."""
    without = held(written(folder / "without.csv", None), rules)
    out = []
    for place in range(targets):
        target = Target(age=20 + 3 * place, test=place % 2)
        both = []
        for number, holding in enumerate(
            (without, held(written(folder / "with.csv", target), rules))
        ):
            with keeping(holding, folder / f"{place}-{number}", terms=terms) as keeper:
                both.append(seen(keeper, target))
        out.append(
            {name for name in {**both[0], **both[1]} if both[0].get(name) != both[1].get(name)}
        )
    return out


@pytest.mark.long("thousands of answers in each way; one way stays", but=("a threshold",))
@pytest.mark.parametrize("way", WAYS)
def test_nothing_that_is_shown_beside_noise_tells_who_is_there(tmp_path, way):
    """A label of one person passes the threshold once in a million: nothing differs for any of the
    targets."""
    rules, terms = WAYS[way]
    assert set().union(*differing(tmp_path, rules, terms, targets=SHOWN_TARGETS)) == set()


@pytest.mark.long("the control of the attack; that nothing shown differs stays")
def test_the_attack_works(tmp_path):
    """With membership public each target is known by several of the things that are looked at."""
    found = differing(tmp_path, policy(membership="public"), NOISY, targets=6)
    for name in (
        "ask 0 withheld",
        "ask 3 again",
        "ask 3 number",
        "ask 5 labels",
        "ask 0 groups",
        "ask 8 groups",
    ):
        assert sum(name in each for each in found) == 6, name


def test_noisy_numbers_tell_no_more_than_epsilon_allows(tmp_path):
    """The best guess from one noisy count is whether it is above a half: by the normal curve, a
    half sigma to each side."""
    rules, right = policy(domain=True), 0
    without = held(written(tmp_path / "without.csv", None), rules)
    target = Target(age=33, test=1)
    there = held(written(tmp_path / "with.csv", target), rules)
    for place in range(TARGETS):
        for inside, holding in enumerate((without, there)):
            with keeping(holding, tmp_path / f"{place}-{inside}", terms=NOISY) as keeper:
                rows = keeper.ask(EVE, "SELECT town, COUNT(*) AS n FROM people GROUP BY town").rows
                right += int((dict(rows)["Zenda"] > 0.5) == bool(inside))
    allowed = NormalDist().cdf(math.sqrt(2 * NOISY.budget.question_rho) / 2)
    assert right / (2 * TARGETS) < allowed + 4 * math.sqrt(0.25 / (2 * TARGETS))


def replies(holding, terms: Terms, count: int) -> np.ndarray:
    """The noisy count of the target's town, drawn so often under the line that the gate charges;
    what is paid for a reply is another test's matter."""
    question = admit(
        "SELECT town, COUNT(*) AS n FROM people GROUP BY town",
        {"people": QueryableTable(known=("age", "town"), unknown=("test",), never=())},
    )
    lines: list[Measurement] = []

    def charge(asked):
        lines.extend(asked)
        return charge_first(asked, lambda each: None)

    noise = NoisyAnswers(secret=b"secret" * 8)
    record = noise.draw(question, holding, terms, protected=True, charge=charge)
    assert record["labels"]["town"].count("Zenda") == 1
    town = holding.fields["town"]
    true = sum(town.values[code] == "Zenda" for code in town.codes.tolist())
    (again,) = charge_first([replace(lines[0], cells=count)], lambda each: None)
    return again.add_noise(np.full(count, true, np.int64))


def advantage(inside: np.ndarray, outside: np.ndarray) -> tuple[float, float]:
    """How much more often a count above a half comes from the table with the target, and the upper
    end of the 95 % interval."""
    rates = [float((each > 0.5).mean()) for each in (inside, outside)]
    error = math.sqrt(sum(rate * (1 - rate) / len(inside) for rate in rates))
    gained = rates[0] - rates[1]
    return gained, gained + 1.96 * error


def test_two_neighbouring_tables_look_alike(tmp_path):
    """12,000 replies of each: 2,000 would leave an interval as wide as the limit."""
    rules, target = policy(domain=True, membership="protected"), Target(age=33, test=1)
    without = held(written(tmp_path / "without.csv", None, each=20), rules)
    there = held(written(tmp_path / "with.csv", target, each=20), rules)
    found = [replies(table, NOISY, REPLIES) for table in (there, without)]
    assert advantage(*found)[1] < 0.05
    generous = Terms(mode=Mode.NOISY, budget=Budget(query=8.0, person=8.0, table=8.0))
    loud = [replies(table, generous, 400) for table in (there, without)]
    assert advantage(*loud)[0] > 0.3  # The attacker is proven where noise is small.


def test_groups_come_from_the_domain_or_pass_a_threshold(tmp_path):
    sql = "SELECT town, COUNT(*) AS n FROM people GROUP BY town"
    path = written(tmp_path / "people.csv", Target(age=30, test=1))
    with keeping(held(path, policy(domain=True)), tmp_path / "domain", terms=NOISY) as keeper:
        answer = keeper.ask(EVE, sql)
        assert [row[0] for row in answer.rows] == [*TOWNS, "Zenda"]
        assert (answer.threshold, answer.delta, answer.withheld) == (0, 0.0, 0)
        some = keeper.ask(
            EVE, "SELECT town, COUNT(*) AS n FROM people WHERE town > 'B' GROUP BY town"
        )
        assert [row[0] for row in some.rows] == [*TOWNS[1:], "Zenda"]
        assert keeper.noisy.budgets.spent_delta("people") == 0
    with keeping(held(path, policy()), tmp_path / "threshold", terms=NOISY) as keeper:
        answer = keeper.ask(EVE, sql)
        assert [row[0] for row in answer.rows] == list(TOWNS)
        assert 0.9 < answer.delta / NOISY.budget.question_delta <= 1
        assert f"groups under {answer.threshold} left out" in answer.marked()[1][0][-1]
        assert keeper.noisy.budgets.spent_delta("people") == pytest.approx(answer.delta)


def test_rows_are_not_shown_of_a_table_whose_membership_is_protected(tmp_path):
    with keeping(
        held(written(tmp_path / "x.csv", None), policy()), tmp_path / "gate", terms=NOISY
    ) as keeper:
        with pytest.raises(Refused, match="the gate shows no rows"):
            keeper.ask(EVE, "SELECT town FROM people")
        with pytest.raises(Refused, match="the gate shows no rows"):
            keeper.look(EVE, "SELECT town FROM people")
        assert keeper.look(EVE, "SELECT COUNT(*) FROM people").shapes == ()
