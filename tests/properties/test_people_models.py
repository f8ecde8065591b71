"""Models where people have several rows: bins of people, the search over them, and releases,
against plain sets.

Everything expected here is worked out from lists of rows by the definitions of docs/people.md, and
shares no code with the bins."""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.bins import CountedPeople, PeopleBins
from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.protection import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    BinSizes,
    ConfidenceGain,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    MaximumRisk,
    Model,
    NonUniqueness,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    reference_of,
)
from sfumato.solvers.people import CountingPeople, TableBins

Row = tuple[str, str, str, str]  # zip, sex, person, problem
ZIPS, SEXES, PEOPLE, PROBLEMS = (
    ("021", "022", "941"),
    ("F", "M"),
    "abcdefg",
    ("flu", "cold", "gout"),
)
LADDERS = {
    "zip": Hierarchy.from_rows([("021", "02", "*"), ("022", "02", "*"), ("941", "94", "*")]),
    "sex": Hierarchy.from_rows([("F", "*"), ("M", "*")]),
}
rows_of_people = st.lists(
    st.tuples(*(st.sampled_from(each) for each in (ZIPS, SEXES, PEOPLE, PROBLEMS))),
    min_size=1,
    max_size=24,
)
levels_of = st.tuples(st.integers(0, 2), st.integers(0, 1))


def label(name: str, value: str, level: int) -> str:
    ladder = LADDERS[name]
    return str(ladder.labels[level][int(ladder.up[level][ladder.labels[0].index(value)])])


def holdings(
    rows: list[Row], levels: tuple[int, int]
) -> dict[tuple[str, str], dict[str, set[str]]]:
    """For each coarse bin, what each of its people has."""
    out: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for zip_, sex, person, problem in rows:
        out[label("zip", zip_, levels[0]), label("sex", sex, levels[1])][person].add(problem)
    return out


def having(people: dict[str, set[str]]) -> dict[str, float]:
    return {
        value: sum(value in own for own in people.values())
        for value in set().union(*people.values())
    }


def spread(people: dict[str, set[str]]) -> dict[str, float]:
    out: dict[str, float] = defaultdict(float)
    for own in people.values():
        for value in own:
            out[value] += 1 / len(own)
    return out


def counted(rows: list[Row]) -> CountedPeople:
    found = CountedPeople.of_rows(("zip", "sex"), rows, sensitive=("problem",))
    lifts = [
        [LADDERS[name].labels[0].index(value) for value in labels]
        for name, labels in zip(found.fields, found.labels, strict=True)
    ]
    return found.aligned(
        tuple(LADDERS[name].labels[0] for name in found.fields),
        [np.array(each, np.int32) for each in lifts],
    )


@given(rows=rows_of_people, levels=levels_of)
def test_bins_count_each_person_once_and_values_as_they_are_had(
    rows: list[Row], levels: tuple[int, int]
) -> None:
    bins = counted(rows).recode(LADDERS, {"zip": levels[0], "sex": levels[1]})
    expected = holdings(rows, levels)
    assert bins.sizes() == {labels: len(people) for labels, people in expected.items()}
    assert bins.people == len({row[2] for row in rows})
    places = list(bins.tuples())
    for found, wanted in ((bins.histograms["problem"], having), (bins.spread("problem"), spread)):
        assert found is not None
        cells = {
            (places[b], found.values[v]): count
            for b, v, count in zip(
                found.bin_of.tolist(), found.value_of.tolist(), found.counts.tolist(), strict=True
            )
        }
        assert cells == pytest.approx(
            {
                (labels, value): n
                for labels, people in expected.items()
                for value, n in wanted(people).items()
            }
        )


@given(rows=rows_of_people, dropped=st.sets(st.sampled_from(ZIPS)))
def test_bins_that_are_left_out_take_their_people_with_them(
    rows: list[Row], dropped: set[str]
) -> None:
    bins = counted(rows)
    keep = np.array([labels[0] not in dropped for labels in bins.tuples()])
    expected = holdings([row for row in rows if row[0] not in dropped], (0, 0))
    assert bins.only(keep).sizes() == {labels: len(people) for labels, people in expected.items()}
    _, sizes = bins.only(keep).group_of(("sex",))
    by_sex: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row[0] not in dropped:
            by_sex[row[1]].add(row[2])
    assert sorted(sizes.tolist()) == sorted(map(len, by_sex.values()))


