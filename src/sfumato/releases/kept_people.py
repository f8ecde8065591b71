"""Keeping the people record of a release: the person of each row, recorded while the release is
written.

Rows are staged with their person beside them, and the release is written from that stage. Chance is
drawn once, so that the rows of the record are those of the release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, WritePlan
from sfumato.errors import Bug, Mistake
from sfumato.hierarchies import Label
from sfumato.keys import Key
from sfumato.policy import Channels, Policy, Replacement, Role, person_field, person_table

from .channels.channels_record import channels_record
from .documents import manifest_digest
from .flow import StagedTable, Stages
from .people_record import PEOPLE_RECORD, PeopleRecord, TableRows, record_tables
from .prepared_source import known_fields
from .steps import SteppedTables

PeopleJudge = Callable[[PeopleRecord], None]
"""Judges the people record of a release before anything is written; an exception ends the run."""


@dataclass(frozen=True, kw_only=True)
class PeopleRecordRequest:
    """Where the people record of a release is kept, under which key, and the field that identifies
    the person of a row; where none is named, the policy's entity. `fields` are those that somebody
    may know who holds other releases too; where none are named, those that the recipient may
    know."""

    file: Path
    key: Key = field(repr=False)
    person: str = ""
    fields: tuple[str, ...] = ()
    judge: PeopleJudge | None = None

    @classmethod
    def of(
        cls,
        file: str | Path | None,
        *,
        key: Key | None,
        person: str,
        target: Path,
        judge: PeopleJudge | None = None,
    ) -> PeopleRecordRequest | None:
        """Check what was asked for before anything is read."""
        if file is None and judge is not None:
            raise Mistake(
                "The people of a release were to be judged.",
                found="No people record is kept.",
                attempt="--keep-people FILE too.",
            )
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
                f"A people record was asked for in {path}.",
                found="The file exists, and is not overwritten.",
                attempt="another name.",
            )
        if path.resolve().is_relative_to(target.resolve()):
            raise Mistake(
                f"A people record was asked for in {path}.",
                found="It is inside the release, and the record is private.",
                attempt="a file elsewhere.",
            )
        return cls(file=path, key=key, person=person, judge=judge)


class PeopleKeeper:
    """The record of one release while it is made; without a request, nothing is kept."""

    def __init__(self, request: PeopleRecordRequest | None) -> None:
        self._request = request
        self._record: PeopleRecord | None = None
        self._digest = ""

    def stage(self, stages: Stages, policy: Policy, stepped: SteppedTables) -> Stages:
        """Stage the tables with their people, record them and have the record judged; the release
        is then written from these stages."""
        if self._request is None:
            return stages
        staged = self._recorded(stages, policy, stepped)
        if self._request.judge is not None and self._record is not None:
            try:
                self._request.judge(self._record)
            except BaseException:
                for table in staged.tables:
                    if table.is_temporary:
                        table.engine.close()
                raise
        return staged

    def _recorded(self, stages: Stages, policy: Policy, stepped: SteppedTables) -> Stages:
        assert self._request is not None
        if policy.channels is not None:
            self._record = self._channels(stages, policy, policy.channels)
            return stages
        person = self._person(policy, stages.tables)
        held: list[StagedTable] = []
        rows: list[TableRows] = []
        reasons: list[str] = []
        try:
            for table in stages.tables:
                own = policy.of_table(table.name) if policy.tables else policy
                column = table.person if policy.tables else person
                reasons += _released_texts(own, table)
                if column is None:
                    held.append(_staged(table, table.plan))  # Its rows are nobody's.
                    rows.append(_reference_rows(held[-1], policy, self._known(own, table.name)))
                    continue
                beside = _unused("person", table.plan.fields)
                held.append(_with_person(table, column, beside))
                known = self._known(own, table.name if policy.tables else "")
                looked = {column, *known, *own.named(Role.SENSITIVE)}
                exact = _ExactCells.of(stepped, table.name, column, looked=looked)
                reasons += exact.not_judged
                rows.append(
                    _rows_of(
                        held[-1],
                        own,
                        beside,
                        exact,
                        known=known,
                        keys=_keys_of(table, policy, person),
                        several=bool(policy.tables),
                    )
                )
            self._record = record_tables(rows, key=self._request.key, not_judged=reasons)
        except BaseException:
            for table in held:
                if table.is_temporary:
                    table.engine.close()
            raise
        self._record = replace(self._record, person=person)
        written = tuple(
            replace(each, plan=WritePlan(fields=table.plan.fields, order=table.plan.order))
            if each is not table
            else table
            for each, table in zip(held, stages.tables, strict=True)
        )
        return replace(stages, tables=written)

    def _known(self, policy: Policy, table: str) -> tuple[str, ...]:
        """The fields of a table that somebody may know who holds this release and others."""
        assert self._request is not None
        if not self._request.fields:
            return known_fields(policy)
        start = f"{table}." if table else ""
        named = (name for name in self._request.fields if name.startswith(start))
        return tuple(name.removeprefix(start) for name in named)

    def _person(self, policy: Policy, tables: Sequence[StagedTable]) -> str:
        """The field that identifies the person of a row; refused where the source has none."""
        assert self._request is not None
        own = person_field(policy) if policy.tables else (policy.entity or "").rpartition(".")[2]
        person = self._request.person or own
        if policy.tables and person != own:
            raise Mistake(
                f"The person of each row was asked for by {person!r}.",
                found="Of several tables, the policy's entity is the person.",
                attempt="leaving --person out.",
            )
        there = {info.name for info in tables[0].engine.fields()}
        if not policy.tables and person not in there:
            raise Mistake(
                "A people record was asked for."
                if not person
                else f"The person of each row was asked for by {person!r}.",
                found="The policy has no entity." if not person else "There is no such field.",
                attempt="--person FIELD, a field that is the same for one person in every source.",
            )
        return person

    def _channels(self, stages: Stages, policy: Policy, channels: Channels) -> PeopleRecord:
        """The record of a release by channels: a bin is an output channel, and the confidential
        field has its tolerances."""
        assert self._request is not None
        (table,) = stages.tables
        person = self._person(policy, stages.tables)
        asked = (person, channels.label, *channels.fields, *channels.confidential_names)
        rows = TableRows(
            batches=_cells(table.engine, asked),
            person=person,
            fields=(channels.label, *channels.fields),
            sensitive=channels.confidential_names,
        )
        return channels_record(rows, key=self._request.key, channels=channels)

    def facts(self) -> dict[str, Any]:
        """The manifest's facts about the record: its digest; nothing where none is kept."""
        return {} if self._record is None else {PEOPLE_RECORD: {"sha256": self._record.digest}}

    def save(self, digest: str) -> None:
        """Write the record of the release with this manifest, before the release is published."""
        if self._request is None:
            return
        if self._record is None:
            raise Bug("a people record was saved before it was made.")
        made = replace(self._record, release=digest)
        made.sealed(self._request.key).save(self._request.file)
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


