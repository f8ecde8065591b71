"""The trials of the continuum: each technique with some settings, on each field that it is for.

Techniques of the catalogue declare what is tried; recodings, removing and scrambling, which are no
steps, are in `continuum_recodings`. A step of the policy itself is tried too, alone, as it is asked
for there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from sfumato.engines import FieldKind
from sfumato.hierarchies import Prefix
from sfumato.policy import TECHNIQUES, Policy, PolicyStep, Role, TechniqueDeclaration, Wants
from sfumato.techniques import Cells, StepContext, apply_step

Make = Callable[[Cells, StepContext], Cells]

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")  # 02138 is a code


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One technique with one setting. `fields` are those that it changes, in which its distortion
    is measured; where it is not `by_chance`, it is tried once."""

    place: str
    setting: str
    fields: tuple[str, ...]
    make: Make = field(repr=False)
    by_chance: bool = True


def measured_fields(policy: Policy) -> tuple[str, ...]:
    """The fields that a release may show: quasi, sensitive and insensitive ones."""
    shown = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)
    return tuple(name for name, item in policy.fields.items() if item.role in shown)


def step_trials(policy: Policy, cells: Cells) -> Iterator[Trial]:
    """Every technique that can be applied, each setting alone and on one field at a time."""
    for technique in TECHNIQUES.all().values():
        for given, fields in _settings(technique, policy, cells):
            step = PolicyStep(
                technique=technique.key, fields=fields, settings=technique.record(**given)
            )
            yield _trial(step, policy, setting=_words(given))
    for step in policy.steps:
        yield _trial(step, policy, setting="as in the policy")


def _settings(
    technique: TechniqueDeclaration, policy: Policy, cells: Cells
) -> Iterator[tuple[Mapping[str, object], tuple[str, ...]]]:
    """Each setting with the fields that it is tried on; a technique of several fields is tried only
    as in the policy."""
    names = [name for name in measured_fields(policy) if name in cells.columns]
    if technique.wants is Wants.NUMBERS:
        names = [name for name in names if are_numbers(cells, name, policy)]
    if technique.by_hierarchy:
        names = [name for name in names if policy.fields[name].hierarchy is not None]
    if technique.tuples:
        yield from ((given, ()) for given in technique.trials)
    else:
        yield from ((given, (name,)) for given in technique.trials for name in names)
    if technique.trials_for is not None:
        yield from (
            (given, (name,)) for name in names for given in technique.trials_for(cells, name)
        )
    quasi = tuple(name for name in policy.named(Role.QUASI) if name in cells.columns)
    if quasi:
        yield from ((given, quasi) for given in technique.trials_together)


def are_numbers(cells: Cells, name: str, policy: Policy) -> bool:
    """Whether a field has numbers: by its type, or, as in CSV, where all its texts are some and
    none is a code."""
    kind = cells.kinds.get(name)
    if kind is not FieldKind.TEXT:
        return kind in (FieldKind.INTEGER, FieldKind.REAL)
    item = policy.fields.get(name)
    if item is not None and isinstance(item.hierarchy, Prefix):
        return False
    texts = [text for text in cells.codes(name)[1].tolist() if text is not None]
    return bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)


def _trial(step: PolicyStep, policy: Policy, *, setting: str) -> Trial:
    def make(cells: Cells, around: StepContext) -> Cells:
        return apply_step(cells, step, around).cells

    place = step.declaration.title
    return Trial(
        place=place, setting=setting, fields=step.fields or measured_fields(policy), make=make
    )


def _words(said: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in said.items()
    )
