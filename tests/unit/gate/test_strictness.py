"""Provably stricter: an order on policies that only goes one way, and that answers keep to."""

from __future__ import annotations

import random
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from example_counts import example_count
from gates import ANN, POLICY, a_gate, people
from hypothesis import given, settings
from hypothesis import strategies as some

from sfumato.gate.policy_versions import as_table
from sfumato.gate.settings import Audience, Budget, Mode, Terms
from sfumato.gate.strictness import TERMS, loosened, loosened_terms
from sfumato.parts import parameters_of
from sfumato.policy import (
    MODELS,
    SETTINGS,
    CellReading,
    Order,
    Policy,
    RecipientProfile,
    RequirementForm,
    Requirements,
    Role,
    SolveSettings,
    policy_from_table,
)
from sfumato.protection import (
    AlphaKRequirement,
    BetaLikenessRequirement,
    ConfidenceGainRequirement,
    DeltaDisclosureRequirement,
    Diversity,
    KeyCombination,
    LDiversityRequirement,
    NonUniquenessRequirement,
    PSensitiveRequirement,
    TClosenessRequirement,
    ValueSpreadRequirement,
)

sys.path.insert(0, str(Path(__file__).parents[2] / "contracts"))
from asked_of_models import policy_table

BASE = policy_from_table(as_table(POLICY))
FIELDS = some.sampled_from([(), ("test",), ("test", "cost")])
SHARE = some.sampled_from([0.1, 0.2, 0.3])
FEW = some.integers(2, 4)


def several(records):
    return some.lists(records, max_size=2).map(tuple)


def or_none(values):
    return some.none() | values


REQUIREMENTS = some.builds(
    Requirements,
    k=or_none(FEW),
    bin_sizes=some.dictionaries(some.sampled_from(["age", "town"]), FEW),
    key_combinations=several(some.builds(KeyCombination, k=FEW, fields=some.just(("age", "sex")))),
    non_uniqueness=or_none(some.builds(NonUniquenessRequirement, fields=FIELDS)),
    l_diversity=several(
        some.builds(LDiversityRequirement, l=FEW, kind=some.sampled_from(Diversity), fields=FIELDS)
    ),
    t_closeness=several(some.builds(TClosenessRequirement, t=SHARE, fields=FIELDS)),
    value_spread=several(some.builds(ValueSpreadRequirement, width=SHARE, fields=FIELDS)),
    p_sensitive=several(some.builds(PSensitiveRequirement, p=FEW, k=FEW, fields=FIELDS)),
    alpha_k=several(some.builds(AlphaKRequirement, alpha=SHARE, k=FEW, fields=FIELDS)),
    delta_disclosure=several(some.builds(DeltaDisclosureRequirement, delta=SHARE, fields=FIELDS)),
    beta_likeness=several(some.builds(BetaLikenessRequirement, beta=SHARE, fields=FIELDS)),
    confidence_gain=several(
        some.builds(ConfidenceGainRequirement, gain=SHARE, facts=some.integers(0, 2), fields=FIELDS)
    ),
    average_risk=or_none(SHARE),
    maximum_risk=or_none(SHARE),
    max_suppression=SHARE,
    reading=some.sampled_from(CellReading),
)
ROLES = some.sampled_from([Role.DIRECT, Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE])


@some.composite
def policies(draw) -> Policy:
    """A policy with any roles, some fields left out, and any requirements."""
    kept = {
        name: replace(field, role=draw(ROLES) if draw(some.booleans()) else field.role)
        for name, field in BASE.fields.items()
        if draw(some.integers(0, 5))
    }
    require = draw(REQUIREMENTS) if draw(some.booleans()) else BASE.require
    order = draw(some.sampled_from([Order.SCRAMBLE, Order.SCRAMBLE, Order.KEEP]))
    return replace(BASE, fields=kept, require=require, order=order)


@given(policies())
@settings(max_examples=example_count(100), deadline=None)
def test_a_policy_is_as_strict_as_itself(policy):
    assert loosened(policy, policy) == ()


@given(policies(), policies(), policies())
@settings(max_examples=example_count(300), deadline=None)
def test_what_is_stricter_than_something_stricter_is_stricter(one, two, three):
    if not loosened(one, two) and not loosened(two, three):
        assert loosened(one, three) == ()


