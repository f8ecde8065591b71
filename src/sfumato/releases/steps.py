"""Taking the steps of a policy: cells are read from the engine, techniques change them, and a stage
holds the new rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.engines import Engine
from sfumato.errors import Mistake
from sfumato.policy import Policy, PolicyStep, Role
from sfumato.surveys import LinkedDependences
from sfumato.techniques import Cells, KeyedRandom, StepContext, TakenStep, apply_steps

from .identifiers import Key
from .prepared_source import PreparedSource, prepare
from .row_pairs import FollowedRows, follow
from .treatments import KEPT

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class SteppedTable:
    """A table after its steps, and what they did. `rows_source` is how many rows there were before
    them; `followed` has the rows that still lead to their own person. `repeated` are fields that
    were equal in all rows of a person and were changed in each row by itself. `table` is its name
    where there are several tables. `people_sampled_out` are the people whose rows were all left out
    by samples, counted where people have several rows or tables."""

    engine: Engine = field(repr=False)
    rows_source: int
    table: str = ""
    people_sampled_out: int = 0
    taken: tuple[TakenStep, ...] = ()
    followed: FollowedRows = field(default_factory=FollowedRows, repr=False)
    repeated: tuple[str, ...] = ()

    def words(self, words: Mapping[str, str]) -> dict[str, str]:
        """The treatment of each field: the steps first, then the later ones."""
        out = dict(words)
        for name in out:
            done = [one.done.words[name] for one in self.taken if name in one.done.words]
            if done:
                out[name] = ", then ".join([*done, *([] if out[name] == KEPT else [out[name]])])
        return out

    @property
    def sampled_out(self) -> int:
        """How many rows the policy's samples did not draw."""
        return sum(
            one.rows_before - one.rows_after
            for one in self.taken
            if one.step.declaration.samples_rows
        )

    @property
    def untrue(self) -> frozenset[str]:
        """Fields in which a row may have a value that is not true of its person."""
        return frozenset(
            name
            for one in self.taken
            if not one.step.truthful
            for name in (one.step.fields or one.done.words)
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        several = (
            f"{name} was the same in all rows of a person, and each row was changed by "
            "chance: the mean or the commonest value of several rows reveals it again."
            for name in self.repeated
        )
        found = (*(warning for one in self.taken for warning in one.done.warnings), *several)
        return tuple(f"{self.table}: {warning}" for warning in found) if self.table else found

    def account(self, rows: int) -> dict[str, int]:
        """For the manifest: how many rows the source had, and how many, `rows`, the steps left to
        be judged."""
        return {"source": self.rows_source, "after_steps": rows}

    def facts(self) -> list[dict[str, object]]:
        """For the manifest: each step with its parameters, so that a recipient can account for
        it."""
        return [
            {
                "technique": one.step.technique,
                **({"table": one.step.table} if one.step.table else {}),
                "summary": one.step.declaration.doc,
                "fields": list(one.step.fields),
                "parameters": {
                    name: value for name, value in one.step.parameters.items() if value is not None
                },
                "truthful": one.step.truthful,
                **({"found": dict(one.done.facts)} if one.done.facts else {}),
            }
            for one in self.taken
        ]


@dataclass(frozen=True, kw_only=True)
class SteppedTables:
    """The tables of a release that steps changed, by name; others are as they were.

    `steps` are those of the policy, in its order. `collected` are the changed tables of several as
    they were before; `linked` are the dependences over their links then, where they were counted."""

    steps: tuple[PolicyStep, ...] = ()
    tables: Mapping[str, SteppedTable] = field(default_factory=dict)
    collected: Mapping[str, Engine] = field(default_factory=dict, repr=False)
    linked: LinkedDependences | None = None

    def words(self, words: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
        """The treatment of each field of each table, steps first."""
        return {
            name: self.tables[name].words(said) if name in self.tables else dict(said)
            for name, said in words.items()
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(warning for table in self.tables.values() for warning in table.warnings)

    def sections(self) -> dict[str, Any]:
        """The part of the manifest that lists the steps, in the order of the policy; none where
        none was taken."""
        found = [
            (one.step, fact)
            for table in self.tables.values()
            for one, fact in zip(table.taken, table.facts(), strict=True)
        ]
        facts = [fact for step in self.steps for taken, fact in found if taken is step]
        return {"steps": facts} if facts else {}


def take_steps(
    engine: Engine, policy: Policy, *, key: Key | None, progress: Progress, follows: bool = True
) -> SteppedTable:
    """The policy's steps in their order; the engine itself where there are none.

    Chance is drawn from the holder's key where there is one, else from the system's entropy, and
    never from the policy's seed. The manifest has that seed, and somebody who can draw the same
    noise can remove it. Without `follows`, rows are not followed to the people they are about."""
    rows = engine.count_rows() if policy.steps else 0
    if not policy.steps:
        return SteppedTable(engine=engine, rows_source=rows)

    def around(number: int, step: PolicyStep) -> StepContext:
        purpose = f"step {number} {step.technique}"
        secret = key.derive("chance", purpose).digest(b"") if key is not None else b""
        return StepContext(
            policy=policy,
            chance=KeyedRandom(secret),
            secret=lambda domain: step_secret(key, step, domain),
            folder=policy.folder,
        )

    before = Cells.of(engine, _touched(policy))
    cells, taken = apply_steps(before, policy.steps, around, progress=progress)
    changed = cells.given or {name: None for name in cells.columns}
    if not cells.columns:
        raise Mistake("The policy's steps touch no field.", attempt="naming fields in each step.")
    stage = engine.gathered(changed, cells.batches())
    followed = FollowedRows()
    if follows:
        followed = follow(engine, policy, before=before, after=cells, stage=stage, taken=taken)
    repeated = tuple(
        name for name in _by_row(policy) if _says_the_same(before, name, policy.entity)
    )
    return SteppedTable(
        engine=stage,
        rows_source=rows,
        taken=taken,
        followed=followed,
        repeated=repeated,
        people_sampled_out=_people(before, policy) - _people(cells, policy),
    )


def _people(cells: Cells, policy: Policy) -> int:
    """How many people there are, where people are drawn."""
    if policy.entity is None or not any(step.declaration.samples_rows for step in policy.steps):
        return 0
    return len(set(cells.columns[policy.entity].tolist()) - {None})


def _by_row(policy: Policy) -> tuple[str, ...]:
    """The fields that chance changes in each row by itself, where the rows of a person are
    known."""
    names = [name for step in policy.steps if step.draws for name in step.fields]
    return tuple(dict.fromkeys(names)) if policy.entity is not None else ()


def _says_the_same(cells: Cells, name: str, entity: str | None) -> bool:
    """Whether a field has one value in all rows of each person, and some person has several
    rows."""
    if entity is None or entity not in cells.columns:
        return False
    people, there = cells.groups((entity,)), ~cells.is_null(entity)
    both = cells.groups((entity, name))
    many = len(np.unique(people[there]))
    return many == len(np.unique(both[there])) < int(there.sum())


def try_steps(engine: Engine, policy: Policy) -> SteppedTable:
    """The same as a trial, for commands that release nothing: chance and ciphers under a key that
    is thrown away."""
    return take_steps(engine, policy, key=Key.generate(), progress=lambda _: None)


def prepare_after_steps(
    engine: Engine, policy: Policy, *, limit: int | None = None
) -> PreparedSource:
    """The input of a solver, counted after a trial of the policy's steps."""
    stepped = try_steps(engine, policy)
    return prepare(stepped.engine, policy, limit=limit, pairing=stepped.followed.pairing)


def _touched(policy: Policy) -> tuple[str, ...]:
    """The fields that steps look at; all that are released where rows are made up."""
    made_up = [name for name, item in policy.fields.items() if item.role not in (Role.TEXT,)]
    names = [name for step in policy.steps for name in step.touched]
    if any(step.declaration.tuples for step in policy.steps) and not names:
        names = made_up[:1]
    if any(step.declaration.adds_rows for step in policy.steps):
        names += made_up
    if policy.entity is not None and (
        _by_row(policy) or any(step.declaration.samples_rows for step in policy.steps)
    ):
        names.append(policy.entity)
    return tuple(dict.fromkeys(names))


def step_secret(key: Key | None, step: PolicyStep, domain: str) -> bytes:
    """The key of 32 bytes that a step uses for a purpose of its own."""
    if key is None:
        raise Mistake(
            f"{step.technique} needs a key.",
            found="None was given.",
            attempt="sfumato key FILE, and --key FILE.",
        )
    return key.derive(step.technique, domain).digest(b"")