def _with_person(table: StagedTable, person: str, beside: str) -> StagedTable:
    """The table staged as it is written, with its person beside it."""
    plan = replace(
        table.plan,
        fields=(*table.plan.fields, beside),
        taken={**table.plan.taken, beside: person},
    )
    return _staged(table, plan)


def _staged(table: StagedTable, plan: WritePlan) -> StagedTable:
    return replace(table, engine=table.engine.staged(plan), is_temporary=True)


def _rows_of(
    table: StagedTable,
    policy: Policy,
    beside: str,
    exact: _ExactCells,
    *,
    known: Sequence[str],
    keys: Mapping[str, str],
    several: bool,
) -> TableRows:
    """The released rows with their person; perturbed fields as they are in the source."""
    released = set(table.plan.fields)
    fields = tuple(name for name in known if name in released)
    sensitive = tuple(name for name in policy.named(Role.SENSITIVE) if name in released)
    return TableRows(
        batches=map(
            lambda batch: exact.put(batch, beside),
            _cells(table.engine, dict.fromkeys((beside, *fields, *sensitive, *keys))),
        ),
        person=beside,
        fields=fields,
        sensitive=sensitive,
        name=table.name if several else "",
        counted=policy.row_counts.linking != 0,
        uncounted=tuple(
            name
            for name in (*policy.named(Role.INSENSITIVE), *policy.named(Role.QUASI))
            if name in released and name not in fields
        ),
        keys=keys,
    )


