"""People found by a few released values that no policy calls known: series of one person, wide
items, and fields called insensitive.

The attacker reads the released files and nothing else. Where they find many people, no page may be
green, and its numbers must be those that the attacker gets."""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import pytest

import sfumato

OUTCOMES = ("review", "fail")
UNICITY = "How many values of a person single them out?"
MORE_KNOWN = "What if more is known of people than the policy says?"


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def released(folder: Path, rows: list[dict[str, object]], policy: str) -> tuple[Path, list[dict]]:
    source = written(folder / "table.csv", rows)
    (folder / "table.policy.toml").write_text(policy)
    key = sfumato.Key.create_file(folder / "key")
    made = sfumato.release(
        source, to=folder / "release", policy=folder / "table.policy.toml", key=key
    )
    files = [path for path in made.folder.glob("*.csv")]
    with files[0].open(encoding="utf-8") as file:
        return made.folder, list(csv.DictReader(file))


def judged(folder: Path) -> tuple[sfumato.assessment.Assessment, dict[str, str]]:
    found = sfumato.assess(folder, attacks=False)
    return found, {one.question: one.outcome for one in found.judgements}


SERIES = """
entity = "who"
release_to = "research"
[fields]
who = { role = "direct", replace = "number" }
sex = "quasi"
ORDER
rate = "sensitive"
[require]
k = 5
[recipient.research]
description = "A research group under contract."
"""


@pytest.mark.long("an assessment for each series; one stays", but=("rates alone",))
@pytest.mark.parametrize("hours", [False, True], ids=["rates alone", "rates by the hour"])
def test_a_linked_series_of_heart_rates_is_red(tmp_path, hours):
    """300 people with ten heart rates each: two readings find nearly everybody."""
    draw = random.Random(21)
    rows = []
    for n in range(300):
        usual = draw.gauss(75, 14)
        for hour in range(10):
            rate = draw.gauss(usual, 9)
            row = {"who": n, "sex": "fm"[n % 2]} | ({"hour": hour} if hours else {})
            rows.append(row | {"rate": round(rate) if hours else f"{rate:.1f}"})
    order = 'hour = "insensitive"' if hours else ""
    folder, table = released(tmp_path, rows, SERIES.replace("ORDER", order))
    readings = defaultdict(set)
    for row in table:
        readings[row["who"]].add((row.get("hour"), row["rate"]))
    assert len(readings) == 300
    found, outcomes = judged(folder)
    attacker = found_by_two(readings)
    assert attacker > 0.5
    assert outcomes[UNICITY] == "fail"
    assert found.outcome == "fail"
    if hours:
        return  # The sex is a value too there, of which the attacker below knows nothing.
    told = found.results["unicity"].everything.at(2)
    assert told.value == pytest.approx(attacker, abs=0.2)


def found_by_two(readings: dict[str, set]) -> float:
    """The share of pairs of readings that only one person has, person by person."""
    holders = defaultdict(set)
    for who, values in readings.items():
        for value in values:
            holders[value].add(who)
    shares = []
    for values in readings.values():
        pairs = list(combinations(sorted(values, key=str), 2))
        shares.append(sum(len(holders[a] & holders[b]) == 1 for a, b in pairs) / len(pairs))
    return sum(shares) / len(shares)


@pytest.mark.long("forty answers for each role; one role stays", but=("insensitive",))
@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_forty_harmless_answers_are_not_green(tmp_path, role):
    """40 yes/no items, each of which half of the people have: ten of them find most people."""
    draw = random.Random(22)
    rows = [
        {"sex": "fm"[n % 2]} | {f"item{i}": draw.choice(["yes", "no"]) for i in range(40)}
        for n in range(300)
    ]
    fields = "\n".join(f'item{i} = "{role}"' for i in range(40))
    policy = f'release_to = "research"\n[fields]\nsex = "quasi"\n{fields}\n[require]\nk = 5\n'
    policy += '[recipient.research]\ndescription = "A research group."\n'
    folder, table = released(tmp_path, rows, policy)
    alone = found_by_ten(table, draw)
    assert alone > 0.5
    found, outcomes = judged(folder)
    assert outcomes[UNICITY] in OUTCOMES
    told = found.results["unicity"].everything.at(10)
    assert told.low - 0.06 <= alone <= told.high + 0.06


def found_by_ten(table: list[dict], draw: random.Random) -> float:
    """The share of sets of ten values that only one row has, over thirty sets of each row."""
    names = sorted(table[0])
    first = {name: table[0][name] for name in names}  # Each field has two values.
    rows = [sum((row[name] == first[name]) << at for at, name in enumerate(names)) for row in table]
    masks = [
        sum(1 << at for at in draw.sample(range(len(names)), 10)) for _ in range(30 * len(rows))
    ]
    alone = sum(
        sum(not (rows[place // 30] ^ other) & mask for other in rows) == 1
        for place, mask in enumerate(masks)
    )
    return alone / len(masks)


TITANIC = """
release_to = "research"
[fields]
sex = "quasi"
survived = "sensitive"
class = "insensitive"
siblings = "insensitive"
parents = "insensitive"
port = "insensitive"
deck = "insensitive"
[require]
k = 5
[recipient.research]
description = "A research group under contract."
"""


def test_few_valued_fields_called_insensitive_are_not_green(tmp_path):
    """Passengers of a ship: each field has few values, and all of them together find some."""
    draw = random.Random(23)
    rows = [
        {
            "sex": draw.choice("fmm"),
            "survived": draw.choice("001"),
            "class": draw.choice("123333"),
            "siblings": min(int(draw.expovariate(1.6)), 8),
            "parents": min(int(draw.expovariate(2.0)), 9),
            "port": draw.choice("SSSSCCQ"),
            "deck": draw.choice("ABCDEFG") if draw.random() < 0.23 else "",
        }
        for _ in range(1_300)
    ]
    folder, table = released(tmp_path, rows, TITANIC)
    shared = defaultdict(int)
    for row in table:
        shared[tuple(row[name] for name in row if name != "survived")] += 1
    alone = sum(count == 1 for count in shared.values())
    assert alone > 0.03 * len(table)
    found, outcomes = judged(folder)
    assert outcomes[MORE_KNOWN] in OUTCOMES
    assert found.outcome in OUTCOMES
    answer = next(one.answer for one in found.judgements if one.question == MORE_KNOWN)
    assert f"{alone:,} of {len(table):,}" in answer
