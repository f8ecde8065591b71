"""All attacks together: who is attacked, the same twice, bad input, and that nobody is named."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace

import pytest
from village import KNOWN, PROBLEMS, copied, everyone, inside, protected, subject, table

from sfumato.assessment.attacks import Second, run_attacks
from sfumato.assessment.attacks.attack_run import BEATS
from sfumato.assessment.attacks.register_linkage import NamedRegister
from sfumato.errors import Mistake, SourceError

NAMES = [
    "linkage",
    "fuzzy linkage",
    "singling out:one field",
    "singling out:several fields",
    "linkability",
    "inference:problem",
    "homogeneity:problem",
]


def test_every_attack_beats_its_baseline_on_a_copy_and_none_but_inference_on_a_protected_release():
    copy = run_attacks(subject(copied(inside()), control=True))
    assert [run.name for run in copy] == NAMES
    assert {run.outcome for run in copy} == {BEATS}
    kept = run_attacks(subject(protected(), control=True))
    assert {run.name for run in kept.beaten} <= {"inference:problem"}
    assert all(run.seconds > 0 for run in kept)


def test_the_same_seed_gives_the_same_and_another_another():
    def counted(seed):
        return [run.rate for run in run_attacks(subject(copied(inside()), seed=seed), targets=200)]

    assert counted(1) == counted(1)
    assert counted(1) != counted(2)


def test_attacks_are_chosen_by_name():
    found = run_attacks(subject(protected()), only=("homogeneity", "linkage"))
    assert [run.name for run in found] == ["linkage", "homogeneity:problem"]
    with pytest.raises(Mistake, match="no attack telepathy"):
        run_attacks(subject(protected()), only=("telepathy",))


def test_a_register_and_a_second_release_add_their_attacks():
    people = table([{name: row[name] for name in ("name", *KNOWN)} for row in everyone()])
    here = subject(protected())
    shares = []
    found = run_attacks(
        here,
        registers=(NamedRegister(people=people),),
        second=Second(release=table(protected()), hierarchies=here.hierarchies),
        newcomers=table(everyone()[500:520]),
        moved=shares.append,
    )
    assert [run.name for run in found][-5:] == [
        "register",
        "register with errors",
        "intersection:problem",
        "changes:problem",
        "differencing:problem",
    ]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_nobody_is_named_and_no_value_told():
    found = run_attacks(subject(copied(inside()), control=True), targets=100)
    told = set(re.findall(r"[\w.-]+", json.dumps(found.as_dict()) + repr(found)))
    values = {row[name] for row in inside() for name in ("zip", "birth")} | set(PROBLEMS)
    assert not values & told


def test_without_a_sensitive_field_people_can_still_be_found():
    found = run_attacks(subject(copied(inside()), sensitive=()))
    assert [run.name for run in found] == NAMES[:5]
    assert found["linkage"].outcome == BEATS


def test_a_control_group_without_the_sensitive_field_is_used_where_it_can_be():
    bare = table([{name: row[name] for name in KNOWN} for row in everyone()[500:]])
    found = run_attacks(replace(subject(copied(inside())), control=bare))
    assert found["linkability"].control is not None
    assert found["homogeneity:problem"].control is None


def test_constant_and_empty_fields_tell_nothing_and_break_nothing():
    rows = [{"same": "x", "none": None, "sex": "fm"[n % 2], "problem": "flu"} for n in range(40)]
    here = subject(rows, source=table(rows), known=("same", "none", "sex"), hierarchies={})
    found = run_attacks(here)
    assert not found.beaten


def test_bins_of_one_row():
    rows = [{"a": str(n), "problem": str(n % 3)} for n in range(30)]
    found = run_attacks(subject(rows, source=table(rows), known=("a",), hierarchies={}))
    assert found["linkage"].rate.value == 1
    assert found["singling out:several fields"].rate is None


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"known": ()}, Mistake, "No field is counted as known"),
        ({"known": ("zip", "shoe")}, SourceError, "the release, has no field shoe"),
        (
            {"source": table([{"zip": "02138", "sex": "f"}])},
            SourceError,
            "the source, has no field birth, problem",
        ),
        ({"source": table([])}, SourceError, "the source"),
    ],
)
def test_bad_input_is_refused_with_a_reason(given, error, words):
    with pytest.raises(error, match=words):
        run_attacks(subject(protected(), **given))


def test_an_empty_release_is_refused():
    here = subject([], sensitive=())
    with pytest.raises(SourceError, match="holds no row"):
        run_attacks(here)


def test_nobody_to_attack_is_refused():
    with pytest.raises(Mistake, match="a number above 0"):
        run_attacks(subject(protected()), targets=0)


def test_people_with_several_rows_are_counted_once_each():
    """Two visits of one person are no crowd: the bin of one person gives them away."""
    visits = [
        {
            "who": str(n // 2),
            "zip": f"021{n // 2 % 30:02}",
            "age": str(20 + n // 2 % 43),
            "problem": PROBLEMS[n % 6],
        }
        for n in range(240)
    ]
    here = subject(visits, source=table(visits), known=("zip", "age"), hierarchies={}, person="who")
    found = run_attacks(here, only=("linkage", "homogeneity"))
    assert found["linkage"].rate.value == 1
    assert found["homogeneity:problem"].claims == 0


def test_values_that_are_hard_to_measure_break_nothing():
    rows = [
        {"a": value, "day": day, "problem": PROBLEMS[n % 6]}
        for n, (value, day) in enumerate(
            [
                ("1e999", "0001-01-01"),
                ("-0", "9999-12-31"),
                ("", "2020-02-29"),
                ("7", None),
                (None, "1970-01-01"),
            ]
            * 8
        )
    ]
    found = run_attacks(subject(rows, source=table(rows), known=("a", "day"), hierarchies={}))
    assert all(run.outcome != "undecided" for run in found)


def test_without_the_extra_one_attack_is_missing_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    found = run_attacks(subject(copied(inside())))
    assert found["fuzzy linkage"].outcome == "undecided"
    assert "pip install 'sfumato[assess]'" in found["fuzzy linkage"].reason
    assert found["linkage"].outcome == BEATS
