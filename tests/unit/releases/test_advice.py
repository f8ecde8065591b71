"""The adviser: what is lost, what costs how much, and that a promise is what a release gives."""

import csv
import json
import random

import pytest

import sfumato
from sfumato.cli import main
from sfumato.engines import open_source
from sfumato.errors import Mistake
from sfumato.policy import policy_as_toml, policy_from_table, read_policy
from sfumato.releases.advice import advise_table
from sfumato.releases.advice_budget import TimeBudget
from sfumato.releases.advice_changes import (
    SAME,
    bounded_recipient,
    coarser_hierarchy,
    leave_out,
    more_suppression,
    smaller_k,
    with_best,
)

FIELDS = {
    "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 10, 20]}}},
    "sex": "quasi",
    "arrived": {"role": "quasi", "hierarchy": {"prefix": [2, 1]}},
    "left": {"role": "quasi", "hierarchy": {"prefix": [2, 1]}},
}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """People whose two dates are nearly unique, so that everything else is lost with them."""
    draw = random.Random(3)
    path = tmp_path_factory.mktemp("advice") / "people.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["age", "sex", "arrived", "left"])
        for _ in range(120):
            stay = [f"{draw.randrange(10000):04}" for _ in range(2)]
            rows.writerow([20 + draw.randrange(10), draw.choice("FM"), *stay])
    return path


def policy(**top):
    table = {
        "fields": FIELDS,
        "require": {"k": 5, "max_suppression": 0.05},
        "solve": {"solver": "anytime", "work": 500},
    }
    return policy_from_table(table | top)


def advised(source, decided):
    with open_source(source, policy=decided) as engine:
        return advise_table(engine, decided)


@pytest.fixture(scope="module")
def found(source):
    return advised(source, policy(keep=["age", "sex"]))


def test_a_change_brings_what_it_promises(source, found, tmp_path):
    assert found.outcome == "review"
    assert {"arrived", "left"} <= {each.name for each in found.costs}
    assert found.changes
    for place, each in enumerate(found.changes):
        made = sfumato.release(source, each.change.policy, to=tmp_path / f"release{place}")
        said = made.manifest["utility"]
        assert said["precision"] == pytest.approx(each.trial.precision)
        assert said["rows_suppressed"] == each.trial.rows_suppressed
        assert not set(made.lost) & set(each.back)


def test_every_change_is_marked_and_weaker_ones_are_last(source):
    found = advised(source, policy())
    marks = [each.change.protection for each in found.changes]
    assert all(mark == SAME or mark.startswith("weaker: ") for mark in marks)
    assert marks == sorted(marks, key=lambda mark: mark != SAME)
    for each in found.changes:
        if each.change.protection == SAME:
            asked = each.change.policy
            assert asked.require.asked == policy().require.asked
            kept = [name for name in FIELDS if name not in each.change.left_out]
            assert all(asked.fields[name] == policy().fields[name] for name in kept)


def test_a_change_brings_more_than_the_solver_that_goes_with_it(found):
    alone = [each for each in found.changes if each.change.kind == "solver"]
    for each in found.changes:
        if alone and each is not alone[0]:
            more = each.trial.precision > alone[0].trial.precision
            assert more or set(each.back) - set(alone[0].back)


def test_another_solver_has_the_time_of_the_policy():
    quick = policy(solve={"solver": "anytime", "seconds": 7.0})
    assert with_best(quick).solve.settings.seconds == 7.0


def test_kept_fields_are_never_left_out(source):
    found = advised(source, policy(keep=["arrived", "left"]))
    assert not {"arrived", "left"} & {
        name for each in found.changes for name in each.change.left_out
    }


