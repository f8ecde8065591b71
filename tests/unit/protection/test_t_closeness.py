"""t-closeness, with the numbers that Li, Li and Venkatasubramanian print (2007, sections 4.3 and
5)."""

import pytest

from sfumato.bins.toy_bins import bins_of_rows
from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy
from sfumato.protection import TCloseness, reference_of

ZIP = ("zip",)
# Their Table 3: nine people in three bins, salaries 3K to 11K.
SALARIES = {"476**, 2*": ["3", "4", "5"], "4790*": ["6", "11", "8"], "476**, 3*": ["7", "9", "10"]}
BINS = bins_of_rows(
    ZIP, [(z, s) for z, salaries in SALARIES.items() for s in salaries], sensitive=("salary",)
)
SHARES = reference_of(BINS, "salary")


def test_the_salaries_of_the_paper():
    """D[{3k, 4k, 5k}, Q] = 0.375 and D[{6k, 8k, 11k}, Q] = 0.167."""
    model = TCloseness(
        t=0.167, fields=ZIP, sensitive="salary", reference=SHARES, distance="ordered"
    )
    assert model.distances(BINS)[:2].tolist() == pytest.approx([0.375, 1 / 6])
    assert model.failing(BINS).tolist() == [True, False, True]
    assert model.judge(BINS).requirement == "t = 0.167 for salary, ordered distance"


def test_a_distance_of_exactly_t_passes():
    model = TCloseness(
        t=0.375, fields=ZIP, sensitive="salary", reference=SHARES, distance="ordered"
    )
    assert not model.failing(BINS).any()


def test_numbers_are_ordered_as_numbers_and_other_values_as_given():
    numbers = TCloseness(t=1, fields=ZIP, sensitive="salary", reference=SHARES, distance="ordered")
    given = TCloseness(
        t=1,
        fields=ZIP,
        sensitive="salary",
        reference=SHARES,
        distance="ordered",
        order=tuple(str(salary) for salary in range(12)),
    )
    assert numbers.distances(BINS).tolist() == given.distances(BINS).tolist()


def test_the_equal_distance_is_half_the_sum_of_differences():
    model = TCloseness(t=0.6, fields=ZIP, sensitive="salary", reference=SHARES)
    assert model.distances(BINS).tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3])


# Their Figure 3: diseases of the lungs and of the stomach, which meet under diseases.
DISEASES = [
    ("flu", "respiratory infection", "respiratory", "any"),
    ("pneumonia", "respiratory infection", "respiratory", "any"),
    ("bronchitis", "respiratory infection", "respiratory", "any"),
    ("pulmonary edema", "vascular lung", "respiratory", "any"),
    ("pulmonary embolism", "vascular lung", "respiratory", "any"),
    ("gastric ulcer", "stomach", "digestive", "any"),
    ("stomach cancer", "stomach", "digestive", "any"),
    ("gastritis", "stomach", "digestive", "any"),
    ("colitis", "colon", "digestive", "any"),
    ("colon cancer", "colon", "digestive", "any"),
]
TREE = Hierarchy.from_rows(DISEASES)


def distance_between(one, two):
    """What it costs to turn a bin of one disease into another."""
    bins = bins_of_rows(ZIP, [("a", one)], sensitive=("disease",))
    model = TCloseness(
        t=1,
        fields=ZIP,
        sensitive="disease",
        reference={two: 1.0},
        distance="hierarchical",
        hierarchy=TREE,
    )
    return model.distances(bins)[0]


def test_the_hierarchical_distances_of_the_paper():
    """Flu and bronchitis are 1/3 apart, flu and pulmonary embolism 2/3, flu and stomach cancer
    3/3."""
    assert distance_between("flu", "flu") == 0
    assert distance_between("flu", "bronchitis") == pytest.approx(1 / 3)
    assert distance_between("flu", "pulmonary embolism") == pytest.approx(2 / 3)
    assert distance_between("flu", "stomach cancer") == pytest.approx(1)


def test_a_hierarchy_without_one_top_gets_one():
    forest = Hierarchy.from_rows([("flu", "lungs"), ("cold", "lungs"), ("gout", "joints")])
    bins = bins_of_rows(ZIP, [("a", "flu"), ("b", "gout")], sensitive=("disease",))
    model = TCloseness(
        t=1,
        fields=ZIP,
        sensitive="disease",
        reference={"cold": 1.0},
        distance="hierarchical",
        hierarchy=forest,
    )
    assert model.distances(bins).tolist() == [0.5, 1]


def test_null_comes_last_in_an_order():
    bins = bins_of_rows(ZIP, [("a", "1"), ("b", None)], sensitive=("salary",))
    shares = {"1": 0.5, "2": 0.5, None: 0.0}
    model = TCloseness(t=1, fields=ZIP, sensitive="salary", reference=shares, distance="ordered")
    assert model.distances(bins).tolist() == [0.25, 0.75]


def test_a_single_value_is_at_no_distance_from_itself():
    bins = bins_of_rows(ZIP, [("a", "1"), ("a", "1")], sensitive=("salary",))
    tree = Hierarchy.from_rows([("1",)])
    for extra in ({"distance": "ordered"}, {"distance": "hierarchical", "hierarchy": tree}, {}):
        assert TCloseness(
            t=0, fields=ZIP, sensitive="salary", reference={"1": 1.0}, **extra
        ).distances(bins) == [0]


@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
def test_a_value_that_the_source_lacks_is_infinitely_far(distance):
    bins = bins_of_rows(ZIP, [("a", "7"), ("b", "1")], sensitive=("salary",))
    tree = Hierarchy.from_rows([("1", "*"), ("2", "*")])
    model = TCloseness(
        t=1,
        fields=ZIP,
        sensitive="salary",
        reference={"1": 0.5, "2": 0.5},
        distance=distance,
        hierarchy=tree,
    )
    assert model.failing(bins).tolist() == [True, False]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"distance": "ordered"}, "1 of 2 values are not plain decimal numbers"),
        ({"distance": "ordered", "order": ("1",)}, "1 of 2 values are not in it"),
        ({"distance": "hierarchical"}, "salary needs a hierarchy"),
        (
            {"distance": "hierarchical", "hierarchy": Hierarchy.from_rows([("1", "*")])},
            "1 of 2 values are not in it",
        ),
    ],
)
def test_what_a_distance_needs_is_asked_for(parameters, said):
    bins = bins_of_rows(ZIP, [("a", "1"), ("b", "secret")], sensitive=("salary",))
    model = TCloseness(
        t=1, fields=ZIP, sensitive="salary", reference={"1": 0.5, "secret": 0.5}, **parameters
    )
    with pytest.raises(Mistake, match=said) as caught:
        model.failing(bins)
    assert "secret" not in f"{caught.value} {model!r}"


def test_rows_that_can_never_stay():
    """Seven flu and one cold against halves with t = 1/4: 3 flu to 1 cold is as far as it goes."""
    bins = bins_of_rows(ZIP, [("a", "flu")] * 7 + [("a", "cold")], sensitive=("disease",))
    model = TCloseness(t=0.25, fields=ZIP, sensitive="disease", reference={"flu": 0.5, "cold": 0.5})
    assert model.stuck(bins).tolist() == [4]
    assert TCloseness(t=0.25, fields=ZIP, sensitive="disease", reference={"gout": 1.0}).stuck(
        bins
    ).tolist() == [8]
