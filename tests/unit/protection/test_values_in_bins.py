"""Models about the values inside each bin, on toy tables with numbers worked out by hand."""

import math

import pytest

from sfumato.bins import Bins
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.errors import Mistake
from sfumato.protection import (
    AlphaKAnonymity,
    BetaLikeness,
    ConfidenceGain,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    NonUniqueness,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    needs_of,
    reference_of,
)

ZIP = ("zip",)


def bins_of(**inside):
    """Bins by label, each a string of one-letter values: a(3) is `aaa`."""
    rows = [(label, value) for label, values in inside.items() for value in values]
    return bins_of_rows(ZIP, rows, sensitive=("problem",))


# Cellsecu, Table 1 (golden/cellsecu_table1.csv): bins 2, 3 and 4 are one row each, bin 5 has one
# test result.
CELLSECU = [
    (("160", "50", "A"), "110"),
    (("165", "55", "B"), "1"),
    (("170", "60", "B"), "0"),
    (("170", "60", "O"), "0"),
    (("170", "65", "O"), "11"),
]


def test_non_uniqueness_of_cellsecu_table_1():
    fields = ("height", "weight", "blood")
    bins = bins_of_rows(
        fields, [(*ek, u) for ek, results in CELLSECU for u in results], sensitive=("test",)
    )
    model = NonUniqueness(fields=fields, sensitive=("test",))
    assert model.failing(bins).tolist() == [False, True, True, True, True]
    assert model.judge(bins).reason == (
        "4 of 5 bins over (height, weight, blood) break it; they hold 5 of 8 rows; the fewest values in a bin: 1"
    )


def test_non_uniqueness_asks_it_of_every_sensitive_field():
    rows = [
        ("021", "flu", "yes"),
        ("021", "cold", "yes"),
        ("946", "flu", "no"),
        ("946", "cold", "yes"),
    ]
    bins = bins_of_rows(ZIP, rows, sensitive=("problem", "smokes"))
    assert NonUniqueness(fields=ZIP, sensitive=("problem",)).judge(bins).outcome == "pass"
    both = NonUniqueness(fields=ZIP, sensitive=("problem", "smokes"))
    assert both.failing(bins).tolist() == [True, False]
    assert both.fewest(bins).tolist() == [1, 2]


def test_null_is_a_value_among_the_others():
    bins = bins_of_rows(
        ZIP, [("021", "flu"), ("021", None), ("946", None), ("946", None)], sensitive=("problem",)
    )
    assert DistinctLDiversity(l=2, fields=ZIP, sensitive="problem").distinct(bins).tolist() == [
        2,
        1,
    ]


def test_distinct_l_diversity():
    bins = bins_of(a="fcg", b="ffcc", c="f")
    model = DistinctLDiversity(l=3, fields=ZIP, sensitive="problem")
    assert model.distinct(bins).tolist() == [3, 2, 1]
    assert model.failing(bins).tolist() == [False, True, True]
    assert model.judge(bins).requirement == "l = 3 for problem"


def test_entropy_l_diversity_of_equal_values_is_their_number():
    """Three equally frequent values have exactly the entropy of 3, whatever rounding does."""
    for many in range(2, 40):
        bins = bins_of(
            a="".join(chr(97 + n % 26) if n < 26 else chr(65 + n % 26) for n in range(many)) * 7
        )
        assert not EntropyLDiversity(l=many, fields=ZIP, sensitive="problem").failing(bins).any()


def test_entropy_l_diversity():
    bins = bins_of(a="ffc", b="fc")
    model = EntropyLDiversity(l=1.8, fields=ZIP, sensitive="problem")
    assert model.entropies(bins).tolist() == pytest.approx(
        [math.log(3) - 2 / 3 * math.log(2), math.log(2)]
    )
    assert math.exp(model.entropies(bins)[0]) == pytest.approx(1.88988)
    assert model.judge(bins).outcome == "pass"
    assert EntropyLDiversity(l=1.9, fields=ZIP, sensitive="problem").failing(bins).tolist() == [
        True,
        False,
    ]
    assert EntropyLDiversity(l=3, fields=ZIP, sensitive="problem").stuck(bins).tolist() == [3, 2]


def test_recursive_diversity():
    """Counts 3, 2, 1: r1 = 3 against c * (r2 + r3) = 3c for l = 2 and c * r3 = c for l = 3."""
    bins = bins_of(a="fffccg")

    def fails(c, least):
        return RecursiveCLDiversity(c=c, l=least, fields=ZIP, sensitive="problem").failing(
            bins
        ).tolist() == [True]

    assert [fails(1, 2), fails(1.01, 2)] == [True, False]
    assert [fails(3, 3), fails(3.01, 3)] == [True, False]
    assert [fails(9, 4), fails(0.51, 1)] == [True, False]


