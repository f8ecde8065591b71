"""What models declare about merging bins is true: tried on random tables where they say yes, shown
where no."""

import itertools

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import Bins, Pairing
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.hierarchies import Hierarchy
from sfumato.policy import CellReading, NullRule
from sfumato.protection import (
    MODELS,
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    BinSizes,
    Combinations,
    ConfidenceGain,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KMap,
    KPeople,
    MaximumRisk,
    NonUniqueness,
    NullMap,
    PopulationUniqueness,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    SafeHarbor,
    TCloseness,
    WrongMap,
    is_bin_monotone,
    is_row_monotone,
    needs_of,
    reads_labels,
)

Q = ("q",)
INSIDE = {"fields": Q, "sensitive": "s"}
HALVES = {"fields": Q, "sensitive": "s", "reference": {"f": 0.5, "c": 0.5}}
MERGED = {"q": Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])}
PEOPLE = Bins.of(Q, {("a",): 4, ("b",): 1, ("c",): 2})
ABC = [("a",), ("b",), ("c",)]
SWAPPED = Pairing.of(Q, subjects=ABC, released=ABC, own=(1, 2, 0))


def bins_of(**inside):
    rows = [(label, value) for label, values in inside.items() for value in values]
    return bins_of_rows(Q, rows, sensitive=("s",))


YES = [
    KAnonymity(k=3, fields=Q),
    KPeople(k=3, fields=Q),
    KMap(k=3, fields=Q, population=PEOPLE, hierarchies=MERGED),
    NonUniqueness(fields=Q, sensitive=("s",)),
    DistinctLDiversity(l=2, **INSIDE),
    PSensitiveKAnonymity(p=2, k=3, fields=Q, sensitive=("s",)),
    MaximumRisk(threshold=0.4, fields=Q),
]


@settings(max_examples=example_count(60), deadline=None)
@pytest.mark.parametrize("model", YES, ids=lambda model: model.name)
@given(
    inside=st.fixed_dictionaries({label: st.text("fcg", min_size=1, max_size=5) for label in "abc"})
)
def test_a_bin_that_passes_passes_with_any_other(model, inside):
    assert is_bin_monotone(model)
    bins = bins_of(**{label: inside[label] for label in "abc"})  # in the order of the hierarchy
    alone = model.failing(bins)
    for level in (1, 2):
        merged = bins.recode(MERGED, {"q": level})
        whole = dict(
            zip(
                (label for (label,) in merged.tuples()), model.failing(merged).tolist(), strict=True
            )
        )
        for (label,), fails in zip(bins.tuples(), alone.tolist(), strict=True):
            up = MERGED["q"].labels[level][MERGED["q"].up[level]["abc".index(label)]]
            assert fails or not whole[up]


@pytest.mark.parametrize("facts", range(4))
def test_two_bins_that_keep_a_confidence_gain_keep_it_together(facts):
    """Every pair of bins with up to four, three and two rows of three values."""
    shares = {"f": 0.5, "c": 0.3, "g": 0.2}
    inside = ["f" * f + "c" * c + "g" * g for f in range(5) for c in range(4) for g in range(3)][1:]
    pairs = list(itertools.combinations_with_replacement(range(len(inside)), 2))
    alone = bins_of(**{str(n): values for n, values in enumerate(inside)})
    merged = bins_of(
        **{str(n): inside[one] + inside[other] for n, (one, other) in enumerate(pairs)}
    )
    tried = 0
    for gain in (0.1, 0.3, 0.5, 0.7, 0.9):
        model = ConfidenceGain(gain=gain, facts=facts, fields=Q, sensitive="s", reference=shares)
        passes = ~model.failing(alone)
        both = np.array([passes[one] and passes[other] for one, other in pairs])
        tried += int(both.sum())
        assert not (model.failing(merged) & both).any()
    assert tried >= 20


# For each model that says no: bins of which `a` passes, and does not any more once merged with `b`.
NO = [
    (EntropyLDiversity(l=2, **INSIDE), bins_of(a="fc", b="f", c="fc")),
    (RecursiveCLDiversity(c=2, l=2, **INSIDE), bins_of(a="fc", b="f", c="fc")),
    (TCloseness(t=0.1, **HALVES), bins_of(a="fc", b="f", c="fc")),
    (
        TCloseness(t=0.1, distance="ordered", order=("f", "c"), **HALVES),
        bins_of(a="fc", b="f", c="fc"),
    ),
    (AlphaKAnonymity(alpha=0.5, k=2, **INSIDE), bins_of(a="fc", b="f", c="fc")),
    (DeltaDisclosure(delta=0.1, **HALVES), bins_of(a="fc", b="f", c="fc")),
    (BetaLikeness(beta=0.1, **HALVES), bins_of(a="fc", b="f", c="fc")),
    (ConfidenceGain(gain=0.1, **HALVES), bins_of(a="fc", b="f", c="fc")),
    (ConfidenceGain(gain=0.4, facts=1, **HALVES), bins_of(a="ffcc", b="ff", c="fc")),
    (
        DeltaPresence(min=0, max=0.25, fields=Q, population=PEOPLE, hierarchies=MERGED),
        bins_of(a="f", b="f", c="f"),
    ),
    (
        NullMap(fields=Q, subjects=Bins.of(Q, {("b",): 1}), hierarchies=MERGED),
        bins_of(a="f", b="f", c="f"),
    ),
    (
        WrongMap(fields=Q, pairing=SWAPPED, hierarchies=MERGED),
        bins_of(a="f", b="f", c="f"),
    ),
    (SafeHarbor(fields=Q, zips=Q), bins_of(**{"021": "f", "0213*": "f"})),
]