def test_nothing_is_advised_where_nothing_is_lost(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,sex,arrived,left\n" + "30,F,1000,1000\n" * 10 + "41,M,2000,2000\n" * 10)
    found = advised(path, policy())
    assert (found.outcome, found.changes, found.lost) == ("pass", (), ())


def test_changes_of_a_policy_say_what_they_do():
    assert leave_out(policy(), ["left"]).policy.fields["left"].role.value == "direct"
    assert more_suppression(policy()).policy.require.max_suppression == 0.1
    assert more_suppression(policy(require={"k": 5, "max_suppression": 0.2})) is None
    assert smaller_k(policy()).protection == "weaker: each person hides among 3, not 5"
    assert smaller_k(policy(require={"k": 3})) is None


def test_a_bounded_recipient_is_weaker_and_for_wide_tables():
    assert bounded_recipient(policy()) is None
    wide = {f"field {place}": "quasi" for place in range(9)}
    change = bounded_recipient(policy(fields=FIELDS | wide, keep=["age"]))
    assert change.fits
    assert change.protection.startswith("weaker: ")
    (asked,) = change.policy.require.each("bounded_knowledge")
    assert (asked.k, asked.m, tuple(asked.register)) == (5, 2, ("age",))
    assert change.policy.require.k is None


def test_numbers_that_could_only_be_kept_or_suppressed_get_steps():
    fields = FIELDS | {"fare": "quasi"}
    decided = policy(fields=fields)
    values = {"fare": [str(fare) for fare in range(0, 500, 7)], "sex": ["F", "M"]}
    change = coarser_hierarchy(decided, values)
    assert change.protection == SAME
    assert change.policy.fields["fare"].bind(values["fare"]).height == 4
    assert change.policy.fields["sex"] == decided.fields["sex"]
    assert coarser_hierarchy(decided, {"sex": ["F", "M"], "fare": ["1.5"] * 20}) is None


def visits(people=20):
    """Two visits of each person, on days that nobody shares."""
    draw = random.Random(5)
    return [
        {
            "who": f"P{n}",
            "age": 20 + n % 10,
            "sex": "FM"[n % 2],
            "seen": f"{draw.randrange(10000):04}",
        }
        for n in range(people)
        for _ in range(2)
    ]


VISIT_FIELDS = {
    "who": {"role": "direct", "replace": "number"},
    "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 10, 20]}}},
    "sex": "quasi",
    "seen": {"role": "quasi", "hierarchy": {"prefix": [2, 1]}},
}


def test_people_with_several_rows_get_what_a_release_gives(tmp_path):
    decided = policy(entity="who", fields=VISIT_FIELDS)
    found = sfumato.advise(visits(), decided, engine="reference")
    made = sfumato.release(visits(), decided, to=tmp_path / "release", engine="reference")
    assert found.lost == made.lost != ()
    best, *_ = found.changes
    again = sfumato.release(visits(), best.change.policy, to=tmp_path / "again", engine="reference")
    assert again.lost == best.trial.lost
    assert set(best.back) == set(made.lost) - {*again.lost, *best.change.left_out}


def test_several_tables_get_what_a_release_gives(tmp_path):
    people = [{"who": f"P{n}", "age": 20 + n % 10, "sex": "FM"[n % 2]} for n in range(20)]
    tables = {
        "people": people,
        "visits": [{"who": row["who"], "seen": row["seen"]} for row in visits()],
    }
    number = {"role": "direct", "replace": "number"}
    decided = policy_from_table(
        {
            "entity": "people.who",
            "tables": {
                "people": {
                    "key": "who",
                    "fields": {name: VISIT_FIELDS[name] for name in ("who", "age", "sex")},
                },
                "visits": {
                    "links": {"who": "people.who"},
                    "fields": {"who": number, "seen": VISIT_FIELDS["seen"]},
                },
            },
            "require": {"k": 5, "max_suppression": 0.05},
            "solve": {"solver": "best", "work": 50, "rounds": 4},
        }
    )
    made = sfumato.release(tables, decided, to=tmp_path / "release", engine="reference")
    found = sfumato.advise(tables, decided, engine="reference")
    assert found.lost == made.lost
    assert "visits.seen" in found.lost
    assert "Lost: " in (tmp_path / "release" / "report.html").read_text(encoding="utf-8")


def test_the_command_writes_the_policy_with_a_change(source, tmp_path, capsys):
    file, written = tmp_path / "policy.toml", tmp_path / "advised.toml"
    file.write_text(policy_as_toml(policy(keep=["age", "sex"])))
    code = main(["advise", str(file), str(source), "--json", "--write", str(written)])
    told = json.loads(capsys.readouterr().out)
    assert (code, told["outcome"]) == (3, "review")
    assert read_policy(written).keep == ("age", "sex")
    assert told["changes"][0]["left_out"] == [
        name
        for name, decided in read_policy(written).fields.items()
        if decided.role.value == "direct"
    ]


def test_advice_from_python_takes_a_frame_and_prints_its_changes(source, tmp_path):
    import pandas

    frame = pandas.read_csv(source, dtype=str)
    found = sfumato.advise(frame, policy())
    assert str(found).startswith("Advice on policy: review; lost: ")
    assert "changes[0]: " in str(found)
    assert "<caption>Advice</caption>" in found._repr_html_()
    found.changes[0].policy.save(tmp_path / "advised.toml")
    with_change = sfumato.release(frame, tmp_path / "advised.toml")
    assert set(found.changes[0].back) <= set(with_change.frame) - set(with_change.lost)
    with pytest.raises(Mistake, match="none was given"):
        sfumato.advise(frame)


def test_no_search_is_begun_that_would_not_end_within_the_budget():
    now = [0.0]
    budget = TimeBudget(100, clock=lambda: now[0])

    def search(seconds):
        now[0] += seconds
        return seconds

    assert budget.timed("quick", lambda: search(30)) == 30
    assert budget.allows("quick", upto=0.6)
    budget.timed("quick", lambda: search(20))
    assert not budget.allows("quick", upto=0.6)
    assert budget.allows("quick")
    assert budget.skipped == 1
    assert not budget.allows("quick", spread=1.7)  # 50 + 51


def test_advice_within_a_budget_says_what_it_left_out(source):
    """With hardly any time the policy as it is is searched, and nothing else is promised."""
    short = sfumato.advise(source, policy(), seconds=1e-6)
    assert short.lost
    assert not short.changes
    assert short.skipped
    assert short.as_dict()["searches_left_out"] == short.skipped
