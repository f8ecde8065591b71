"""The ledger against brute force: planted pairs and triples of releases, and random small ones."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.errors import Mistake
from sfumato.keys import Key
from sfumato.register import Ledger, LedgerRequirement
from sfumato.releases import PeopleRecord, record_people

KEY = Key(bytes(range(32)))
Rows = Mapping[str, tuple[tuple[str | None, ...], str]]
"""Of each person the released labels and the sensitive value."""


def record(rows: Rows, *, key: Key = KEY) -> PeopleRecord:
    width = len(next(iter(rows.values()))[0]) if rows else 1
    columns = {"person": list(rows)}
    for at in range(width):
        columns[f"q{at}"] = [labels[at] for labels, _ in rows.values()]
    columns["s"] = [value for _, value in rows.values()]
    batch = {name: np.array(cells, object) for name, cells in columns.items()}
    fields = [f"q{at}" for at in range(width)]
    return record_people([batch], key=key, person="person", fields=fields, sensitive=["s"])


def ledger_of(releases: Sequence[Rows]) -> Ledger:
    ledger = Ledger()
    for number, rows in enumerate(releases, start=1):
        ledger.add(str(number), record(rows))
    return ledger


@cache
def covered(label: str | None) -> set[str] | None:
    """The values that a label of these tests may stand for; None for any."""
    if label is None or label == "*":
        return None
    if label.startswith("{"):
        return set(label[1:-1].split(", "))
    if "-" in label:
        low, high = map(int, label.split("-"))
        return {str(each) for each in range(low, high + 1)}
    return {label}


@cache
def overlap(one: str | None, other: str | None) -> bool:
    mine, theirs = covered(one), covered(other)
    return mine is None or theirs is None or bool(mine & theirs)


def brute_force(releases: Sequence[Rows], k: int, l: int) -> dict[str, object]:  # noqa: E741
    """Of the releases together; distance and gain are the largest after any of them."""
    found = brute_force_at_the_end(releases, k, l)
    for number in range(1, len(releases)):
        before = brute_force_at_the_end(releases[:number], k, l)
        for name in ("far", "gained"):
            for person, worst in before[name].items():
                found[name][person] = max(found[name][person], worst)
    return found


def brute_force_at_the_end(releases: Sequence[Rows], k: int, l: int) -> dict[str, Any]:  # noqa: E741
    everybody = sorted({person for rows in releases for person in rows})
    strict, wide, few, far, gained = {}, {}, 0, {}, {}
    pooled: dict[str, int] = {value: 0 for rows in releases for _, value in rows.values()}
    for person in everybody:  # Each person once, with the value of the first release.
        pooled[next(rows[person][1] for rows in releases if person in rows)] += 1
    total = len(everybody)
    for p in everybody:
        strict[p] = sum(
            all((rows[p][0] if p in rows else None) == (rows[q][0] if q in rows else None)
                and (p in rows) == (q in rows) for rows in releases)
            for q in everybody
        )  # fmt: skip
        wide[p] = sum(
            all(
                (p in rows) == (q in rows)
                and (p not in rows or all(map(overlap, rows[p][0], rows[q][0])))
                for rows in releases
            )
            for q in everybody
        )
        joint = {
            q for q in everybody
            if all((rows.get(p) or ((),))[0] == (rows.get(q) or ((),))[0] for rows in releases)
        }  # fmt: skip
        left: list[dict[str, int]] = []
        linked = []
        for rows in releases:
            if p in rows:
                bin_values = [value for labels, value in rows.values() if labels == rows[p][0]]
                left.append({value: bin_values.count(value) for value in bin_values})
                linked.append([rows[q][1] for q in joint])
        weights = {v: min(each.get(v, 0) for each in left) for v in pooled}
        sum_of = sum(weights.values())
        distinct = sum(weight > 0 for weight in weights.values())
        few += distinct < l or min(len(set(each)) for each in linked) < l
        belief = {v: Fraction(weights[v], sum_of) if sum_of else Fraction(0) for v in pooled}
        prior = {v: Fraction(pooled[v], total) for v in pooled}
        far[p] = sum(abs(belief[v] - prior[v]) for v in pooled) / 2 if sum_of else Fraction(1)
        gains = [(belief[v] - prior[v]) / (1 - prior[v]) for v in pooled if prior[v] < 1]
        gained[p] = max([Fraction(0), *gains]) if sum_of else Fraction(1)
        for values in linked:  # Whoever links rows has the shares of the joint class.
            shares = {v: Fraction(values.count(v), len(values)) - prior[v] for v in pooled}
            far[p] = max(far[p], sum(map(abs, shares.values())) / 2)
            rises = [shares[v] / (1 - prior[v]) for v in pooled if prior[v] < 1]
            gained[p] = max([gained[p], *rises])
    return {
        "smallest": min(strict.values()),
        "below": sum(size < k for size in strict.values()),
        "compatible_smallest": min(wide.values()),
        "compatible_below": sum(size < k for size in wide.values()),
        "few": few,
        "far": far,
        "gained": gained,
    }


def check(releases: Sequence[Rows], *, k: int, l: int, t: float, gain: float) -> None:  # noqa: E741
    expected = brute_force(releases, k, l)
    found = ledger_of(releases).judge(LedgerRequirement(k=k, l=l, t=t, gain=gain))
    for name in ("smallest", "below", "compatible_smallest", "compatible_below"):
        assert getattr(found, name) == expected[name], name
    rules = found.sensitive["s"]
    assert rules.get("l", 0) == (expected["few"] if l > 1 else 0)
    assert rules["t"] == sum(
        each > Fraction(t) + Fraction(1, 10**9) for each in expected["far"].values()
    )
    assert rules["gain"] == sum(
        each > Fraction(gain) + Fraction(1, 10**9) for each in expected["gained"].values()
    )
    failed = bool(found.below or any(rules.values()))
    assert found.outcome == ("fail" if failed else "review" if strangers(releases) else "pass")


def strangers(releases: Sequence[Rows]) -> bool:
    """Whether a release has nobody in common with those before it."""
    return any(
        not set(rows) & {person for before in releases[:number] for person in before}
        for number, rows in enumerate(releases)
        if number
    )


def recode(ages: Mapping[str, int], width: int, zips: Mapping[str, str], kept: int) -> Rows:
    """A 5-anonymous release: ages in ranges, ZIP codes cut, and bins under 5 left out."""
    out: dict[str, tuple[tuple[str | None, ...], str]] = {}
    for person, age in ages.items():
        low = age // width * width
        label = f"{low}-{low + width - 1}" if width > 1 else str(age)
        place = zips[person][:kept] if kept else "*"
        out[person] = ((label, place), "abc"[(age * 7 + len(person)) % 3])
    sizes: dict[object, int] = {}
    for labels, _ in out.values():
        sizes[labels] = sizes.get(labels, 0) + 1
    return {person: row for person, row in out.items() if sizes[row[0]] >= 5}


PLANTED = [
    ((10, 1), (15, 1)), ((10, 0), (15, 0)), ((20, 2), (10, 0)), ((7, 0), (5, 0)),
    ((30, 1), (1, 0)), ((10, 1), (15, 0)), ((12, 2), (18, 1)), ((9, 0), (6, 1)),
    ((25, 1), (20, 1)), ((40, 2), (13, 0)), ((10, 1), (15, 1), (20, 0)),
    ((7, 0), (5, 0), (3, 0)), ((30, 1), (20, 2), (9, 0)), ((12, 1), (10, 1), (8, 1)),
    ((6, 0), (10, 0), (15, 0)), ((40, 1), (25, 1), (11, 0)), ((16, 2), (24, 1), (36, 0)),
    ((5, 0), (4, 0), (50, 2)), ((11, 0), (13, 0), (17, 0)), ((20, 1), (30, 1), (50, 1)),
]  # fmt: skip


@pytest.mark.long("forty seeds; each fifth stays", every=5)
@pytest.mark.parametrize("dense", [1 << 26, 0])
@pytest.mark.parametrize("number", range(20))
def test_planted_releases_over_fields_states_and_recodings(number, dense, monkeypatch):
    """Twenty pairs and triples of 5-anonymous releases; each later state has people more and
    less."""
    monkeypatch.setattr("sfumato.register.joint_classes.DENSE", dense)
    draws = random.Random(number)
    people = [f"p{each}" for each in range(120)]
    ages = {person: draws.randrange(0, 90) for person in people}
    zips = {person: f"{draws.randrange(2)}{draws.randrange(3)}" for person in people}
    releases = []
    for state, (width, kept) in enumerate(PLANTED[number]):
        there = {p: a for p, a in ages.items() if draws.random() > 0.02 * state}
        releases.append(recode(there, width, zips, kept))
    for release in releases:
        assert brute_force([release], 5, 1)["smallest"] >= 5
    check(releases, k=5, l=2, t=0.5, gain=0.6)


LABELS = st.sampled_from(["20-29", "25-34", "27", "31", "{27, 31}", "*", None])


@settings(max_examples=example_count(120), deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcdefgh"),
            st.tuples(st.tuples(LABELS, LABELS), st.sampled_from("xyz")),
            min_size=1,
        ),
        min_size=1,
        max_size=3,
    ),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from([0.25, 0.5, 0.9]),
    st.sampled_from([0.25, 0.5, 0.9]),
)
def test_random_small_releases(releases, k, l, t, gain):  # noqa: E741
    check(releases, k=k, l=l, t=t, gain=gain)


@settings(max_examples=example_count(60), deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcdefgh"),
            st.tuples(st.tuples(st.sampled_from(["1", "2"])), st.sampled_from("xyz")),
            min_size=1,
        ),
        min_size=2,
        max_size=4,
    ),
    st.integers(1, 3),
    st.integers(1, 2),
    st.sampled_from([0.2, 0.4, 0.6]),
    st.sampled_from([0.2, 0.4, 0.6]),
)
def test_whoever_failed_before_a_release_fails_after_it(releases, k, l, t, gain):  # noqa: E741
    """Whatever it is about: repeated people, newcomers, or other values of the same people."""
    asked = LedgerRequirement(k=k, l=l, t=t, gain=gain)
    ledger, failing = Ledger(), np.zeros(0, bool)
    for number, rows in enumerate(releases):
        ledger.add(str(number), record(rows))
        now = ledger.failing_people(asked)
        assert now[: len(failing)][failing].all()
        assert (ledger.judge(asked).outcome == "fail") == now.any()
        failing = now


def test_repeating_a_part_of_the_people_does_not_heal_a_verdict():
    """The shares of all people count each person once: 45 of 200 are ill, 30 of them among the 50
    of one bin."""
    people = {f"p{at}": at for at in range(200)}
    full: Rows = {
        person: (("X" if at < 50 else "Y",), "ill" if at < 30 or 50 <= at < 65 else "well")
        for person, at in people.items()
    }
    part = dict([*full.items()][:50])
    asked = LedgerRequirement(k=5, t=0.3)
    for releases in ([full], [full, part], [full, part, part, part], [part, full]):
        found = ledger_of(releases).judge(asked)
        assert found.outcome == "fail"
        assert found.sensitive == {"s": {"t": 50}}


def test_one_newcomer_is_red():
    base = {f"p{each}": (("20-29",), "xyz"[each % 3]) for each in range(10)}
    ledger = ledger_of([base, base | {"new1": (("20-29",), "x")}])
    found = ledger.judge(LedgerRequirement(k=5))
    assert (found.outcome, found.smallest, found.below) == ("fail", 1, 1)
    assert (found.newcomers, found.newcomers_below, found.leavers) == (1, 1, 0)
    assert "1 newcomer" in found.reason


def test_three_releases_that_differ_by_one_person_each():
    base = {f"p{each}": (("20-29",), "x") for each in range(10)}
    more = base | {"new1": (("20-29",), "x")}
    found = ledger_of([base, more, more | {"new2": (("20-29",), "x")}]).judge(
        LedgerRequirement(k=5)
    )
    assert (found.outcome, found.below, found.newcomers) == ("fail", 2, 2)


def test_a_leaver_is_seen():
    base = {f"p{each}": (("20-29",), "x") for each in range(10)}
    fewer = {person: row for person, row in base.items() if person != "p3"}
    found = ledger_of([base, fewer]).judge(LedgerRequirement(k=5))
    assert (found.outcome, found.below, found.leavers) == ("fail", 1, 1)


def test_the_releases_that_single_people_out_are_named():
    people = [f"p{each}" for each in range(20)]
    halves = {p: (("a" if each < 10 else "b",), "x") for each, p in enumerate(people)}
    same = {p: (("*",), "x") for p in people}
    odd = {
        p: (("c" if each in (0, *range(10, 19)) else "d",), "x") for each, p in enumerate(people)
    }
    found = ledger_of([same, halves, same, odd]).judge(LedgerRequirement(k=5))
    assert found.below == 2
    assert found.because == ("2", "4")
    assert "because of 2 and 4" in found.reason


def test_intersection_reveals_a_value_though_each_release_has_two():
    """Ganta et al. 2008: two releases, each 2-diverse, leave one value together."""
    one = {"a": (("1",), "flu"), "b": (("1",), "cold"), "c": (("2",), "hiv"), "d": (("2",), "flu")}
    two = {"a": (("3",), "flu"), "c": (("3",), "hiv"), "b": (("4",), "cold"), "d": (("4",), "flu")}
    found = ledger_of([one, two]).judge(LedgerRequirement(k=1, l=2))
    assert found.sensitive["s"] == {"l": 4}


def test_a_release_that_nobody_judged_is_no_pass():
    rows = {f"p{each}": (("a",), "x") for each in range(9)}
    ledger = Ledger()
    batch = {"person": np.array(list(rows), object), "q": np.array(["a"] * 9, object)}
    made = record_people([batch], key=KEY, person="person", fields=["q"], not_judged=["noise"])
    ledger.add("1", made)
    found = ledger.judge(LedgerRequirement(k=2))
    assert found.outcome == "review"
    assert "noise" in found.reason


def test_one_reason_is_said_once_for_all_releases():
    """In the words of a verdict; `not_judged` has each of them."""
    ledger = Ledger()
    rows = {each: (("low",), "x") for each in "abcde"}
    for number in range(8):
        ledger.add(str(number), replace(record(rows), not_judged=("nobody looked",)))
    found = ledger.judge(LedgerRequirement(k=2))
    assert len(found.not_judged) == 8
    assert found.reason.endswith("not judged: 0, 1, 2, 3, 4, 5 and 2 more: nobody looked")


def test_rows_without_a_person_are_no_pass():
    columns = {
        "person": np.array(["a", "b", None], object),
        "q": np.array(["1", "1", "1"], object),
    }
    ledger = Ledger()
    ledger.add("1", record_people([columns], key=KEY, person="person", fields=["q"]))
    found = ledger.judge(LedgerRequirement(k=2))
    assert (found.people, found.outcome) == (2, "review")
    assert "1 row without a person" in found.reason


def test_sources_without_a_common_key_are_no_pass():
    """They are taken to be about the same people, and nobody can say who is who."""
    one = {f"p{each}": (("a",), "x") for each in range(9)}
    other = {f"q{each}": (("b",), "x") for each in range(9)}
    found = ledger_of([one, other]).judge(LedgerRequirement(k=2))
    assert found.outcome == "review"
    assert "2 has no person in common" in found.reason
    ledger = ledger_of([one])
    ledger.add("2", replace(record(one), person="ssn"))
    found = ledger.judge(LedgerRequirement(k=2))
    assert found.outcome == "review"
    assert "different keys: person, ssn" in found.reason


def test_nothing_released_is_no_pass():
    assert Ledger().judge(LedgerRequirement(k=2)).outcome == "review"


def test_people_with_several_rows_are_one_person():
    """All four have both values: nothing distinguishes them, and both values are certain."""
    columns = {
        "person": np.array([*"aabbccdd"], object),
        "q": np.array([*"12122112"], object),
        "s": np.array([*"xyxyxyxy"], object),
    }
    ledger = Ledger()
    made = record_people([columns], key=KEY, person="person", fields=["q"], sensitive=["s"])
    ledger.add("1", made)
    found = ledger.judge(LedgerRequirement(k=4, l=2))
    assert (found.people, found.smallest, found.outcome) == (4, 4, "fail")
    assert found.sensitive == {"s": {"l": 4}}


@settings(max_examples=example_count(60), deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcdef"),
            st.tuples(
                st.sampled_from("12"),
                st.lists(st.sampled_from("xyz"), min_size=1, max_size=3),
            ),
            min_size=2,
        ),
        min_size=1,
        max_size=3,
    ),
    st.integers(2, 3),
    st.sampled_from([0.3, 0.6]),
    st.sampled_from([0.3, 0.6]),
)
def test_people_with_several_values(releases, l, t, gain):  # noqa: E741
    """By hand: a value that everybody left has counts as the only one, and each value is a question
    of its own."""
    ledger, several = Ledger(), False
    for number, rows in enumerate(releases):
        pairs = [(person, q, value) for person, (q, values) in rows.items() for value in values]
        columns = {
            name: np.array([pair[at] for pair in pairs], object) for at, name in enumerate("pqs")
        }
        made = record_people([columns], key=KEY, person="p", fields=["q"], sensitive=["s"])
        several |= made.sensitive["s"].members is not None
        ledger.add(str(number), made)
    assume(several)
    found = ledger.judge(LedgerRequirement(k=1, l=l, t=t, gain=gain)).sensitive["s"]
    expected = _several_by_hand(releases, l, t, gain)
    assert {rule: found[rule] for rule in expected} == expected


def _several_by_hand(releases, l, t, gain):  # noqa: E741
    """Whom the releases together leave too little; of t and gain, whom any of the first ones do."""
    broken = [_several_at_the_end(releases[: n + 1], l, t, gain) for n in range(len(releases))]
    out = {rule: set().union(*(each[rule] for each in broken)) for rule in ("t", "gain")}
    return {"l": len(broken[-1]["l"]), **{rule: len(people) for rule, people in out.items()}}


def _several_at_the_end(releases, l, t, gain):  # noqa: E741
    everybody = sorted({person for rows in releases for person in rows})
    counts = [max(len(values) for _, values in rows.values()) > 1 for rows in releases]
    kept = [
        {p: ((q, len(values)) if many else q, set(values)) for p, (q, values) in rows.items()}
        for rows, many in zip(releases, counts, strict=True)
    ]
    names = sorted({value for rows in kept for _, values in rows.values() for value in values})
    first = {p: next(rows[p][1] for rows in kept if p in rows) for p in everybody}
    prior = {v: Fraction(sum(v in first[p] for p in first), len(everybody)) for v in names}
    out = {"l": set(), "t": set(), "gain": set()}
    for person in everybody:
        mine = [rows for rows in kept if person in rows]
        bins = [[v for q, v in rows.values() if q == rows[person][0]] for rows in mine]
        joint = {
            p for p in everybody
            if all((rows.get(p) or (None,))[0] == (rows.get(person) or (None,))[0] for rows in kept)
        }  # fmt: skip
        yes = {v: min(sum(v in each for each in one) for one in bins) for v in names}
        no = {v: min(sum(v not in each for each in one) for one in bins) for v in names}
        distinct = sum(each > 0 for each in yes.values())
        distinct = 1 if any(yes[v] and not no[v] for v in names) else distinct
        linked, beliefs = [], []
        for rows in mine:
            inside = [rows[p][1] for p in joint]
            having = {v: Fraction(sum(v in each for each in inside), len(inside)) for v in names}
            beliefs.append(having)
            certain = any(all(v in each for each in inside) for v in names)
            linked.append(1 if certain else len(set().union(*inside)))
        if distinct < l or min(linked) < l:
            out["l"].add(person)
        empty = any(yes[v] + no[v] == 0 for v in names)
        belief = {v: Fraction(yes[v], yes[v] + no[v]) if yes[v] + no[v] else 0 for v in names}
        beliefs.append(belief)
        if empty or max(abs(b[v] - prior[v]) for b in beliefs for v in names) > t + 1e-9:
            out["t"].add(person)
        rises = [(b[v] - prior[v]) / (1 - prior[v]) for b in beliefs for v in names if prior[v] < 1]
        if empty or max([Fraction(0), *rises]) > gain + 1e-9:
            out["gain"].add(person)
    return out


def test_another_key_is_refused():
    ledger = ledger_of([{"a": (("1",), "x")}])
    with pytest.raises(Mistake, match="another key"):
        ledger.add("2", record({"a": (("1",), "x")}, key=Key(bytes(range(1, 33)))))


def test_a_name_stands_once():
    ledger = ledger_of([{"a": (("1",), "x")}])
    with pytest.raises(Mistake, match="already"):
        ledger.add("1", record({"a": (("1",), "x")}))
    with pytest.raises(Mistake, match="no such release"):
        ledger.judge(LedgerRequirement(k=2), ["9"])


@pytest.mark.parametrize(
    "numbers", [{"k": 0}, {"k": 2, "l": 0}, {"k": 2, "t": 0}, {"k": 2, "gain": 2}]
)
def test_numbers_that_require_nothing_are_refused(numbers):
    with pytest.raises(Mistake):
        LedgerRequirement(**numbers)


def test_a_record_holds_no_cell_value(tmp_path):
    words = ["Amelia", "Quimper", "malaria"]
    made = record({words[0]: ((words[1],), words[2]), "b": (("*",), "x")})
    made.save(tmp_path / "people.npz")
    content = (tmp_path / "people.npz").read_bytes()
    assert not any(word.encode() in content for word in words)
    assert not any(word in repr(made) for word in words)
    again = PeopleRecord.read(tmp_path / "people.npz")
    assert again.facts() == made.facts()
    assert all(
        np.array_equal(getattr(again, part), getattr(made, part))
        for part in ("tags", "bin_of", "labels")
    )


def test_a_view_of_classes_is_the_same_however_it_was_built():
    draws = random.Random(7)
    releases = [
        {f"p{each}": ((draws.choice("abc"),), "x") for each in range(30) if draws.random() < 0.8}
        for _ in range(4)
    ]
    from sfumato.register import JointClasses

    ledger = ledger_of(releases)
    joint = JointClasses()
    for view in ledger.views:
        joint = joint.refined(view.read("bins"))
    asked = LedgerRequirement(k=3)
    assert ledger.judge(asked, classes=joint).as_dict() == ledger.judge(asked).as_dict()


def test_marking_and_sorting_number_the_same_classes(monkeypatch):
    from sfumato.register import JointClasses, joint_classes

    views = [np.array(each, np.int32) for each in product((0, 1, 2), repeat=3)]
    marked = JointClasses.of(views)
    monkeypatch.setattr(joint_classes, "DENSE", 0)
    as_sorted = JointClasses.of(views)
    assert marked.count == as_sorted.count
    both = np.stack([marked.class_of, as_sorted.class_of])
    used = np.unique(both, axis=1).shape[1]
    assert used == len(np.unique(marked.class_of)) == len(np.unique(as_sorted.class_of))
    assert np.array_equal(marked.class_of == 0, as_sorted.class_of == 0)


def test_a_field_that_another_release_counts_as_known_is_not_judged():
    """One release takes nobody to know a field and discloses it; another counts it as known."""
    people = [*"abcdef"]
    first = released_one(people, {"age": ["1"] * 6}, uncounted=("zip",))
    second = released_one(people, {"zip": ["x"] * 6})
    ledger = Ledger()
    ledger.add("one", first)
    assert ledger.judge(LedgerRequirement(k=2)).outcome == "pass"
    ledger.add("two", second)
    verdict = ledger.judge(LedgerRequirement(k=2))
    assert verdict.outcome == "review"
    assert verdict.not_judged == ("one discloses zip, which another release counts as known",)


def released_one(people, columns, *, uncounted=()):
    batch = {name: np.array(cells, object) for name, cells in ({"p": people} | columns).items()}
    made = record_people([batch], key=KEY, person="p", fields=list(columns))
    read = PeopleRecord.of_content(replace(made, uncounted=uncounted).content(), where="it")
    assert read.uncounted == uncounted
    return read


def test_a_newcomer_is_because_of_both_releases():
    """The first release does not have the newcomer: it singles nobody out without the second."""
    people = [f"p{at}" for at in range(12)]
    ledger = Ledger()
    ledger.add("one", released_one(people[:-1], {"age": ["1"] * 11}))
    ledger.add("two", released_one(people, {"age": ["1"] * 12}))
    verdict = ledger.judge(LedgerRequirement(k=5))
    assert (verdict.below, verdict.newcomers_below) == (1, 1)
    assert verdict.because == ("one", "two")
