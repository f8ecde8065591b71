"""Attacks on what a policy may add to channels: an altered confidential field, statistics that are
coarser than the channels, and limits on which input channels are combined.

Eve reads every file of the release and the policy. About the altered field she computes how likely a
value is for a subject by its set of possible values, and takes the sets where that is most. About
coarser statistics she compares releases of tables that differ in nothing that is published. About
limits she looks for an output channel that breaks one, as it would be without the limit."""

from __future__ import annotations

import csv
import json
from fractions import Fraction

import pandas
import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases.channels.account_files import read_account
from sfumato.releases.channels.altered_values import judge_sets, possible_sets
from sfumato.releases.channels.recount import judge_rules, tolerance_of

LIMITS = {"flu": Fraction(3, 10), "cold": Fraction(2, 5)}
BOUND = Fraction(3, 5)


def policy(**more):
    fields = {
        "name": "direct",
        "crp": "quasi",
        "bp": "quasi",
        "county": "quasi",
        "diagnosis": "sensitive",
    }
    channels = {
        "fields": ["crp", "bp", "county"],
        "confidential": "diagnosis",
        "identifiers": ["name"],
        "tolerance": {value: float(limit) for value, limit in LIMITS.items()},
        "bound": float(BOUND),
        "none": ["hay fever"],
        "seconds": 2.0,
        **more,
    }
    return policy_from_table({"entity": "name", "fields": fields, "channels": channels})


# (crp, bp, county): people with flu, with a cold, with neither.
GROUPS = {
    ("H", "1", "A"): (60, 10, 30),
    ("H", "3", "A"): (10, 70, 40),
    ("N", "2", "A"): (20, 20, 260),
    ("N", "3", "A"): (5, 30, 165),
    ("H", "2", "B"): (50, 0, 50),
    ("N", "2", "B"): (10, 40, 350),
}