@pytest.mark.parametrize(("model", "bins"), NO, ids=[model.name for model, _ in NO])
def test_a_bin_that_passes_may_fail_with_another(model, bins):
    assert not is_bin_monotone(model)
    assert not model.failing(bins)[0]
    if isinstance(model, SafeHarbor):
        odd = {"q": Hierarchy.from_rows([("021", "Boston"), ("0213*", "Boston")])}
        assert model.failing(bins.recode(odd, {"q": 1}))[0]
    else:
        assert model.failing(bins.recode(MERGED, {"q": 1}))[0]


def test_rules_about_the_whole_table_judge_no_bin_by_itself():
    for model in (
        AverageRisk(threshold=0.5, fields=Q),
        PopulationUniqueness(threshold=0.5, fields=Q),
    ):
        assert not is_bin_monotone(model)


def test_models_without_a_declaration():
    assert not is_bin_monotone(KAnonymity(k=2, fields=Q, reading=CellReading.WILDCARD))
    assert not is_bin_monotone(KAnonymity(k=2, fields=Q, nulls=NullRule.MATCHES_ANYTHING))
    assert not is_bin_monotone(BinSizes(sizes={"q": 2}))
    assert not is_bin_monotone(Combinations(k=2, combinations=(Q,), reading=CellReading.STRICT))
    assert needs_of(KAnonymity(k=2, fields=Q)) == ()


# Where a model says that it is not monotone, here is why.


def test_generalising_can_break_delta_disclosure_where_absent_values_are_ignored():
    """Alone, a bin of cold and gout has both at half: 1 from a quarter. Among flu, gout is rare."""
    shares = {"f": 0.5, "c": 0.25, "g": 0.25}
    bins = bins_of(a="ffff", b="cg", c="ccgg")
    model = DeltaDisclosure(delta=1.01, fields=Q, sensitive="s", reference=shares, absent="ignored")
    assert not model.failing(bins).any()
    assert model.failing(bins_of(ab="ffffffffcg", c="ccgg")).tolist() == [True, False]


def test_generalising_can_break_population_uniqueness():
    model = PopulationUniqueness(
        threshold=0.0055, fields=Q, sampling_fraction=0.1, estimator="zayatz"
    )
    fine = Bins.of(Q, {(str(n),): size for n, size in enumerate([1, *[4] * 20])})
    coarse = Bins.of(Q, {(str(n),): size for n, size in enumerate([1, 80])})
    assert model.uniqueness(fine) < model.uniqueness(coarse)


def test_leaving_bins_out_can_break_an_average():
    model = AverageRisk(threshold=0.3, fields=Q)
    bins = bins_of(a="fffffff", b="f", c="ff")
    assert not model.failing(bins).any()
    assert model.failing(bins.only(np.array([False, True, True]))).all()


def test_leaving_bins_out_can_break_a_wrong_map_and_a_presence():
    bins = bins_of(a="f", b="f", c="f")
    wrong = WrongMap(fields=Q, pairing=SWAPPED)
    presence = DeltaPresence(min=0.1, max=1, fields=Q, population=PEOPLE, hierarchies=MERGED)
    for model in (wrong, presence):
        assert not model.failing(bins).any()
        assert model.failing(bins.only(np.array([True, True, False]))).all()


def test_every_model_is_registered_once():
    classes = {model for declared in MODELS.all().values() for model in declared.models}
    assert len({model.name for model in classes}) == len(classes) > 20
    assert {model.name for model in classes if getattr(model, "reads_labels", False)} == {
        "k-map",
        "delta-presence",
        "null-map",
        "wrong-map",
        "Safe Harbor",
    }


def test_rows_of_counted_groups_pass_at_coarser_levels():
    assert is_row_monotone(BinSizes(sizes={"q": 2}))
    assert is_row_monotone(Combinations(k=2, combinations=(Q,), reading=CellReading.STRICT))
    assert not is_row_monotone(Combinations(k=2, combinations=(Q,)))
    assert not is_row_monotone(AverageRisk(threshold=0.5, fields=Q))


def test_a_model_says_itself_whether_it_reads_labels():
    assert reads_labels(SafeHarbor(fields=Q))
    assert not reads_labels(KAnonymity(k=2, fields=Q))
    for declared in MODELS.all().values():
        assert declared.reads_labels == any(
            getattr(model, "reads_labels", False) for model in declared.models
        )
