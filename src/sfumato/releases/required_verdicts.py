"""The requirements of a policy, as the verdicts that a release must have: one for each requirement,
no more and no fewer.

A requirement is read from the policy by itself, never from a manifest or from the models that were
built. One that nobody judged is therefore noticed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.bins import Bins, Pairing
from sfumato.errors import CandidateFailed
from sfumato.policy import (
    Field,
    LooksAt,
    OutsideNeed,
    Policy,
    ScrubPolicy,
    declared_model,
    scrubbed_fields,
)
from sfumato.protection import MODELS, Model, Verdict

from .requirements import models_for, reads_itself
from .texts.treatment_words import SCRUBBED

_COUNTED = re.compile(r"\bof [\d,]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredVerdict:
    """A requirement of the policy and the verdict that answers it. `needs` is what it takes besides
    the release.

    `requirement` has N in place of numbers of people that need the source or a population.
    """

    key: str
    model: str
    requirement: str
    fields: tuple[str, ...]
    needs: OutsideNeed = OutsideNeed.NOTHING

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


def required_of_bins(
    policy: Policy, known: tuple[str, ...], rows: int, *, bins: Bins
) -> Iterator[RequiredVerdict]:
    """The requirements on the bins of one table with one row per person.

    `bins` are those of the release, with the sensitive values that requirements need. One of them
    is judged, to learn the name of its verdict."""
    for key in policy.require.keys:
        if declared_model(key).looks_at is not LooksAt.SETS:
            yield from _required_by(
                policy, key, known, rows, some=bins.only(np.arange(len(bins)) < 1)
            )


def _required_by(
    policy: Policy, key: str, known: tuple[str, ...], rows: int, *, some: Bins
) -> Iterator[RequiredVerdict]:
    """The verdicts that each thing asked of one model must have."""
    declared, nobody = declared_model(key), [(None,) * len(known)]
    for asked in policy.require.each(key):
        need = declared.need_of(asked)
        named = tuple(name for name in getattr(asked, "fields", ()) or known if name in known)
        models = models_for(
            replace(policy, require=replace(policy.require, asked={key: (asked,)})),
            known,
            rows,
            hierarchies={},
            populations={key: some.project(named)}
            if need in (OutsideNeed.POPULATION, OutsideNeed.WEIGHTS)
            else {},
            source=some,
            pairing=Pairing.of(known, subjects=nobody, released=nobody, own=(0,)),
        )
        about = declared.quasi_named(
            asked
        )  # A requirement of fields that this recipient does not link on is void.
        is_void = reads_itself(policy, key) or (bool(about) and not set(about) & set(known))
        if not models and not is_void:
            yield RequiredVerdict(
                key=key, model=key, requirement="nothing judges it", fields=(), needs=need
            )
        for verdict in (_own_verdict(key, model, some) for model in models):
            yield RequiredVerdict(
                key=key,
                model=verdict.model,
                requirement=shape(verdict.requirement),
                fields=verdict.fields,
                needs=need,
            )


def _own_verdict(key: str, model: Model, bins: Bins) -> Verdict:
    """The verdict of a model on bins, under its own name: a verdict in the name of another model
    would claim what nobody judged."""
    verdict: object = model.judge(bins)
    if not isinstance(verdict, Verdict):
        raise MODELS.fault(key, "It gives no verdict.")
    others = {
        getattr(each, "name", ""): each
        for declared in MODELS.all().values()
        if declared.key != key
        for each in declared.models
    }
    if others.get(verdict.model, type(model)) is not type(model):
        raise MODELS.fault(key, f'It calls its verdict "{verdict.model}", as another model does.')
    return verdict


def required_of_texts(fields: Mapping[str, Field], *, table: str = "") -> Iterator[RequiredVerdict]:
    """A verdict on each text field that is released, with the style of its scrubbing."""
    for name in scrubbed_fields(fields):
        purpose = (fields[name].scrub or ScrubPolicy()).purpose.value
        called = f"{table}.{name}" if table else name
        yield RequiredVerdict(
            key="texts",
            model=SCRUBBED,
            requirement=f"purpose: {purpose}",
            fields=(called,),
            needs=OutsideNeed.READER,
        )


def matches(
    required: RequiredVerdict, *, model: str, requirement: str, fields: Sequence[str]
) -> bool:
    """Whether a verdict is the one on this requirement."""
    return (required.model, required.requirement, required.fields) == (
        model,
        shape(requirement),
        tuple(fields),
    )


def check_all_judged(required: Sequence[RequiredVerdict], verdicts: Sequence[Verdict]) -> None:
    """Refuse to publish what has a requirement without a verdict, or a verdict that nothing
    requires."""
    left = list(verdicts)
    unjudged = []
    for one in required:
        found = [
            v
            for v in left
            if matches(one, model=v.model, requirement=v.requirement, fields=v.fields)
        ]
        if found:
            left.remove(found[0])
        else:
            unjudged.append(f"{one.key} ({one.model})")
    if unjudged or left:
        told = [f"no verdict on {name}" for name in unjudged]
        told += [
            f"a verdict on {verdict.model} that the policy does not require" for verdict in left
        ]
        raise CandidateFailed(
            "The candidate was written, and not everything that the policy requires was judged.",
            found="; ".join(told) + ".",
            attempt="leaving these requirements out; the candidate was removed and nothing was "
            "released.",
        )
