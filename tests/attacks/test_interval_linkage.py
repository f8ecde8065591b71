"""People found by the days between two of their dates, in `assess`: dates that are shifted for each
person keep these days, so no page may be green.

The attacker reads the released files and counts for themselves; the figures of the page must be
theirs. Where dates are released by month, or moved one by one, the attack must fail."""

from __future__ import annotations

import csv
import random
from collections import Counter
from datetime import date, timedelta

import numpy as np
import pytest

import sfumato
from sfumato.assessment.attacks.attack_run import BEATS, HOLDS
from sfumato.assessment.attacks.interval_linkage import interval_linkage
from sfumato.assessment.interval_verdict import QUESTION
from sfumato.assessment.risk.person_facts import FactTable
from sfumato.engines import open_source
from sfumato.surveys import date_events

PEOPLE = 150
POLICY = """
entity = "who"
release_to = "research"
[fields]
who = { role = "direct", replace = "number" }
sex = "quasi"
seen = DATES
[require]
k = 5
[recipient.research]
description = "A research group under contract."
"""


def visits() -> list[dict[str, str]]:
    chance = random.Random(7)
    return [
        {"who": str(n), "sex": "fm"[n % 2], "seen": str(date(2020, 1, 1) + timedelta(days=day))}
        for n in range(PEOPLE)
        for day in chance.sample(range(1000), 3)
    ]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["who", "sex", "seen"])
        writer.writeheader()
        writer.writerows(visits())
    return path


def made_of(source, folder, dates):
    (folder / "policy.toml").write_text(POLICY.replace("DATES", dates), encoding="utf-8")
    key = sfumato.Key.create_file(folder / "key")
    made = sfumato.release(source, to=folder / "out", policy=folder / "policy.toml", key=key)
    found = sfumato.assess(made, source=source)
    return made, found, {one.question: one for one in found.judgements}


def test_shifted_dates_are_red_and_the_figures_are_the_attackers(source, tmp_path):
    shifted = '{ role = "insensitive", shift = { days = 182 } }'
    made, found, told = made_of(source, tmp_path, shifted)
    assert told[QUESTION].outcome == "fail"
    assert found.results["attacks"]["intervals"].outcome == BEATS
    with next(made.folder.glob("*.csv")).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    days: dict[str, list[date]] = {}
    for row in rows:
        days.setdefault(row["who"], []).append(date.fromisoformat(row["seen"]))
    assert {row["seen"] for row in rows} != {row["seen"] for row in visits()}
    between = {who: apart(some) for who, some in days.items()}
    have = Counter(one for some in between.values() for one in some)
    alone = sum(have[one] == 1 for some in between.values() for one in some)
    share = alone / sum(map(len, between.values()))
    assert found.results["intervals"].everything.value == pytest.approx(share, abs=0.12)
    assert share > 0.3
    assert QUESTION in found.page()


def apart(days: list[date]) -> set[int]:
    days = sorted(days)
    return {(two - one).days for n, one in enumerate(days) for two in days[n + 1 :]}


def test_months_tell_no_days(source, tmp_path):
    _, found, told = made_of(
        source, tmp_path, '{ role = "quasi", hierarchy = { dates = ["year"] }, finest = 1 }'
    )
    assert QUESTION not in told
    assert "intervals" not in found.results


def test_dates_that_moved_one_by_one_are_not_found():
    """The broken variant of the attack would claim whoever has such days by chance."""
    rows, chance = visits(), random.Random(3)
    moved = [
        row | {"seen": str(date.fromisoformat(row["seen"]) + timedelta(chance.randint(-40, 40)))}
        for row in rows
    ]
    runs = []
    for released in (rows, moved):
        with (
            open_source(rows, engine="reference") as one,
            open_source(released, engine="reference") as other,
        ):
            tables = [FactTable(engine=x, fields=("seen",), person="who") for x in (other, one)]
            release, source = (date_events([table]) for table in tables)
        runs.append(interval_linkage(release, source, chance=np.random.default_rng(1)))
    assert [run.outcome for run in runs] == [BEATS, HOLDS]
    assert runs[0].rate.value > 0.3