def test_recursive_diversity_says_how_many_rows_can_never_stay():
    """Nine flu and two others with c = 2, l = 2: at most 3 flu can stay, so 6 rows are stuck."""
    model = RecursiveCLDiversity(c=2, l=2, fields=ZIP, sensitive="problem")
    assert model.stuck(bins_of(a="fffffffffcg")).tolist() == [6]


def test_p_sensitive_k_anonymity():
    rows = [
        ("021", "flu", "y"),
        ("021", "cold", "n"),
        ("021", "cold", "n"),
        ("946", "flu", "y"),
        ("946", "cold", "n"),
    ]
    bins = bins_of_rows(ZIP, rows, sensitive=("problem", "smokes"))
    model = PSensitiveKAnonymity(p=2, k=3, fields=ZIP, sensitive=("problem", "smokes"))
    assert model.failing(bins).tolist() == [False, True]
    assert PSensitiveKAnonymity(p=3, k=2, fields=ZIP, sensitive=("problem",)).failing(
        bins
    ).tolist() == [True, True]
    assert model.judge(bins).smallest == 2


def test_alpha_k_anonymity():
    bins = bins_of(a="ffc", b="fc", c="fccc")
    assert AlphaKAnonymity(alpha=2 / 3, k=2, fields=ZIP, sensitive="problem").failing(
        bins
    ).tolist() == [
        False,
        False,
        True,
    ]
    assert AlphaKAnonymity(alpha=2 / 3, k=3, fields=ZIP, sensitive="problem").failing(
        bins
    ).tolist() == [
        False,
        True,
        True,
    ]
    flu = AlphaKAnonymity(alpha=0.5, k=2, fields=ZIP, sensitive="problem", values=("f",))
    assert flu.largest_shares(bins).tolist() == pytest.approx([2 / 3, 1 / 2, 1 / 4])
    assert flu.failing(bins).tolist() == [True, False, False]
    assert flu.judge(bins).requirement == "alpha = 0.5 for 1 value of problem, k = 2"


def test_alpha_k_anonymity_says_how_many_rows_can_never_stay():
    """Three flu, one cold: with alpha = 1/2 one flu can stay beside the cold; with k = 3 nothing
    can."""
    bins = bins_of(a="fffc")
    assert AlphaKAnonymity(alpha=0.5, k=2, fields=ZIP, sensitive="problem").stuck(
        bins
    ).tolist() == [2]
    assert AlphaKAnonymity(alpha=0.5, k=3, fields=ZIP, sensitive="problem").stuck(
        bins
    ).tolist() == [4]


SOURCE = bins_of(a="ffc", b="fccc", c="g")  # f 3/8, c 4/8, g 1/8
SHARES = reference_of(SOURCE, "problem")


def test_delta_disclosure():
    """Bin a: f has 2/3 of the bin and 3/8 of the source, log2(16/9) = 0.83; c log2(2/3) = -0.58; g
    is missing."""
    ignored = DeltaDisclosure(
        delta=1, fields=ZIP, sensitive="problem", reference=SHARES, absent="ignored"
    )
    assert ignored.disclosures(SOURCE)[:2].tolist() == pytest.approx(
        [math.log2(16 / 9), math.log2(3 / 2)]
    )
    assert ignored.disclosures(SOURCE)[2] == 3
    assert ignored.failing(SOURCE).tolist() == [False, False, True]
    published = DeltaDisclosure(delta=1, fields=ZIP, sensitive="problem", reference=SHARES)
    assert published.failing(SOURCE).tolist() == [True, True, True]
    assert published.failing(bins_of(a="ffcccgff", b="gcccccff")).tolist() == [False, False]
    assert (published.monotone_generalisation, ignored.monotone_generalisation) == (True, False)


def test_delta_disclosure_is_strict():
    bins = bins_of(a="fc", b="ffffffcc")
    model = DeltaDisclosure(
        delta=1, fields=ZIP, sensitive="problem", reference={"f": 0.25, "c": 0.75}
    )
    assert model.disclosures(bins)[0] == 1
    assert model.failing(bins).tolist() == [True, True]


