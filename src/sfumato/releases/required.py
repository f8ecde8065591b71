"""What a policy requires, as the verdicts that a release must have: one for each requirement, no more and no fewer.

A requirement is read from the policy by itself, never from a manifest or from the models that were built, so that one
that nobody judged is noticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from sfumato.bins import Bins, Pairing
from sfumato.errors import CandidateFailed
from sfumato.policy import Field, KMapRequirement, Policy, Requirements, Scrubbing, scrubbed_fields
from sfumato.protection import Verdict

from .requirements import models_for
from .texts.wording import SCRUBBED

SETTINGS = ("quasi_identifiers", "max_suppression", "reading")
"""Keys of [require] that say how others are judged and name no model; max_suppression is checked apart."""
IN_TABLES = ("k_m",)
"""Keys that only a release whose rows are counted by person can judge."""
POPULATION, SOURCE, PAIRING, WEIGHTS, READER = "population", "source", "pairing", "weights", "reader"
OUTSIDE = {
    "k_map": POPULATION,
    "delta_presence": POPULATION,
    "t_closeness": SOURCE,
    "delta_disclosure": SOURCE,
    "beta_likeness": SOURCE,
    "confidence_gain": SOURCE,
    "null_map": PAIRING,
    "wrong_map": PAIRING,
}
"""What a requirement needs besides the released table."""
_COUNTED = re.compile(r"\bof [\d,]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Required:
    """A requirement of the policy and the verdict that answers it. `needs` is what it takes besides the release.

    `requirement` has N in place of numbers of people that only the source or a population tells.
    """

    key: str
    model: str
    requirement: str
    fields: tuple[str, ...]
    needs: str = ""

    @property
    def name(self) -> str:
        return f"{self.model} ({self.requirement})"


def shape(requirement: str) -> str:
    """The text of a requirement without the numbers of people in it.

    Example:
        >>> shape("k = 3 in a population of 1200, estimated from survey weights")
        'k = 3 in a population of N estimated from survey weights'
    """
    return _COUNTED.sub("of N", requirement)


def asked_keys(require: Requirements) -> tuple[str, ...]:
    """The keys of [require] that ask for something, in the order of the record."""
    usual = Requirements()
    return tuple(
        each.name
        for each in fields(Requirements)
        if each.name not in SETTINGS and getattr(require, each.name) != getattr(usual, each.name)
    )


def required_of_bins(policy: Policy, known: tuple[str, ...], rows: int, *, bins: Bins) -> Iterator[Required]:
    """What is required of the bins of one table with one row per person.

    `bins` are those of the release, with the sensitive values that requirements look at: one of them is judged, to
    learn what a verdict is called.
    """
    some = bins.only(np.arange(len(bins)) < 1)
    nobody = [(None,) * len(known)]
    for key in asked_keys(policy.require):
        if key in IN_TABLES:
            continue
        models = models_for(
            _asking_only(policy, key),
            known,
            rows,
            population=some.project(_named_fields(policy, key, known)),
            hierarchies={},
            source=some,
            people=some.project(_named_fields(policy, key, known)),
            pairing=Pairing.of(known, subjects=nobody, released=nobody, own=(0,)),
        )
        asked = getattr(policy.require, key)
        needs = WEIGHTS if isinstance(asked, KMapRequirement) and asked.weight else OUTSIDE.get(key, "")
        if not models and not _is_void(policy, key, known):
            yield Required(key=key, model=key, requirement="nothing judges it", fields=())
        for verdict in (model.judge(some) for model in models):
            yield Required(
                key=key,
                model=verdict.model,
                requirement=shape(verdict.requirement),
                fields=verdict.fields,
                needs=needs,
            )


def required_of_texts(fields: Mapping[str, Field], *, table: str = "") -> Iterator[Required]:
    """A verdict on each text field that is released, which says for what it was scrubbed."""
    for name in scrubbed_fields(fields):
        purpose = (fields[name].scrub or Scrubbing()).purpose.value
        called = f"{table}.{name}" if table else name
        yield Required(key="texts", model=SCRUBBED, requirement=f"purpose: {purpose}", fields=(called,), needs=READER)


def _is_void(policy: Policy, key: str, known: tuple[str, ...]) -> bool:
    """Whether a requirement is about fields that this recipient does not link on, or asks for bins of any size."""
    if key == "bin_sizes":
        return not any(name in known for name in policy.require.bin_sizes)
    if key == "key_combinations":
        return not any(name in known for asked in policy.require.key_combinations for name in asked.fields)
    return key == "anonymity" and policy.solve.solver == "datafly"


def _asking_only(policy: Policy, key: str) -> Policy:
    """The policy with one requirement, and how it is read."""
    require = policy.require
    kept = {name: getattr(require, name) for name in (*SETTINGS, key)}
    return replace(policy, require=replace(Requirements(), **kept))


def _named_fields(policy: Policy, key: str, known: tuple[str, ...]) -> tuple[str, ...]:
    asked = getattr(policy.require, key)
    return tuple(name for name in getattr(asked, "fields", ()) or known if name in known)


def matches(required: Required, *, model: str, requirement: str, fields: Sequence[str]) -> bool:
    """Whether a verdict is the one on this requirement."""
    return (required.model, required.requirement, required.fields) == (model, shape(requirement), tuple(fields))


def check_all_judged(required: Sequence[Required], verdicts: Sequence[Verdict]) -> None:
    """Refuse to publish what has a requirement without a verdict, or a verdict that nothing requires."""
    left = list(verdicts)
    unjudged = []
    for one in required:
        found = [v for v in left if matches(one, model=v.model, requirement=v.requirement, fields=v.fields)]
        if found:
            left.remove(found[0])
        else:
            unjudged.append(f"{one.key} ({one.model})")
    if unjudged or left:
        told = [f"no verdict on {name}" for name in unjudged]
        told += [f"a verdict on {verdict.model} that the policy does not require" for verdict in left]
        raise CandidateFailed(
            "The candidate was written, and not everything that the policy requires was judged.",
            found="; ".join(told) + ".",
            attempt="leaving these requirements out; the candidate was removed and nothing was released.",
        )
