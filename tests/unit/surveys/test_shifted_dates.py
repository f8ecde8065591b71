"""A shift of dates is proposed only where the days between a person's dates single out hardly
anybody."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from sfumato.engines import open_database, open_source
from sfumato.policy import Role
from sfumato.surveys import TablesSurvey, propose_tables_policy, survey_tables
from sfumato.surveys.people_dates import DateEvents, PersonDates, date_events
from sfumato.surveys.shifted_dates import found_by_one

Rows = list[dict[str, object]]


def surveyed(gaps: list[int]) -> TablesSurvey:
    """Patients with two stays each, so many days apart."""
    people = range(len(gaps))
    born = date(1950, 1, 1)
    patients: Rows = [
        {
            "patient_id": f"P{n:03}",
            "birth_date": str(born + timedelta(days=311 * n)),
            "sex": "fm"[n % 2],
        }
        for n in people
    ]
    stays: Rows = []
    for n, gap in enumerate(gaps):
        first = date(2020, 1, 1) + timedelta(days=n % 17)
        for again, day in enumerate((first, first + timedelta(days=gap))):
            stays.append(
                {"stay_id": f"S{n:03}{again}", "patient_id": f"P{n:03}", "admitted": str(day)}
            )
    with open_database({"patients": patients, "stays": stays}, engine="reference") as database:
        return survey_tables(database)


def test_dates_far_apart_in_every_life_are_generalised_in_place_of_shifted() -> None:
    found = surveyed([100 + 7 * n for n in range(40)])
    admitted = found.table("stays").survey.field("admitted").proposal
    assert (admitted.role, admitted.shift, admitted.finest) == (Role.QUASI, None, "month")
    assert any("a shift keeps" in reason for reason in admitted.reasons)
    decided = propose_tables_policy(found).tables["stays"].fields["admitted"]
    assert (decided.role, decided.finest) == (Role.QUASI, "month")


def test_dates_as_far_apart_in_many_lives_are_shifted() -> None:
    found = surveyed([30] * 40)
    admitted = found.table("stays").survey.field("admitted").proposal
    assert (admitted.role, admitted.shift) == (Role.INSENSITIVE, 180)


def events(rows: list[tuple[str, str]]) -> DateEvents:
    with open_source([{"who": who, "day": day} for who, day in rows], engine="reference") as engine:
        held = engine.frequencies(("who", "day"))
    return date_events([PersonDates(table="visits", person="who", frequencies=held)])


@pytest.mark.parametrize(
    ("rows", "share"),
    [
        ([("a", "2026-01-01"), ("b", "2026-01-02")], 0.0),
        ([("a", "2026-01-01"), ("a", "2026-01-08"), ("b", "2026-03-01")], 0.5),
        (
            [
                ("a", "2026-01-01"),
                ("a", "2026-01-08"),
                ("b", "2026-02-01"),
                ("b", "2026-02-08"),
                ("b", "2026-02-09"),
            ],
            1 / 3,
        ),
    ],
    ids=["one each", "one of two has two", "two of one's three intervals"],
)
def test_the_share_counts_everybody_and_each_interval(
    rows: list[tuple[str, str]], share: float
) -> None:
    assert found_by_one(events(rows)) == pytest.approx(share)