@given(policies(), policies())
@settings(max_examples=example_count(300), deadline=None)
def test_only_equal_policies_are_stricter_than_each_other(one, two):
    if not loosened(one, two) and not loosened(two, one):
        shown = [
            {n: f for n, f in policy.fields.items() if f.role is not Role.DIRECT}
            for policy in (one, two)
        ]
        assert shown[0] == shown[1]
        left = [replace(policy, fields={}, require=_plain(policy.require)) for policy in (one, two)]
        assert left[0] == left[1]


def _plain(require: Requirements) -> Requirements:
    """Without the repetitions that say nothing: a requirement that follows from another one of the
    same model."""
    several = [key for key in require.keys if MODELS[key].form is RequirementForm.TABLES]
    return replace(require, quasi_identifiers=()).without(several)


STRICTER = {
    "k": {"require": {"k": 6}},
    "a further rule": {"require": {"k": 5, "confidence_gain": {"gain": 0.1, "facts": 2}}},
    "less suppression": {"require": {"k": 5, "max_suppression": 0.0}},
    "a role": {"fields": {"cost": {"role": "sensitive"}}},
    "a field that is never shown": {"fields": {"cost": {"role": "direct"}}},
    "fewer widths": {"fields": {"age": {"hierarchy": {"numbers": {"widths": [10, 20]}}}}},
}
LOOSER = {
    "k": {"require": {"k": 4}},
    "no k": {"require": {"k": None, "confidence_gain": {"gain": 0.1}}},
    "suppression": {"require": {"max_suppression": 0.1}},
    "a role": {"fields": {"test": {"role": "insensitive"}}},
    "a name": {"fields": {"name": {"role": "insensitive"}}},
    "known": {"fields": {"age": {"role": "sensitive", "hierarchy": None}}},
    "widths": {"fields": {"age": {"hierarchy": {"numbers": {"widths": [5, 10, 20, 40]}}}}},
    "a tree": {
        "fields": {
            "town": {"hierarchy": {"tree": {"all": ["Aberdeen", "Bergen", "Cadiz", "Delphi"]}}}
        }
    },
    "who receives it": {"recipient": {"friends": {"default_linking": 0.0}}},
    "whose rows": {"entity": "name"},
    "the solver": {"solve": {"seed": 3}},
    "order": {"order": "keep"},
    "nulls": {"nulls": "matches-anything"},
    "a new field": {"fields": {"more": {"role": "insensitive"}}},
}


def _changed(changes) -> Policy:
    def laid(old, new):
        out = dict(old)
        for name, value in new.items():
            if value is None:
                out.pop(name, None)
            else:
                out[name] = (
                    laid(old.get(name, {}), value)
                    if isinstance(value, dict) and name != "hierarchy"
                    else value
                )
        return out

    return policy_from_table(laid(as_table(POLICY), changes))


@pytest.mark.parametrize("changes", STRICTER.values(), ids=STRICTER)
def test_changes_that_are_stricter(changes):
    assert loosened(BASE, _changed(changes)) == ()


@pytest.mark.parametrize("changes", LOOSER.values(), ids=LOOSER)
def test_changes_that_are_not(changes):
    assert loosened(BASE, _changed(changes)) != ()


@pytest.mark.parametrize("part", [part.name for part in fields(Policy)])
def test_a_part_that_nobody_has_thought_about_waits(part):
    """Whatever is put in place of a part: unless a rule knows its direction, the change is not
    stricter."""
    strange = (
        replace(BASE, **{part: object()})
        if part not in ("require", "fields", "recipients")
        else None
    )
    if strange is not None:
        assert loosened(BASE, strange) == (() if part in ("name", "folder") else (part,))


FULL = Requirements(
    k=5, bin_sizes={"age": 5}, average_risk=0.1, maximum_risk=0.1, max_suppression=0.0,
    key_combinations=(KeyCombination(k=5, fields=("age",)),), non_uniqueness=NonUniquenessRequirement(),
    l_diversity=(LDiversityRequirement(l=2),), t_closeness=(TClosenessRequirement(t=0.1),),
    p_sensitive=(PSensitiveRequirement(p=2, k=5),), alpha_k=(AlphaKRequirement(alpha=0.5, k=5),),
    delta_disclosure=(DeltaDisclosureRequirement(delta=1.0),), beta_likeness=(BetaLikenessRequirement(beta=1.0),),
    confidence_gain=(ConfidenceGainRequirement(gain=0.1),),
)  # fmt: skip


@pytest.mark.parametrize("part", [*SETTINGS, *FULL.keys])
def test_no_requirement_is_taken_away(part):
    empty = Requirements(max_suppression=0.5, reading=CellReading.WILDCARD)
    less = (
        replace(FULL, **{part: getattr(empty, part)}) if part in SETTINGS else FULL.without([part])
    )
    before, after = replace(BASE, require=FULL), replace(BASE, require=less)
    assert loosened(before, after) == (() if less == FULL else (f"require.{part}",))