@given(rows=rows_of_people, k=st.integers(1, 4))
def test_sets_of_bins_that_few_people_share(rows: list[Row], k: int) -> None:
    sets: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for zip_, sex, person, _ in rows:
        sets[person].add((zip_, sex))
    sharing = Counter(map(frozenset, sets.values()))
    rare = sum(sharing[frozenset(own)] < k for own in sets.values())
    assert counted(rows).people_with_rare_sets(k) == rare


# -------------------------------------------------------------------------------------------------------
# definitions

Holds = Callable[[dict[str, set[str]], dict[str, float], dict[str, float]], bool]
"""Whether a bin's people keep a model, given the shares of values over all people: as had, and
spread."""


def nobody_shares(people: dict[str, set[str]]) -> bool:
    """No value is had by all people of a bin."""
    return max(having(people).values()) < len(people)


def entropy(shares: list[float]) -> float:
    return -sum(share * math.log(share) for share in shares if share)


EPS = 1e-9
DEFINITIONS: dict[str, tuple[Callable[[CountedPeople], Model], Holds]] = {
    "non_uniqueness": (
        lambda bins: NonUniqueness(fields=bins.fields, sensitive=("problem",)),
        lambda people, had, spread_: nobody_shares(people),
    ),
    "distinct": (
        lambda bins: DistinctLDiversity(l=2, fields=bins.fields, sensitive="problem"),
        lambda people, had, spread_: len(having(people)) >= 2 and nobody_shares(people),
    ),
    "entropy": (
        lambda bins: EntropyLDiversity(l=1.8, fields=bins.fields, sensitive="problem"),
        lambda people, had, spread_: (
            entropy([n / len(people) for n in spread(people).values()]) >= math.log(1.8) - EPS
            and nobody_shares(people)
        ),
    ),
    "recursive": (
        lambda bins: RecursiveCLDiversity(c=1.5, l=2, fields=bins.fields, sensitive="problem"),
        lambda people, had, spread_: (
            (most := max(having(people).values())) < 1.5 * (sum(having(people).values()) - most)
            and nobody_shares(people)
        ),
    ),
    "p_sensitive": (
        lambda bins: PSensitiveKAnonymity(p=2, k=2, fields=bins.fields, sensitive=("problem",)),
        lambda people, had, spread_: (
            len(people) >= 2 and len(having(people)) >= 2 and nobody_shares(people)
        ),
    ),
    "alpha_k": (
        lambda bins: AlphaKAnonymity(alpha=0.7, k=2, fields=bins.fields, sensitive="problem"),
        lambda people, had, spread_: (
            len(people) >= 2 and max(having(people).values()) <= 0.7 * len(people) + EPS
        ),
    ),
    "t_closeness": (
        lambda bins: TCloseness(
            t=0.3,
            fields=bins.fields,
            sensitive="problem",
            reference=reference_of(bins, "problem", spread=True),
        ),
        lambda people, had, spread_: (
            sum(abs(spread(people).get(v, 0) / len(people) - share) for v, share in spread_.items())
            / 2
            <= 0.3 + EPS
        ),
    ),
    "beta_likeness": (
        lambda bins: BetaLikeness(
            beta=0.5,
            fields=bins.fields,
            sensitive="problem",
            reference=reference_of(bins, "problem"),
            enhanced=False,
        ),
        lambda people, had, spread_: all(
            n / len(people) <= 1.5 * had[v] + EPS for v, n in having(people).items()
        ),
    ),
    "delta_disclosure": (
        lambda bins: DeltaDisclosure(
            delta=1.0,
            fields=bins.fields,
            sensitive="problem",
            reference=reference_of(bins, "problem"),
        ),
        lambda people, had, spread_: (
            set(having(people)) == {v for v, share in had.items() if share}
            and all(
                abs(math.log2(n / len(people) / had[v])) < 1.0 - EPS
                for v, n in having(people).items()
            )
        ),
    ),
    "confidence_gain": (
        lambda bins: ConfidenceGain(
            gain=0.4,
            facts=0,
            fields=bins.fields,
            sensitive="problem",
            reference=reference_of(bins, "problem"),
        ),
        lambda people, had, spread_: all(
            had[v] >= 1 or n / len(people) <= had[v] + 0.4 * (1 - had[v]) + EPS
            for v, n in having(people).items()
        ),
    ),
    "maximum_risk": (
        lambda bins: MaximumRisk(threshold=0.4, fields=bins.fields),
        lambda people, had, spread_: len(people) * 0.4 >= 1 - EPS,
    ),
}


