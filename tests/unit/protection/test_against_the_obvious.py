"""Each model agrees, bin by bin, with a straightforward dictionary implementation on random
tables."""

import highspy
import numpy as np
import obvious_models as obvious
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from obvious_models import FIELDS, parts, shares_of

from sfumato.bins.toy_bins import bins_of_rows
from sfumato.hierarchies import Hierarchy
from sfumato.protection import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    ConfidenceGain,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    MaximumRisk,
    NonUniqueness,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    reference_of,
)

VALUES = ("1", "2", "3", "10", "20")
TREE = {"1": "ab", "2": "ab", "3": "ac", "10": "dd", "20": "de"}
TREE = {value: (value, f"{top}{middle}", top, "*") for value, (top, middle) in TREE.items()}
rows = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(VALUES)), min_size=1, max_size=18)
quick = settings(max_examples=example_count(80), deadline=None)


def counted(table):
    return bins_of_rows(FIELDS, table, sensitive=("s",))


def failing(model, table):
    return model.failing(counted(table)).tolist()


def broken(table, passes):
    return [not passes(values) for values in parts(table).values()]


@quick
@given(rows, st.integers(1, 4))
def test_distinct_values(table, least):
    expected = broken(table, lambda values: obvious.distinct(values, least))
    assert failing(DistinctLDiversity(l=least, fields=FIELDS, sensitive="s"), table) == expected
    alone = broken(table, lambda values: obvious.distinct(values, 2))
    assert failing(NonUniqueness(fields=FIELDS, sensitive=("s",)), table) == alone


@quick
@given(rows, st.sampled_from([1, 1.5, 2, 3, 3.5]))
def test_entropy(table, least):
    expected = broken(table, lambda values: obvious.entropy(values, least))
    assert failing(EntropyLDiversity(l=least, fields=FIELDS, sensitive="s"), table) == expected


@quick
@given(rows, st.sampled_from([0.5, 1, 2, 3.5]), st.integers(1, 4))
def test_recursive(table, c, least):
    expected = broken(table, lambda values: obvious.recursive(values, c, least))
    assert (
        failing(RecursiveCLDiversity(c=c, l=least, fields=FIELDS, sensitive="s"), table) == expected
    )


@quick
@given(rows, st.integers(1, 3), st.integers(1, 4))
def test_p_sensitive(table, p, k):
    expected = broken(table, lambda values: len(values) >= k and len(set(values)) >= p)
    assert (
        failing(PSensitiveKAnonymity(p=p, k=k, fields=FIELDS, sensitive=("s",)), table) == expected
    )


@quick
@given(rows, st.sampled_from([0.2, 1 / 3, 0.5, 1]), st.integers(1, 4))
def test_alpha_k(table, alpha, k):
    expected = broken(table, lambda values: obvious.alpha_k(values, alpha, k))
    assert (
        failing(AlphaKAnonymity(alpha=alpha, k=k, fields=FIELDS, sensitive="s"), table) == expected
    )


@quick
@given(rows, rows)
def test_distances(table, more):
    """The reference is that of a larger table: all values that occur have a share, and some do not
    occur."""
    reference = shares_of(table + more)
    grounds = {
        "equal": lambda values: obvious.equal_distance(values, reference),
        "ordered": lambda values: obvious.ordered_distance(values, reference, VALUES),
        "hierarchical": lambda values: obvious.hierarchical_distance(values, reference, TREE),
    }
    for ground, slowly in grounds.items():
        model = TCloseness(
            t=0.3,
            fields=FIELDS,
            sensitive="s",
            reference=reference,
            distance=ground,
            hierarchy=Hierarchy.from_rows(list(TREE.values())),
        )
        assert model.distances(counted(table)).tolist() == pytest.approx(
            [slowly(v) for v in parts(table).values()]
        )


