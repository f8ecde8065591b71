"""The text fields of several tables: a person's texts are read together, in whatever table they
are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sfumato.engines import Database, Engine
from sfumato.policy import Policy, person_field, scrubbed_fields

from ..texts.text_step import has_texts
from .one_table import NAME
from .people_models import person_in
from .recoding import raw_view
from .replacements import TablesReplacements, TableTreatments
from .stages import StagedRows

if TYPE_CHECKING:
    from ..texts.cues import TextCues
    from ..texts.person_texts import CueTable, KnownField, TextField
    from ..texts.text_lookups import Texts


def texts_of_tables(
    database: Database,
    policy: Policy,
    staged: Mapping[str, StagedRows],
    treatments: Mapping[str, TableTreatments],
    *,
    replacing: TablesReplacements,
    collected: Mapping[str, Engine],
    progress: Callable[[str], None],
) -> Texts | None:
    """Scrub every text field, whose lookups are added to the treatments; None where there is none.

    Texts are those of the rows that stay. The known values of people are read from the source as it
    was collected."""
    if not has_texts(policy):
        return None
    from ..text_key import text_secret
    from ..texts.cues import TextCues
    from ..texts.person_texts import people
    from ..texts.scrubbed_texts import scrub_fields
    from ..texts.text_lookups import Texts, coarser_fields, days_of, given_by, put

    coarser = [
        (name, field)
        for name in staged
        for field in coarser_fields(policy.of_table(name), treatments[name].words)
    ]
    cueing = TextCues(
        {name: policy.tables[name].fields for name in staged}, coarser, folder=policy.folder
    )
    sources = {name: _collected(database, stage, collected) for name, stage in staged.items()}
    known = {name: cueing.known(source, name) for name, source in sources.items()}
    fields = _text_fields(policy, staged, known, cueing)
    shifts = [
        item.shift
        for table in policy.tables.values()
        for item in table.fields.values()
        if item.shift
    ]
    done = scrub_fields(
        fields,
        cueing.looks(),
        people(fields, _cue_tables(staged, sources, known)),
        secret=text_secret(replacing.root),
        days=days_of(replacing.root, next(iter(shifts), None), per=person_field(policy)),
        given=given_by(replacing.replacers()),
        progress=progress,
    )
    tables = [
        name for name, stage in staged.items() for _ in scrubbed_fields(stage.sight.policy.fields)
    ]
    for name, each in zip(tables, done, strict=True):
        put(each, treatments[name])
    return Texts(
        done=done,
        called=tuple(
            _said(name, each.of.name, policy) for name, each in zip(tables, done, strict=True)
        ),
        coarser=tuple(_said(name, field, policy) for name, field in coarser),
        tables=tuple(tables),
    )


def _said(table: str, field: str, policy: Policy) -> str:
    """A field as a person calls it: by its name alone where there is one table."""
    return field if tuple(policy.tables) == (NAME,) else f"{table}.{field}"


def _collected(database: Database, stage: StagedRows, collected: Mapping[str, Engine]) -> Engine:
    """A table of the source before its steps, with the person key."""
    if stage.sight.name in collected:
        return collected[stage.sight.name]
    return database.view(
        raw_view(stage.sight, quasi=False) if stage.sight.person is not None else stage.sight.view
    )


def _cue_tables(
    staged: Mapping[str, StagedRows],
    sources: Mapping[str, Engine],
    known: Mapping[str, tuple[KnownField, ...]],
) -> list[CueTable]:
    from ..texts.person_texts import CueTable

    return [
        CueTable(engine=sources[name], person=person_in(stage.sight), fields=known[name])
        for name, stage in staged.items()
        if stage.sight.person is not None and known[name]
    ]


def _text_fields(
    policy: Policy,
    staged: Mapping[str, StagedRows],
    known: Mapping[str, tuple[KnownField, ...]],
    cueing: TextCues,
) -> list[TextField]:
    from ..texts.person_texts import TextField

    named = [
        (name, field)
        for name, stage in staged.items()
        for field in scrubbed_fields(stage.sight.policy.fields)
    ]
    return [
        TextField(
            number=number,
            look=cueing.look_of(policy.tables[name].fields[field]),
            engine=staged[name].engine,
            name=field,
            where=f"tables.{name}.fields.{field}",
            person=staged[name].sight.person,
            own=() if staged[name].sight.person is not None else known[name],
        )
        for number, (name, field) in enumerate(named)
    ]