@pytest.mark.parametrize("name", DEFINITIONS)
@given(rows=rows_of_people, levels=levels_of)
@settings(max_examples=example_count(40))
def test_every_model_judges_people(name: str, rows: list[Row], levels: tuple[int, int]) -> None:
    build, holds = DEFINITIONS[name]
    bins = counted(rows)
    everyone = holdings(rows, (2, 1))["*", "*"]
    had = {value: n / len(everyone) for value, n in having(everyone).items()}
    spread_ = {value: n / len(everyone) for value, n in spread(everyone).items()}
    coarse = bins.recode(LADDERS, {"zip": levels[0], "sex": levels[1]})
    failing = dict(zip(coarse.tuples(), build(bins).failing(coarse).tolist(), strict=True))
    expected = {
        labels: not holds(people, had, spread_) for labels, people in holdings(rows, levels).items()
    }
    assert failing == expected


@given(rows=rows_of_people)
def test_sizes_of_fields_and_average_risk_count_people(rows: list[Row]) -> None:
    bins = counted(rows)
    by_zip: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        by_zip[row[0]].add(row[2])
    failing = BinSizes(sizes={"zip": 2}).failing(bins).tolist()
    assert failing == [len(by_zip[labels[0]]) < 2 for labels in bins.tuples()]
    pairs = sum(len(people) for people in holdings(rows, (0, 0)).values())
    assert AverageRisk(threshold=1.0, fields=bins.fields).risk(bins) == pytest.approx(
        len(bins) / pairs
    )


# -------------------------------------------------------------------------------------------------------------
# search


@pytest.mark.parametrize("name", ["distinct", "t_closeness", "alpha_k", "delta_disclosure"])
@given(rows=rows_of_people, limit=st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=example_count(25), suppress_health_check=[HealthCheck.too_slow])
def test_the_search_finds_the_least_loss_of_all_nodes(
    name: str, rows: list[Row], limit: float
) -> None:
    """Against every node of the lattice, judged one by one: leaving bins out repeats until nothing
    more fails."""
    bins, k = counted(rows), 2
    model = DEFINITIONS[name][0](bins)
    whose: dict[tuple[str, str], list[str]] = defaultdict(list)
    for zip_, sex, person, _ in rows:
        whose[zip_, sex].append(person)
    table = TableBins(
        name="visits",
        bins=PeopleBins.of(("zip", "sex"), whose, k=k),
        hierarchies={
            each: Hierarchy.from_rows(
                [
                    tuple(label(each, value, level) for level in range(LADDERS[each].height + 1))
                    for value in values
                ]
            )
            for each, values in _values(whose).items()
        },
        models=(model,),
        counted=CountedPeople.of_rows(("zip", "sex"), rows, sensitive=("problem",)),
    )
    solver = CountingPeople(k=k, max_suppression=limit)
    feasible = [
        levels
        for levels in _nodes()
        if _within(rows, _kept(rows, levels, bins, model, k), limit=limit)
    ]
    if not feasible:
        with pytest.raises(NoRecodingFound):
            solver.solve([table])
        return
    found = solver.solve([table])
    levels = found.levels["zip"], found.levels["sex"]
    assert levels in feasible
    assert found.proof is not None
    assert found.proof.optimal
    losses = {node: _loss(table, node, rows, bins, model, k) for node in feasible}
    assert found.loss == pytest.approx(min(losses.values()))
    assert losses[levels] == pytest.approx(found.loss)


def _nodes() -> list[tuple[int, int]]:
    return list(itertools.product(range(3), range(2)))


def _values(whose: dict[tuple[str, str], list[str]]) -> dict[str, list[str]]:
    """The values of each field in the order in which bins written by hand number them."""
    return {
        name: list(dict.fromkeys(key[f] for key in whose)) for f, name in enumerate(("zip", "sex"))
    }


