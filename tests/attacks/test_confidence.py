"""Confidence: the attacker knows Alice's bin, and of one or two others in it that they do not have
what she has.

Bob lives next door to Alice and to Carol. He finds the bin that both are in: of its five rows four
say the same, and Carol told him that she does not have it. So Alice does (Machanavajjhala et al.
2006, section 2; Martin et al. 2007). Nothing has to be homogeneous, and l different values are
there.

For each bin and each diagnosis, Bob knows of some people in the bin that they do not have it and
claims it of all others. What counts is the confidence that he gains over the best guess without the
release, the share in the whole clinic: (rate - share) / (1 - share), 0 for guessing and 1 for
knowing (Francis 2018; Giomi et al. 2022).

The control are the k-anonymous and the l-diverse release, in which the same Bob is right nearly
always."""

from __future__ import annotations

from collections import Counter, defaultdict

import clinic
import pytest
from clinic import Attacker, interval, people

EVERYONE = people()
PRIOR = {value: n / len(EVERYONE) for value, n in Counter(p["diagnosis"] for p in EVERYONE).items()}
GAINS = {"none": (0.15, 0), "one": (0.15, 1), "two": (0.15, 2), "strict": (0.1, 2)}
ASKED = {
    "k": {"k": 5},
    "l": {"k": 5, "l_diversity": {"l": 2}},
    **{
        name: {"confidence_gain": {"gain": gain, "facts": facts}}
        for name, (gain, facts) in GAINS.items()
    },
}


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """Per release, the people of each of its bins, as the attacker finds them."""
    folder = tmp_path_factory.mktemp("confidence")
    out = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sfumato.releases.one_row_flow.render", lambda facts: ""
        )  # the page has tests of its own
        for name, require in ASKED.items():
            rows = clinic.released(EVERYONE, folder / name, **require)
            attacker = Attacker(rows, EVERYONE)
            bins = defaultdict(list)
            for person in EVERYONE:
                for labels in attacker.fitting(person):
                    bins[labels].append(person)
            assert sum(map(len, bins.values())) == len(rows) >= 0.9 * len(EVERYONE)
            out[name] = list(bins.values())
    return out


def claims(bins, *, facts):
    """Of each bin and diagnosis in it: the diagnosis, how often the attacker claims it, and how
    often rightly.

    They know `facts` people who do not have it, or all of those where there are fewer.
    """
    out = []
    for inside in bins:
        for value in sorted({person["diagnosis"] for person in inside}):
            others = [person for person in inside if person["diagnosis"] != value]
            about = [person for person in inside if person["diagnosis"] == value] + others[facts:]
            out.append((value, len(about), sum(person["diagnosis"] == value for person in about)))
    return out


def gained(claimed):
    """The most confidence that is gained in one diagnosis in one bin."""
    return max((right / made - PRIOR[value]) / (1 - PRIOR[value]) for value, made, right in claimed)


def certain(claimed):
    """The people of whom the attacker is sure and right."""
    return sum(made for _, made, right in claimed if made == right)


def best(claimed, *, least):
    """How many claims are made, and right, and would be as a guess, where the attacker is surest;
    `least` or more."""
    made = right = guessed = 0
    for value, more, hits in sorted(claimed, key=lambda claim: -claim[2] / claim[1]):
        if made >= least:
            break
        made, right, guessed = made + more, right + hits, guessed + PRIOR[value] * more
    return made, right, guessed


@pytest.mark.parametrize("facts", [0, 1, 2])
def test_control_k_anonymity_does_not_resist(together, facts):
    claimed = claims(together["k"], facts=facts)
    assert gained(claimed) == 1
    assert certain(claimed) >= 20


@pytest.mark.parametrize("facts", [1, 2])
def test_control_two_values_do_not_resist_a_fact(together, facts):
    """Without facts nothing is certain; with one or two, what is claimed of many is right, and a
    guess seldom is."""
    assert certain(claims(together["l"], facts=0)) == 0
    claimed = claims(together["l"], facts=facts)
    assert certain(claimed) >= 15
    made, right, guessed = best(claimed, least=50)
    assert interval(right, made)[0] > 0.7
    assert guessed / made < 0.35


@pytest.mark.parametrize(
    ("name", "gain", "facts"), [(name, *asked) for name, asked in GAINS.items()]
)
def test_confidence_gain_bounds_what_is_gained(together, name, gain, facts):
    """For every diagnosis in every bin, and so for the surest of all claims, with as many facts or
    fewer."""
    for known in range(facts + 1):
        claimed = claims(together[name], facts=known)
        assert gained(claimed) <= gain + 1e-9
        made, right, guessed = best(claimed, least=50)
        assert (right - guessed) / (made - guessed) <= gain + 1e-9
    assert gained(claims(together["k"], facts=facts)) > gain
    assert gained(claims(together["l"], facts=facts)) > gain


def test_it_is_not_kept_by_making_one_bin(together):
    """The bound is nearly reached, and more facts that are reckoned with make larger bins."""
    for name, (gain, facts) in GAINS.items():
        assert len(together[name]) >= 5
        assert gained(claims(together[name], facts=facts)) > 0.8 * gain
    assert len(together["none"]) > len(together["two"])


def test_known_limit_more_facts_than_were_reckoned_with(together):
    """Not protected, and documented: who knows enough others is certain of the rest, whatever was
    released."""
    assert gained(claims(together["two"], facts=len(EVERYONE))) == 1
    assert gained(claims(together["none"], facts=2)) > GAINS["none"][0]


def test_known_limit_ruling_out_what_the_person_does_not_have(together):
    """Not protected, and documented: a fact about the person takes a whole diagnosis away, not one
    row."""
    claimed = []
    for inside in together["two"]:
        counts = Counter(person["diagnosis"] for person in inside)
        for value, right in counts.items():
            claimed += [
                (value, counts.total() - n, right) for other, n in counts.items() if other != value
            ]
    assert gained(claimed) > GAINS["two"][0]
