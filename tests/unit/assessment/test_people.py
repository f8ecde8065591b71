"""People with several rows: each counts once in a bin, and has every value that stands in one of
their rows."""

from __future__ import annotations

import pytest

from sfumato.assessment import assess
from sfumato.policy import policy_from_table

FIELDS = {
    "who": {"role": "direct", "replace": "number"},
    "zip": "quasi",
    "ill": "sensitive",
}


@pytest.fixture
def visits(tmp_path):
    """40 people in two towns, who all had the flu once and came a second time for something
    else."""
    rows = [
        f"{n},{'ab'[n % 2]},{ill}"
        for n in range(40)
        for ill in ("flu", ("gout", "cold", "cough")[n % 3])
    ]
    path = tmp_path / "visits.csv"
    path.write_text("who,zip,ill\n" + "\n".join(rows) + "\n")
    return path


def test_what_everybody_has_is_learned_of_nobody(visits):
    policy = policy_from_table({"fields": FIELDS, "entity": "who", "require": {"k": 5}})
    found = assess(visits, policy=policy, attacks=False)
    assert found.facts.unit == "people"
    assert found.facts.released == 40
    (told,) = found.results["risk"].after.attributes
    assert told.baseline == told.maximum == 1.0
    assert max(told.exceeding) == 0
    assert found.results["risk"].after.kirp.maximum == pytest.approx(1 / 20)


def test_a_value_of_one_town_is_learned_there(visits):
    text = (
        visits.read_text()
        .replace("a,gout", "a,plague")
        .replace("a,cold", "a,plague")
        .replace("a,cough", "a,plague")
    )
    visits.write_text(text)
    policy = policy_from_table({"fields": FIELDS, "entity": "who", "require": {"k": 5}})
    (told,) = assess(visits, policy=policy, attacks=False).results["risk"].after.attributes
    assert told.exceeding[-1] == pytest.approx(
        0.5
    )  # Half of the people are in the town where all had it.