@settings(max_examples=example_count(25), deadline=None)
@given(rows, rows)
def test_distances_are_the_least_cost_of_moving_rows(table, more):
    """The definition itself: a linear program that moves one distribution onto the other."""
    reference = shares_of(table + more)
    domain = [value for value in VALUES if value in reference]
    far = {
        "equal": lambda a, b: float(a != b),
        "ordered": lambda a, b: abs(domain.index(a) - domain.index(b)) / max(len(domain) - 1, 1),
        "hierarchical": lambda a, b: sum(x != y for x, y in zip(TREE[a], TREE[b], strict=True)) / 3,
    }
    label, values = next(iter(parts(table).items()))
    for ground, distance in far.items():
        model = TCloseness(
            t=0,
            fields=FIELDS,
            sensitive="s",
            reference=reference,
            distance=ground,
            hierarchy=Hierarchy.from_rows(list(TREE.values())),
        )
        shares = {value: values.count(value) / len(values) for value in domain}
        cost = least_cost(
            [shares[v] for v in domain], [reference[v] for v in domain], domain, distance
        )
        assert model.distances(counted([row for row in table if row[0] == label]))[
            0
        ] == pytest.approx(cost, abs=1e-7)


def least_cost(here, there, domain, distance):
    solver = highspy.Highs()
    solver.silent()
    moved = [[solver.addVariable(lb=0, obj=distance(a, b)) for b in domain] for a in domain]
    for n, share in enumerate(here):
        solver.addConstr(sum(moved[n]) == share)
    for n, share in enumerate(there[:-1]):
        solver.addConstr(sum(line[n] for line in moved) == share)
    solver.minimize()
    return solver.getInfo().objective_function_value


@quick
@given(rows, st.sampled_from([0.5, 1, 2]))
def test_disclosure(table, delta):
    reference = shares_of(table)
    expected = broken(table, lambda values: obvious.disclosure(values, reference, delta))
    assert (
        failing(
            DeltaDisclosure(delta=delta, fields=FIELDS, sensitive="s", reference=reference), table
        )
        == expected
    )


@quick
@given(rows, st.sampled_from([0.5, 1, 2]), st.booleans())
def test_likeness(table, beta, enhanced):
    reference = shares_of(table)
    expected = broken(table, lambda values: obvious.likeness(values, reference, beta, enhanced))
    model = BetaLikeness(
        beta=beta, enhanced=enhanced, fields=FIELDS, sensitive="s", reference=reference
    )
    assert failing(model, table) == expected


@quick
@given(rows, st.sampled_from([0.1, 0.25, 0.5, 0.9]), st.integers(0, 4))
def test_confidence(table, gain, facts):
    reference = shares_of(table)
    expected = broken(table, lambda values: obvious.confidence(values, reference, gain, facts))
    model = ConfidenceGain(
        gain=gain, facts=facts, fields=FIELDS, sensitive="s", reference=reference
    )
    assert failing(model, table) == expected


@quick
@given(rows, st.sampled_from([0.1, 0.25, 1 / 3, 0.5]))
def test_risks(table, threshold):
    sizes = [len(values) for values in parts(table).values()]
    average = sum(size * (1 / size) for size in sizes) / len(table)
    worst = [1 / size > threshold + 1e-9 for size in sizes]
    assert failing(MaximumRisk(threshold=threshold, fields=FIELDS), table) == worst
    assert failing(AverageRisk(threshold=threshold, fields=FIELDS), table) == [
        average > threshold + 1e-9
    ] * len(sizes)


@quick
@given(rows)
def test_the_reference_is_the_whole_table(table):
    assert reference_of(counted(table), "s") == pytest.approx(shares_of(table))


# A model over some of the fields judges the bins over those, and says it of every bin that falls
# into them.

