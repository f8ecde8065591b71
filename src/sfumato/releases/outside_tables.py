"""Data that a release does not hold and some requirements need: a population, and the values of the
source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.bins import Bins
from sfumato.engines import Engine, open_source
from sfumato.errors import Mistake, PolicyError, SourceError
from sfumato.hierarchies import Hierarchy
from sfumato.policy import OutsideNeed, Policy, Role, policy_from_table
from sfumato.protection import Model, Verdict

from .prepared_source import align, bind_values
from .requirements import models_for, needed_fields


@dataclass(frozen=True, kw_only=True)
class OutsideModels:
    """Models that need data beside the release."""

    models: tuple[Model, ...] = ()

    def judged(self, bins: Bins) -> Iterator[Verdict]:
        """The verdicts of those whose hierarchies know every released label; others cannot be
        judged."""
        for model in self.models:
            hierarchies: Mapping[str, Hierarchy] = getattr(model, "hierarchies", {})
            labels = dict(zip(bins.fields, bins.labels, strict=True))
            strange = any(
                label is not None and label not in hierarchy.level_of_label
                for name, hierarchy in hierarchies.items()
                for label in labels.get(name, ())
            )
            if not strange:
                yield model.judge(bins)


@dataclass(frozen=True, kw_only=True)
class Outside:
    """The data that was given to judge a release with; each may be missing. `policy` is the
    holder's, with its hierarchies."""

    policy: Policy | None = None
    population: Any = field(default=None, repr=False)
    source: Any = field(default=None, repr=False)

    def models(
        self, facts: Mapping[str, Any], known: tuple[str, ...], *, table: str = ""
    ) -> OutsideModels:
        """The models that can be built now, over the table with that name where there are
        several."""
        if self.population is None and self.source is None:
            return OutsideModels()
        policy = self.policy or _policy_of(facts)
        policy = policy.of_table(table) if table else policy
        return OutsideModels(
            models=(*self._of_population(policy, known), *self._of_source(policy, known))
        )

    def _of_population(self, policy: Policy, known: tuple[str, ...]) -> Iterator[Model]:
        if self.population is None:
            return
        counted = tuple(policy.require.needing(OutsideNeed.POPULATION))
        if not counted:
            raise Mistake(
                "A population was given, and the policy requires nothing of one.",
                attempt="leaving it out.",
            )
        with _given(self.population, "population") as engine:
            for declared, asked in counted:
                people, hierarchies = _people(engine, policy, asked.fields, known)
                alone = replace(
                    policy, require=replace(policy.require, asked={declared.key: (asked,)})
                )
                yield from models_for(
                    alone,
                    known,
                    people.rows,
                    hierarchies=hierarchies,
                    populations={declared.key: people},
                )

    def _of_source(self, policy: Policy, known: tuple[str, ...]) -> Iterator[Model]:
        """None after steps: only the run that took them knows the rows that they left."""
        compared = {declared.key for declared, _ in policy.require.needing(OutsideNeed.SOURCE)}
        if self.source is None or policy.steps:
            return
        with _given(self.source, "source") as engine:
            bins = Bins.count(engine, known, sensitive=needed_fields(policy, known))
            alone = replace(
                policy, require=policy.require.without(set(policy.require.keys) - compared)
            )
            yield from models_for(alone, known, bins.rows, hierarchies={}, source=bins)


@contextmanager
def _given(given: Any, what: str) -> Iterator[Engine]:
    """The given data, opened. Unreadable data is a mistake of the caller, and no fault of the
    release."""
    try:
        with open_source(given) as engine:
            yield engine
    except SourceError as error:
        raise Mistake(
            f"The {what} cannot be used: {error.asked}", found=error.found, attempt=error.attempt
        ) from None
    except PolicyError as error:
        found = "; ".join(problem.found for problem in error.problems)
        raise Mistake(
            f"The {what} does not fit the policy.", found=found, attempt="the one it was made with."
        ) from None


def _people(
    engine: Engine, policy: Policy, fields: Sequence[str], known: tuple[str, ...]
) -> tuple[Bins, Mapping[str, Hierarchy]]:
    named = tuple(name for name in fields or known if name in known)
    lacking = [name for name in named if name not in {info.name for info in engine.fields()}]
    if lacking:
        raise Mistake(
            f"The population has no field {', '.join(lacking)}.",
            attempt="a table of people with them.",
        )
    people = Bins.count(engine, named)
    values = {
        name: dict.fromkeys(labels)
        for name, labels in zip(people.fields, people.labels, strict=True)
    }
    hierarchies = bind_values(policy, values)
    return align(people, hierarchies), hierarchies


def _policy_of(facts: Mapping[str, Any]) -> Policy:
    """The manifest's policy with its hierarchies, where none of them is a file."""
    try:
        return policy_from_table(
            facts["policy"],
            folder=Path("not-at-hand"),
            name="the manifest's policy",
            undeclared=True,
        )
    except PolicyError:
        raise Mistake(
            "The hierarchies of this release are in files, which are not in its folder.",
            attempt="--policy with the policy file beside them.",
        ) from None


def known_weights(policy: Policy, known: tuple[str, ...], table: Engine) -> dict[str, Bins]:
    """The population that the released rows represent, where a requirement rests on weights and
    these were released."""
    out: dict[str, Bins] = {}
    for declared, asked in policy.require.needing(OutsideNeed.WEIGHTS):
        decided = policy.fields.get(asked.weight)
        if decided is None or decided.role not in (Role.SENSITIVE, Role.INSENSITIVE):
            continue
        if not decided.shift and not decided.follows:
            fields = tuple(name for name in asked.fields or known if name in known)
            out[declared.key] = Bins.count(table, fields, weight=asked.weight)
    return out