def _keys_of(table: StagedTable, policy: Policy, person: str) -> dict[str, str]:
    """The released fields that link the rows of a person: each with the name of its key. The
    person's own key links all of them. A direct field with pseudonyms shows which rows are
    equal."""
    own = policy.of_table(table.name) if policy.tables else policy
    called = {
        name: f"{table.name}.{name}"
        for name in own.named(Role.DIRECT)
        if (own.fields[name].replace or Replacement()).tells_rows_apart
    }
    whose = person
    if policy.tables:
        linked = policy.tables[table.name]
        if linked.key:
            called[linked.key] = f"{table.name}.{linked.key}"
        called |= {link.field: f"{link.table}.{link.key}" for link in linked.links}
        whose = f"{person_table(policy)}.{person}"
    else:
        called.pop(person, None)
    released = table.plan.fields
    return {name: key for name, key in called.items() if name in released and key != whose}


def _reference_rows(table: StagedTable, policy: Policy, known: Sequence[str]) -> TableRows:
    """The released rows of a table that are nobody's; rows of people link to them."""
    keys = _keys_of(table, policy, person_field(policy))
    fields = tuple(name for name in known if name in table.plan.fields)
    return TableRows(
        batches=_cells(table.engine, dict.fromkeys((*fields, *keys))),
        person="",
        fields=fields,
        name=table.name,
        keys=keys,
        own_key=policy.tables[table.name].key,
    )


def _cells(engine: Engine, fields: Iterable[str]) -> Iterator[dict[str, NDArray[Any]]]:
    for batch in engine.spread_rows([*fields]):
        yield {name.removeprefix("cell:"): cells for name, cells in batch.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class _ExactCells:
    """Perturbed fields as they are in the source, by person: noise and swaps protect nobody who is
    compared over several releases, so the ledger judges what they would be without."""

    fields: tuple[str, ...] = ()
    cells: Mapping[str, tuple[Label, ...]] = field(default_factory=dict, repr=False)
    not_judged: tuple[str, ...] = ()

    @classmethod
    def of(cls, stepped: SteppedTables, name: str, person: str, *, looked: set[str]) -> _ExactCells:
        """Of one table; not judged where the person is perturbed too, or a row cannot be found
        again in the source."""
        table = stepped.tables.get(name)
        touched = sorted(table.untrue) if table is not None else []
        fields = tuple(each for each in touched if each in looked)
        source = stepped.collected.get(name)
        if not fields:
            return cls()
        words = f"steps that are not true of people changed {', '.join(fields)}"
        if source is None or person in fields or person not in _names(source):
            return cls(not_judged=(words,))
        cells: dict[str, tuple[Label, ...]] = {}
        for batch in _cells(source, (person, *fields)):
            for whose, *own in zip(batch[person], *(batch[each] for each in fields), strict=True):
                if whose is not None and cells.setdefault(whose, tuple(own)) != tuple(own):
                    return cls(not_judged=(f"{words}, of people with several rows",))
        return cls(fields=fields, cells=cells)

    def put(self, batch: dict[str, NDArray[Any]], person: str) -> dict[str, NDArray[Any]]:
        """A batch of released rows with exact cells in place of perturbed ones; a row that was made
        up is nobody's."""
        if not self.fields:
            return batch
        nobody = (None,) * len(self.fields)
        own = [self.cells.get(whose, nobody) for whose in batch[person]]
        known = [whose if whose in self.cells else None for whose in batch[person]]
        exact = {
            name: np.array([each[at] for each in own], object)
            for at, name in enumerate(self.fields)
            if name in batch
        }
        return {**batch, **exact, person: np.array(known, object)}


def _released_texts(policy: Policy, table: StagedTable) -> list[str]:
    """Scrubbed texts may disclose more than any label."""
    texts = [name for name in policy.named(Role.TEXT) if name in table.plan.fields]
    return [f"texts of {', '.join(texts)}"] if texts else []


def _names(engine: Engine) -> set[str]:
    return {info.name for info in engine.fields()}


def _unused(name: str, fields: Sequence[str]) -> str:
    while name in fields:
        name += "'"
    return name
