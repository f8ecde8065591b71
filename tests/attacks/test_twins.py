"""An attacker reads a protected field from another one that was left in clear.

A form of address tells the sex that was suppressed; a count of days since 1900 gives back every
date that was moved and perturbed. Each attack is right nearly always where a person accepted the
leak by name. A release that nobody accepted it for is refused, and where both fields are treated
alike, the attack does no better than always naming the commonest value."""

from __future__ import annotations

import csv
import random
from collections import Counter
from datetime import date, timedelta

import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import PolicyError

EPOCH = date(1899, 12, 30)
PEOPLE = 300
POLICY = """
entity = "patient"

[fields.patient]
role = "direct"
replace = "number"

[fields.PREFIX]
role = "{prefix}"
{may_tell_sex}

[fields.GENDER]
role = "quasi"
hierarchy = {{ suppress = true }}

[fields.admitted]
role = "insensitive"
shift = {{ days = 180, intervals = "perturb" }}

[fields.days]
role = "{days}"
{may_tell_date}

[fields.diagnosis]
role = "sensitive"

[require]
k = 5

[solve]
solver = "given"
levels = {{ {levels} }}
"""


@pytest.fixture
def clinic(tmp_path):
    chance = random.Random(11)
    rows = []
    for number in range(PEOPLE):
        sex = chance.choice("FM")
        prefix = "Mr." if sex == "M" else chance.choice(("Mrs.", "Ms."))
        for _ in range(2):
            day = date(2019, 1, 1) + timedelta(days=chance.randrange(700))
            rows.append(
                {
                    "patient": f"P{number}",
                    "PREFIX": prefix,
                    "GENDER": sex,
                    "admitted": day.isoformat(),
                    "days": (day - EPOCH).days,
                    "diagnosis": chance.choice(("I10", "E11", "J45")),
                }
            )
    path = tmp_path / "clinic.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path, rows


def _policy(tmp_path, *, prefix="insensitive", days="insensitive", accepts=False):
    levels = "GENDER = 1, PREFIX = 1" if prefix == "quasi" else "GENDER = 1"
    text = POLICY.format(
        prefix=prefix,
        days=days,
        levels=levels,
        may_tell_sex='may_tell = ["GENDER"]' if accepts else "",
        may_tell_date='may_tell = ["admitted"]' if accepts else "",
    )
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _released(folder):
    with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _sexes_guessed(released):
    """How many of each sex the attacker names: by the form of address, else the commonest."""
    return Counter("M" if row.get("PREFIX") == "Mr." else "F" for row in released)


def _dates_found(released, rows):
    """How many true dates the attacker gives back: days counted from the epoch, else as released."""
    true = Counter(row["admitted"] for row in rows)
    named = Counter(
        (EPOCH + timedelta(days=int(row["days"]))).isoformat() if "days" in row else row["admitted"]
        for row in released
    )
    return sum((true & named).values())


def test_the_attacks_succeed_where_a_person_let_the_fields_tell(clinic, tmp_path):
    path, rows = clinic
    made = sfumato.release(path, _policy(tmp_path, accepts=True), to=tmp_path / "made")
    released = _released(made.folder)
    assert {row["GENDER"] for row in released} == {"*"}
    guessed, true = _sexes_guessed(released), Counter(row["GENDER"] for row in rows)
    assert abs(guessed["M"] - true["M"]) <= len(rows) - len(released)
    assert _dates_found(released, rows) == len(released)
    told = [warning for warning in made.manifest["warnings"] if "may_tell" in warning]
    assert len(told) == 2


def test_the_release_is_refused_before_anything_is_written(clinic, tmp_path, capsys):
    path, _ = clinic
    with pytest.raises(PolicyError) as refused:
        sfumato.release(path, _policy(tmp_path), to=tmp_path / "made")
    assert {each.where for each in refused.value.problems} == {"fields.days"}
    assert "admitted" in refused.value.problems[0].found
    with pytest.raises(PolicyError) as refused:
        sfumato.release(path, _policy(tmp_path, days="direct"), to=tmp_path / "made")
    assert [each.where for each in refused.value.problems] == ["fields.PREFIX"]
    assert "GENDER is suppressed in every row" in refused.value.problems[0].found
    assert not (tmp_path / "made").exists()
    words = ["release", str(path), "--policy", str(_policy(tmp_path)), "--to", str(tmp_path / "m")]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert 'may_tell = ["admitted"]' in said


def test_treated_alike_the_fields_tell_nothing(clinic, tmp_path):
    path, rows = clinic
    policy = _policy(tmp_path, prefix="quasi", days="direct")
    released = _released(sfumato.release(path, policy, to=tmp_path / "made").folder)
    assert {row["PREFIX"] for row in released} == {"*"}
    assert "days" not in released[0]
    assert len(_sexes_guessed(released)) == 1
    unmoved = _dates_found(released, rows) / len(released)
    assert unmoved < 0.8  # Dates of two years overlap after moving; most rows have another one.