def test_a_profile_may_not_go_away_with_what_it_alone_is_taken_to_know():
    knows, not_ = (
        RecipientProfile(name=name, default_linking=share)
        for name, share in (("a", 1.0), ("b", 0.0))
    )
    both = replace(BASE, recipients={"a": knows, "b": not_})
    assert loosened(both, replace(both, recipients={"a": knows})) == ()
    assert loosened(both, replace(both, recipients={"b": not_})) != ()
    assert (
        loosened(
            both, replace(both, recipients={"a": knows, "b": replace(not_, default_linking=1.0)})
        )
        == ()
    )


@pytest.mark.parametrize("key", [key for key in MODELS if key not in BASE.require.keys])
def test_a_model_without_a_direction_waits_and_one_with_is_stricter(key):
    """Nothing that a model asks for is taken to be stricter unless its declaration says in which
    direction."""
    asked = policy_from_table(policy_table(key)).require.each(key)
    after = replace(BASE, require=replace(BASE.require, asked={**BASE.require.asked, key: asked}))
    has_direction = any(each.stricter for each in parameters_of(MODELS[key].record))
    assert loosened(BASE, after) == (() if has_direction else (f"require.{key}",))
    assert loosened(after, BASE) == (f"require.{key}",)


# ------------------------------------------------------------------ terms

TERMS_OF = some.builds(
    Terms,
    mode=some.sampled_from(Mode),
    audience=some.sampled_from(Audience),
    budget=some.builds(Budget, query=SHARE, person=SHARE, table=SHARE),
    least=FEW,
    rows_per_person=FEW,
    bounds=some.dictionaries(
        some.sampled_from(["cost", "age"]), some.sampled_from([(0.0, 1.0), (0.0, 9.0)])
    ),
)


@given(TERMS_OF, TERMS_OF, TERMS_OF)
@settings(max_examples=example_count(300), deadline=None)
def test_terms_are_ordered_as_well(one, two, three):
    assert loosened_terms(one, one) == ()
    if not loosened_terms(one, two) and not loosened_terms(two, three):
        assert loosened_terms(one, three) == ()
    if not loosened_terms(one, two) and not loosened_terms(two, one):
        assert one == two


def test_every_part_of_terms_without_a_rule_waits():
    assert set(TERMS) <= {part.name for part in fields(Terms)}
    for part in fields(Terms):
        if part.name not in TERMS:
            assert loosened_terms(Terms(), replace(Terms(), **{part.name: object()})) == (
                part.name,
            )


# ------------------------------------------------------------------ what answers keep to


@pytest.mark.parametrize("seed", range(4))
def test_what_a_stricter_policy_offers_the_policy_before_it_offers_as_exactly(tmp_path, seed):
    """Every shape under the stricter policy is at or above one under the policy before it."""
    draw = random.Random(seed)
    rules = [
        {"k": draw.randint(2, 8)},
        {"k": 3, "l_diversity": {"l": 2}},
        {
            "k": 3,
            "confidence_gain": {"gain": draw.choice([0.2, 0.4, 0.8]), "facts": draw.randint(0, 2)},
        },
    ]
    before, after = draw.choice(rules), draw.choice(rules)
    after = {**before, **after, "k": max(before["k"], after["k"])}
    policy = [_changed({"require": {"k": None}, **{"require": rule}}) for rule in (before, after)]
    if loosened(policy[0], policy[1]):
        policy.reverse()
        before, after = after, before
    if loosened(policy[0], policy[1]):
        return
    offers = []
    for number, rule in enumerate((before, after)):
        text = POLICY.replace(
            "k = 5", "\n".join(f"{name} = {_toml(value)}" for name, value in rule.items())
        )
        with a_gate(tmp_path / str(number), people(250, seed=seed), policy=text) as gate:
            offer = gate.keeper.look(ANN, "SELECT age, town, sex, test FROM people").shapes
            offers.append([dict(shape.levels) for shape in offer])
    for shape in offers[1]:
        assert any(
            all(finer[name] <= level for name, level in shape.items()) for finer in offers[0]
        )


def _toml(value) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {part}" for name, part in value.items()) + " }"
    return str(value)


def test_solve_settings_are_a_part_without_a_direction():
    assert loosened(BASE, replace(BASE, solve=SolveSettings(seed=9))) == ("solve",)