def people(groups=None):
    rows = []
    for (crp, bp, county), (flu, cold, neither) in (groups or GROUPS).items():
        ill = ["flu"] * flu + ["cold"] * cold + ["hay fever", None] * (neither // 2)
        ill += [None] * (neither % 2)
        rows += [{"crp": crp, "bp": bp, "county": county, "diagnosis": one} for one in ill]
    return [{"name": f"P{i}", **row} for i, row in enumerate(rows)]


def frame(groups=None):
    return pandas.DataFrame(people(groups))


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def expected(folder):
    """How many subjects of each output channel have each value, as its files let anybody expect."""
    statistics = {row["input"]: row for row in read(folder / "statistics.csv")}
    out = {}
    for row in read(folder / "channels.csv"):
        own = statistics[row["input"]]
        for value in LIMITS:
            share = Fraction(int(own[f"diagnosis={value}"]), int(own["subjects"]))
            key = row["channel"], value
            out[key] = out.get(key, Fraction(0)) + share * int(row["subjects"])
    return out


@pytest.fixture(scope="module")
def altered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("altered") / "out"
    return sfumato.release(frame(), policy(altered="possible"), to=folder)


def test_no_set_of_possible_values_makes_one_likelier_than_is_tolerated(altered):
    """By the published tables in fractions; and by the truth, which Eve does not have, the values of
    a set are no more frequent than chance makes them."""
    truth = {row["name"]: row["diagnosis"] for row in people()}
    sets = {}
    for row in read(altered.folder / "release.csv"):
        possible = json.loads(row["possible"])
        value = truth[row["name"]]
        assert value not in LIMITS or value in possible  # nobody is missing from a query
        sets.setdefault((row["channel"], tuple(possible)), []).append(value)
    likely = expected(altered.folder)
    told = {value: [0, 0] for value in LIMITS}
    for (channel, possible), values in sets.items():
        total = Fraction(0)
        for value in filter(None, possible):
            share = likely[channel, value] / len(values)
            assert share <= LIMITS[value]
            total += share
            told[value][0] += values.count(value)
            told[value][1] += len(values)
        assert total <= BOUND
    for value, (right, claims) in told.items():
        assert right / claims <= float(LIMITS[value]) + 0.06
    assert any(set(possible) == {None} for _, possible in sets)  # it discloses something
    assert main(["verify", str(altered.folder)]) == 0


def test_sets_are_as_large_as_the_published_tables_make_them(altered):
    """Another draw has other subjects in its sets, and as many: their number discloses nothing."""
    asked = policy(altered="possible").channels
    account, _ = read_account(altered.folder, asked)
    made = {
        (str(channel + 1), each.values): each.subjects
        for channel, sets in enumerate(possible_sets(account, tolerance_of(asked)))
        for each in sets
    }
    found = {}
    for row in read(altered.folder / "release.csv"):
        values = tuple(sorted(list(LIMITS).index(v) for v in json.loads(row["possible"]) if v))
        if values:
            found[row["channel"], values] = found.get((row["channel"], values), 0) + 1
    assert found == made


@pytest.mark.parametrize("change", ["only the true ones", "a value left out", "one subject less"])
def test_sets_that_disclose_more_fail(altered, change):
    asked = policy(altered="possible").channels
    account, _ = read_account(altered.folder, asked)
    tolerance = tolerance_of(asked)
    sets = {
        (channel, each.values): each.subjects
        for channel, own in enumerate(possible_sets(account, tolerance))
        for each in own
    }
    assert judge_sets(account, tolerance, sets, asked).outcome == "pass"
    first = next(key for key in sets if key[1])
    if change == "a value left out":
        sets[first[0], ()] = sets.pop(first)
    else:
        true = expected(altered.folder)[str(first[0] + 1), list(LIMITS)[first[1][0]]]
        tight = true / list(LIMITS.values())[first[1][0]]
        sets[first] = int(true) if change == "only the true ones" else int(tight - Fraction(1, 9))
    assert judge_sets(account, tolerance, sets, asked).outcome == "fail"
    assert judge_sets(account, tolerance, None, asked).outcome == "fail"


def test_what_is_not_judged_with_an_altered_field_is_refused():
    with pytest.raises(PolicyError, match="statistics"):
        policy(altered="possible", statistics={"crp": []})
    with pytest.raises(PolicyError, match="altered"):
        policy(altered="bp")


COARSER = {"bp": [["1", "2"]], "county": []}


def test_only_published_statistics_decide_about_a_release(tmp_path):
    """Two tables with the same coarser statistics, and others of their input channels: output
    channels and their numbers are the same, so Eve learns nothing of what is not published."""
    other = dict(GROUPS)
    other["H", "1", "A"], other["H", "2", "B"] = (100, 0, 0), (10, 10, 80)
    made = []
    for number, groups in enumerate((GROUPS, other)):
        folder = tmp_path / str(number)
        made.append(sfumato.release(frame(groups), policy(statistics=COARSER), to=folder).folder)
        assert main(["verify", str(folder)]) == 0
    for name in ("channels.csv", "statistics.csv"):
        assert (made[0] / name).read_bytes() == (made[1] / name).read_bytes()
    statistics = {row["statistic"]: row for row in read(made[0] / "statistics.csv")}
    assert {row["county"] for row in statistics.values()} == {"*"}
    shares, subjects = {}, {}
    for row in read(made[0] / "channels.csv"):
        own = statistics[row["statistic"]]
        subjects[row["channel"]] = subjects.get(row["channel"], 0) + int(row["subjects"])
        for value in LIMITS:
            share = Fraction(
                int(own[f"diagnosis={value}"]) * int(row["subjects"]), int(own["subjects"])
            )
            key = row["channel"], value
            shares[key] = shares.get(key, Fraction(0)) + share
    assert all(share <= LIMITS[value] * subjects[c] for (c, value), share in shares.items())


def test_statistics_that_do_not_add_up_are_noticed(tmp_path):
    folder = sfumato.release(frame(), policy(statistics=COARSER), to=tmp_path / "out").folder
    asked = policy(statistics=COARSER).channels
    read_account(folder, asked)
    path = folder / "statistics.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",200,", ",199,"), encoding="utf-8")
    with pytest.raises(sfumato.errors.ReleaseBroken):
        read_account(folder, asked)


def combined(folder):
    """The values of each field in each output channel, without that of all input channels."""
    rows = read(folder / "channels.csv")
    out = {}
    for row in rows:
        out.setdefault(row["channel"], []).append((row["crp"], row["bp"], row["county"]))
    return [members for members in out.values() if len(members) < len(GROUPS)]


def is_kept(members, limit):
    if limit == "alike":
        return len({county for *_, county in members}) == 1
    if limit == "span":
        numbers = [int(bp) for _, bp, _ in members]
        return max(numbers) - min(numbers) <= 1
    pairs = [(one, other) for one in members for other in members]
    return all(sum(a != b for a, b in zip(*pair, strict=True)) <= 1 for pair in pairs)


LIMITED = {
    "alike": {"rules": [{"field": "county", "rule": "alike"}]},
    "span": {"rules": [{"field": "bp", "rule": "span", "most": 1}]},
    "max_differing": {"max_differing": 1},
}


@pytest.mark.long("a search for each limit; one stays", every=3)
@pytest.mark.parametrize("limit", LIMITED)
def test_input_channels_beyond_a_limit_are_not_combined(tmp_path, limit):
    free = sfumato.release(frame(), policy(), to=tmp_path / "free").folder
    assert not all(is_kept(members, limit) for members in combined(free))  # the test can fail
    made = sfumato.release(frame(), policy(**LIMITED[limit]), to=tmp_path / "kept")
    assert all(is_kept(members, limit) for members in combined(made.folder))
    assert main(["verify", str(made.folder)]) == 0
    asked = policy(**LIMITED[limit]).channels
    broken = recounted(free, asked)
    assert [verdict.outcome for verdict in broken].count("fail") == 1


def recounted(folder, asked):
    account, values = read_account(folder, asked)
    return judge_rules(account, values, asked)


def test_a_field_with_a_weight_is_expanded_less(tmp_path):
    """Counted by hand: the cost of the manifest, and that fewer subjects have several counties."""
    weights = {"county": 50.0}
    made = sfumato.release(frame(), policy(field_weights=weights), to=tmp_path / "out")
    rows = read(made.folder / "channels.csv")
    sizes = {row["input"]: int(row["subjects"]) for row in read(made.folder / "statistics.csv")}
    cost = 0
    for channel in {row["channel"] for row in rows}:
        members = [row for row in rows if row["channel"] == channel]
        times = 1 + 50 * (len({row["county"] for row in members}) > 1)
        if len(members) > 1:
            here = sum(int(row["subjects"]) for row in members)
            cost += here * times * sum(sizes[row["input"]] for row in members)
    assert made.manifest["channels"]["cost"] == cost
    assert made.manifest["channels"]["omega"] == pytest.approx(cost / 51 / len(people()) ** 2)
    free = sfumato.release(frame(), policy(), to=tmp_path / "free").folder
    expanded = [
        sum(len(json.loads(row["county"])) > 1 for row in read(folder / "release.csv"))
        for folder in (made.folder, free)
    ]
    assert expanded[0] < expanded[1]