def test_beta_likeness():
    """Bin a: f gains (2/3 - 3/8)/(3/8) = 7/9. Bin b: c gains 1/2. Bin c: g gains 7; -ln(1/8) =
    2.08."""
    basic = BetaLikeness(beta=7, fields=ZIP, sensitive="problem", reference=SHARES, enhanced=False)
    assert basic.gains(SOURCE).tolist() == pytest.approx([7 / 9, 1 / 2, 7])
    assert not basic.failing(SOURCE).any()
    enhanced = BetaLikeness(beta=7, fields=ZIP, sensitive="problem", reference=SHARES)
    assert enhanced.failing(SOURCE).tolist() == [False, False, True]
    tight = BetaLikeness(beta=0.6, fields=ZIP, sensitive="problem", reference=SHARES)
    assert tight.failing(SOURCE).tolist() == [True, False, True]


def confident(gain, facts=0, reference=SHARES):
    return ConfidenceGain(
        gain=gain, facts=facts, fields=ZIP, sensitive="problem", reference=reference
    )


def test_confidence_gain():
    """Bin a: f gains (2/3 - 3/8)/(5/8) = 7/15. Bin b: c gains (3/4 - 1/2)/(1/2) = 1/2. Bin c: g is
    certain."""
    assert confident(0.5).gains(SOURCE).tolist() == pytest.approx([7 / 15, 1 / 2, 1])
    assert confident(0.5).failing(SOURCE).tolist() == [False, False, True]
    assert confident(0.49).failing(SOURCE).tolist() == [False, True, True]
    assert (
        confident(0.46)
        .judge(SOURCE)
        .reason.endswith("they hold 8 of 8 rows; the largest gain is 1")
    )


def test_each_fact_takes_one_row_away_that_is_not_the_one():
    """Of a bin ffcccggg, g is 3/8, 3/7, 3/6, 3/5, 3/4 and 3/3 with up to five facts; its share is
    1/8."""
    bins = bins_of(a="ffcccggg")
    for facts, belief in enumerate((3 / 8, 3 / 7, 3 / 6, 3 / 5, 3 / 4, 1, 1, 1, 1, 1)):
        gained = (belief - 1 / 8) / (7 / 8)  # c has as many rows, and half of the source has it
        assert confident(0.5, facts).gains(bins).tolist() == pytest.approx([gained])
    assert confident(0.5, 2).judge(bins).requirement == "gain = 0.5 for problem, 2 known facts"
    assert confident(0.5, 1).judge(bins).requirement == "gain = 0.5 for problem, 1 known fact"


def test_nothing_is_gained_about_what_everybody_has():
    everybody = confident(0.1, 2, reference={"f": 1.0})
    bins = bins_of(a="fff", b="f")
    assert everybody.gains(bins).tolist() == [0, 0]
    assert not everybody.failing(bins).any()
    assert not everybody.stuck(bins).any()


def test_a_value_that_the_source_lacks_was_believed_by_nobody():
    model = confident(0.3, reference={"f": 0.5, "c": 0.5})
    assert model.gains(bins_of(a="fcx", b="ffccx")).tolist() == pytest.approx([1 / 3, 1 / 5])
    assert model.failing(bins_of(a="fcx", b="ffccx")).tolist() == [True, False]


def test_confidence_gain_says_how_many_rows_can_never_stay():
    """Half of the source each, gain 1/2: 3/4 may be one value. Nine f beside two c: six f may stay
    without facts.

    With a fact, three quarters of all rows but one: of f and c together at least three rows.
    """
    halves = {"f": 0.5, "c": 0.5}
    assert confident(0.5, reference=halves).stuck(bins_of(a="fffffffffcc")).tolist() == [3]
    assert confident(0.5, 1, reference=halves).stuck(bins_of(a="f", b="fc", c="ffcc")).tolist() == [
        1,
        2,
        0,
    ]


def test_a_value_that_the_source_lacks_breaks_what_looks_at_the_source():
    bins = bins_of(a="fcgx")
    for model in (
        DeltaDisclosure(
            delta=50, fields=ZIP, sensitive="problem", reference=SHARES, absent="ignored"
        ),
        BetaLikeness(beta=50, fields=ZIP, sensitive="problem", reference=SHARES, enhanced=False),
    ):
        assert model.failing(bins).tolist() == [True]
        assert model.judge(bins).reason.endswith("inf")


def test_what_a_model_needs_must_have_been_counted():
    model = DistinctLDiversity(l=2, fields=ZIP, sensitive="problem")
    assert needs_of(model) == ("problem",)
    assert needs_of([model, NonUniqueness(fields=ZIP, sensitive=("sex", "problem"))]) == (
        "problem",
        "sex",
    )
    with pytest.raises(
        Mistake, match=r"without the values of problem inside them[^$]*sensitive=\('problem',\)"
    ):
        model.failing(Bins.of(ZIP, {("021",): 3}))