def _kept(
    rows: list[Row], levels: tuple[int, int], bins: CountedPeople, model: Model, k: int
) -> list[Row]:
    """The rows that stay at a node, by plain sets and the model's own judgement of each state."""
    kept = list(rows)
    while kept:
        places = holdings(kept, levels)
        coarse = counted(kept).recode(LADDERS, {"zip": levels[0], "sex": levels[1]})
        failing = dict(zip(coarse.tuples(), model.failing(coarse).tolist(), strict=True))
        out = {labels for labels, people in places.items() if len(people) < k}
        if not out:
            out = {labels for labels, fails in failing.items() if fails}
        if not out:
            return kept
        kept = [
            r
            for r in kept
            if (label("zip", r[0], levels[0]), label("sex", r[1], levels[1])) not in out
        ]
    return kept


def _within(rows: list[Row], kept: list[Row], *, limit: float) -> bool:
    """Whether no more people than may be have no row left; no row at all is where none may be."""
    whose = {row[2] for row in rows}
    return (limit > 0 or len(kept) == len(rows)) and len(
        whose - {row[2] for row in kept}
    ) <= limit * len(whose)


def _loss(
    table: TableBins,
    levels: tuple[int, int],
    rows: list[Row],
    bins: CountedPeople,
    model: Model,
    k: int,
) -> float:
    """NCP: the share of a field's values that a label covers, of one that has several; a row left
    out loses all."""
    kept = _kept(rows, levels, bins, model, k)
    total = 0.0
    for f, name in enumerate(("zip", "sex")):
        values = set(_values({(r[0], r[1]): [] for r in rows})[name])
        for row in kept:
            covered = {
                v for v in values if label(name, v, levels[f]) == label(name, row[f], levels[f])
            }
            total += (
                (len(covered) - 1) / (len(values) - 1)
                if len(values) > 1 and len(covered) > 1
                else 0.0
            )
    return (total + 2 * (len(rows) - len(kept))) / (2 * len(rows))


# -----------------------------------------------------------------------------------------------------------
# releases

POLICY = """
entity = "who"

[fields]
who = {{ role = "direct", replace = "number" }}
zip = {{ role = "quasi", hierarchy = {{ prefix = [2] }} }}
sex = "quasi"
problem = "sensitive"

[require]
k = 2
max_suppression = 1.0
{more}

[solve]
{solve}
"""
SOLVE = {"optimal": 'solver = "optimal"\nwork = 50', "datafly2": 'solver = "datafly2"'}
ASKED = {
    "non_uniqueness = true": "non_uniqueness",
    "l_diversity = { l = 2 }": "distinct",
    'l_diversity = { l = 1.8, kind = "entropy" }': "entropy",
    'l_diversity = { l = 2, c = 1.5, kind = "recursive" }': "recursive",
    "p_sensitive = { p = 2, k = 2 }": "p_sensitive",
    "alpha_k = { alpha = 0.7, k = 2 }": "alpha_k",
    "maximum_risk = 0.4": "maximum_risk",
}


@pytest.mark.long("random tables for each model and solver; each third cell stays", every=3)
@pytest.mark.parametrize("solver", SOLVE)
@pytest.mark.parametrize("more", ASKED)
@given(
    rows=st.lists(
        st.tuples(*(st.sampled_from(each) for each in (ZIPS, SEXES, PEOPLE, PROBLEMS))),
        min_size=12,
        max_size=30,
    )
)
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_release_keeps_the_model_in_people(more: str, solver: str, rows: list[Row]) -> None:
    _, holds = DEFINITIONS[ASKED[more]]
    with TemporaryDirectory() as name:
        folder = Path(name)
        source, policy = folder / "rows.csv", folder / "policy.toml"
        with source.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("zip", "sex", "who", "problem"), *rows])
        policy.write_text(POLICY.format(more=more, solve=SOLVE[solver]), encoding="utf-8")
        try:
            made = sfumato.release(source, policy, to=folder / "out")
        except NoRecodingFound:
            return
        with (folder / "out" / "release.csv").open(encoding="utf-8") as file:
            released = list(csv.DictReader(file))
        bins: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for row in released:
            bins[row["zip"], row["sex"]][row["who"]].add(row["problem"])
        assert made.outcome == "pass"
        assert all(len(people) >= 2 and holds(people, {}, {}) for people in bins.values())
        assert not [
            check.claim for check in sfumato.verify(folder / "out") if check.outcome == "fail"
        ]