EACH = {
    "distinct": DistinctLDiversity(l=2, fields=FIELDS, sensitive="s"),
    "entropy": EntropyLDiversity(l=1.5, fields=FIELDS, sensitive="s"),
    "recursive": RecursiveCLDiversity(c=2, l=2, fields=FIELDS, sensitive="s"),
    "p-sensitive": PSensitiveKAnonymity(p=2, k=3, fields=FIELDS, sensitive=("s",)),
    "alpha": AlphaKAnonymity(alpha=0.6, k=2, fields=FIELDS, sensitive="s"),
    "equal": TCloseness(t=0.4, fields=FIELDS, sensitive="s", reference=dict.fromkeys(VALUES, 0.2)),
    "likeness": BetaLikeness(
        beta=1, fields=FIELDS, sensitive="s", reference=dict.fromkeys(VALUES, 0.2)
    ),
    "confidence": ConfidenceGain(
        gain=0.3, fields=FIELDS, sensitive="s", reference=dict.fromkeys(VALUES, 0.2)
    ),
    "confidence with a fact": ConfidenceGain(
        gain=0.4, facts=1, fields=FIELDS, sensitive="s", reference=dict.fromkeys(VALUES, 0.2)
    ),
    "confidence with two facts": ConfidenceGain(
        gain=0.5, facts=2, fields=FIELDS, sensitive="s", reference=dict.fromkeys(VALUES, 0.2)
    ),
    "confidence in everybody's value": ConfidenceGain(
        gain=0.5, facts=2, fields=FIELDS, sensitive="s", reference={VALUES[0]: 1.0}
    ),
    "disclosure": DeltaDisclosure(
        delta=1, fields=FIELDS, sensitive="s", reference=dict.fromkeys(VALUES, 0.2)
    ),
    "maximum": MaximumRisk(threshold=0.4, fields=FIELDS),
    "average": AverageRisk(threshold=0.4, fields=FIELDS),
}


@settings(max_examples=example_count(15), deadline=None)
@pytest.mark.parametrize("model", EACH.values(), ids=EACH)
@given(
    table=st.lists(st.tuples(*map(st.sampled_from, ("abc", "xy", VALUES))), min_size=1, max_size=15)
)
def test_a_model_over_fewer_fields(model, table):
    finer = bins_of_rows(("q", "r"), table, sensitive=("s",))
    by_label = dict(
        zip(
            (t[0] for t in finer.project(("q",)).tuples()),
            model.failing(finer.project(("q",))).tolist(),
            strict=True,
        )
    )
    assert model.failing(finer).tolist() == [by_label[label] for label, _ in finer.tuples()]


# Rows that `stuck` counts break the rule in the bin and in each of its parts: no part that passes
# has more of the rest.

STUCK = [name for name, model in EACH.items() if hasattr(model, "stuck")]


@settings(max_examples=example_count(20), deadline=None)
@pytest.mark.parametrize("name", [*STUCK, "recursive 3", "alpha of one value"])
@given(data=st.data())
def test_stuck_rows_pass_in_no_part_of_a_bin(name, data):
    extra = {
        "recursive 3": RecursiveCLDiversity(c=1.5, l=3, fields=FIELDS, sensitive="s"),
        "alpha of one value": AlphaKAnonymity(
            alpha=0.3, k=2, fields=FIELDS, sensitive="s", values=VALUES[:1]
        ),
    }
    model = (EACH | extra)[name]
    counts = data.draw(st.tuples(*[st.integers(0, 4)] * 3).filter(any))
    whole = counted(
        [("a", value) for value, count in zip(VALUES, counts, strict=False) for _ in range(count)]
    )
    some = np.indices([count + 1 for count in counts]).reshape(3, -1).T[1:]
    table = [
        (str(n), value)
        for n, part in enumerate(some.tolist())
        for value, count in zip(VALUES, part, strict=False)
        for _ in range(count)
    ]
    passing = some[~model.failing(counted(table))]
    most = int(passing.sum(axis=1).max(initial=0))
    assert 0 <= model.stuck(whole)[0] <= sum(counts) - most
