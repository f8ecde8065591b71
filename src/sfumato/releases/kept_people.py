"""Keeping the people record of a release: whose each row is, known once more while it is written.

Rows are staged with their person beside them, and the release is written from that stage, so that
chance is drawn once: the rows of the record are those of the release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.engines import WritePlan
from sfumato.errors import Bug, Mistake
from sfumato.keys import Key
from sfumato.policy import Policy, Role

from .documents import manifest_digest
from .flow import StagedTable, Stages
from .people_record import PeopleRecord, record_people
from .prepared_source import known_fields


@dataclass(frozen=True, kw_only=True)
class PeopleRecordRequest:
    """Where the people record of a release is kept, under which key, and the field that says whose
    a row is; where none is named, the policy's entity."""

    file: Path
    key: Key = field(repr=False)
    person: str = ""

    @classmethod
    def of(
        cls, file: str | Path | None, *, key: Key | None, person: str, target: Path
    ) -> PeopleRecordRequest | None:
        """Check what was asked for before anything is read."""
        if file is None:
            if person:
                raise Mistake(
                    f"The person of each row was named: {person!r}.",
                    found="No people record is kept.",
                    attempt="--keep-people FILE too.",
                )
            return None
        path = Path(file)
        if key is None:
            raise Mistake(
                "A people record was asked for.",
                found="There is no key to number people with.",
                attempt="--key, the same for all releases about the same people.",
            )
        if path.exists():
            raise Mistake(
                f"A people record was to be written to {path}.",
                found="The file exists, and is not overwritten.",
                attempt="another name.",
            )
        if path.resolve().is_relative_to(target.resolve()):
            raise Mistake(
                f"A people record was to be written to {path}.",
                found="It is inside the release, and the record is private.",
                attempt="a file elsewhere.",
            )
        return cls(file=path, key=key, person=person)


class PeopleKeeper:
    """The record of one release while it is made; without a request, nothing is kept."""

    def __init__(self, request: PeopleRecordRequest | None) -> None:
        self._request = request
        self._record: PeopleRecord | None = None
        self._digest = ""

    def stage(self, stages: Stages, policy: Policy, steps: Sequence[Mapping[str, Any]]) -> Stages:
        """Stage the table with its person and record it; what is written then is the stage."""
        if self._request is None:
            return stages
        if len(stages.tables) != 1 or policy.channels is not None:
            raise Mistake(
                "A people record was asked for.",
                found="The release has several tables, or channels; nobody can judge them "
                "together with others yet.",
                attempt="leaving --keep-people out.",
            )
        (table,) = stages.tables
        person = self._person(policy, table)
        beside = _unused("person", table.plan.fields)
        plan = replace(
            table.plan,
            fields=(*table.plan.fields, beside),
            taken={**table.plan.taken, beside: person},
        )
        staged = table.engine.staged(plan)
        try:
            released = set(table.plan.fields)
            fields = [name for name in known_fields(policy) if name in released]
            sensitive = [name for name in policy.named(Role.SENSITIVE) if name in released]
            rows = staged.spread_rows((beside, *fields, *sensitive))
            self._record = record_people(
                ({name.removeprefix("cell:"): cells for name, cells in b.items()} for b in rows),
                key=self._request.key,
                person=beside,
                fields=fields,
                sensitive=sensitive,
                not_judged=_changed(steps, {person, *fields, *sensitive}),
            )
        except BaseException:
            staged.close()
            raise
        self._record = replace(self._record, person=person)
        written = WritePlan(fields=table.plan.fields, order=table.plan.order)
        held = replace(table, engine=staged, plan=written, is_temporary=True)
        return replace(stages, tables=(held,))

    def _person(self, policy: Policy, table: StagedTable) -> str:
        """The field of whoever a row is about; refused where there is none in the source."""
        assert self._request is not None
        person = self._request.person or (policy.entity or "").rpartition(".")[2]
        there = {info.name for info in table.engine.fields()}
        if person not in there:
            raise Mistake(
                "A people record was asked for."
                if not person
                else f"The person of each row was to be found in {person!r}.",
                found="The policy has no entity." if not person else "There is no such field.",
                attempt="--person FIELD, a field that is the same for one person in every source.",
            )
        return person

    def save(self, digest: str) -> None:
        """Write the record of the release with this manifest, before the release is published."""
        if self._request is None:
            return
        if self._record is None:
            raise Bug("a people record was to be saved before it was made.")
        replace(self._record, release=digest).save(self._request.file)
        self._digest = digest

    def remove(self, target: Path) -> None:
        """Remove a record that was saved for a release that was not published."""
        if self._request is None or not self._digest:
            return
        with suppress(OSError):
            if manifest_digest(target) == self._digest:
                return
        with suppress(OSError):
            self._request.file.unlink()


@contextmanager
def people_keeper(request: PeopleRecordRequest | None, target: Path) -> Iterator[PeopleKeeper]:
    """Keep a people record; where the release is not published, none stays."""
    keeper = PeopleKeeper(request)
    try:
        yield keeper
    except BaseException:
        keeper.remove(target)
        raise


def _changed(steps: Sequence[Mapping[str, Any]], fields: set[str]) -> list[str]:
    """Steps that made labels untrue: a bin is then not about the people in it."""
    return [
        f"the step {step['technique']} changed {', '.join(sorted(touched))}"
        for step in steps
        if not step["truthful"] and (touched := fields & set(step["fields"]))
    ]


def _unused(name: str, fields: Sequence[str]) -> str:
    while name in fields:
        name += "'"
    return name
