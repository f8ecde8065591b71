"""From a database and a policy of several tables to tables that were counted again, a manifest and a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.engines import Database, Engine, TableView, WritePlan
from sfumato.errors import Bug, CandidateFailed, NoRecodingFound
from sfumato.policy import Policy, check_tables_against
from sfumato.protection import Outcome, overall
from sfumato.report import render_tables
from sfumato.wording import counted

from ..destinations import Destination
from ..documents import write_documents
from ..formula_warnings import formula_warnings
from ..identifiers import Key
from ..linked import Follows, follows_of, link
from ..recount import values_left
from ..required import check_all_judged
from ..stepping import Stepped
from ..stored_types import stored_as_text, stored_types_warnings
from ..suppression import LeftOut, check_left_out
from ..treatments import KEPT, recoding_words
from .checking import check_source
from .describing import Made, tables_facts, tables_manifest
from .one_table import as_said
from .recounting import Judged, TablesRecount, recount_tables
from .replacing import Replacing, TableTreatments, check_shifts
from .required_of_tables import required_of_tables
from .seeing import Sight, sights
from .sets import SetRecoding, recode_sets
from .solving import Solved, solve
from .staging import Staged, stage_tables
from .telling import tables_warnings
from .texts import texts_of_tables

if TYPE_CHECKING:
    from ..texts.text_lookups import Texts

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Planned:
    """All that is decided before anything is written."""

    policy: Policy
    seen: Mapping[str, Sight]
    solved: Solved
    staged: Mapping[str, Staged]
    sets: Mapping[str, tuple[SetRecoding, ...]]
    treatments: Mapping[str, TableTreatments]
    texts: Texts | None = None

    def plan(self, name: str) -> WritePlan:
        treatments = self.treatments[name]
        return WritePlan(
            fields=tuple(treatments.fields),
            lookups=tuple(treatments.lookups),
            moved=tuple(treatments.moved),
            taken=treatments.taken,
            constants=treatments.constants,
            follows=self._follows(name),
            order=self.policy.order,
        )

    def _follows(self, name: str) -> Follows:
        """Fields that follow another, where that was suppressed."""
        solved = self.solved
        if solved.by_people:
            return solved.follows(self.seen[name])
        if solved.prepared is None or solved.solution is None or not self.seen[name].is_person:
            return {}
        prepared = solved.prepared
        return follows_of(prepared.policy, prepared.bins, prepared.hierarchies, solved.solution.recoding)

    @property
    def judged(self) -> Judged:
        prepared = self.solved.prepared
        return Judged(
            policy=self.policy,
            seen=self.seen,
            models=() if prepared is None else prepared.models,
            known=() if prepared is None else prepared.known,
            by_people=self.solved.by_people,
            people_models=self.solved.people_models,
            bin_sizes={name: stage.bin_size for name, stage in self.staged.items() if stage.bin_size is not None},
        )


def plan_tables(
    database: Database,
    policy: Policy,
    *,
    key: Key | None,
    lookup_file: Path | None,
    progress: Progress,
    collected: Engine | None = None,
) -> Planned:
    """Check the source, find a recoding, stage every table and decide what takes the place of what.

    `collected` is a single table as it was before steps were taken.
    """
    progress("looking at the tables")
    names = {
        name: [info.name for info in database.view(TableView(table=name)).fields()]
        for name in database.tables()
        if name in policy.tables
    }
    check_tables_against(policy, names)
    check_shifts(policy)
    seen = sights(policy)
    orphans = check_source(database, policy, seen)
    solved = solve(database, policy, seen, progress=progress)
    staged: dict[str, Staged] = {}
    replacing = Replacing(policy, staged, key=key, lookup_file=lookup_file)
    stage_tables(database, policy, seen, solved, orphans=orphans, instead=replacing, into=staged, progress=progress)
    _check_rows_left(staged)
    check_left_out(policy, tuple(left_out_of(staged).values()))
    sets = recode_sets(policy, staged, progress=progress)
    treatments = {name: replacing.treat(name, solved, sets.get(name, ())) for name in seen}
    if solved.prepared is not None and solved.solution is not None:
        person = next(name for name, sight in seen.items() if sight.is_person)
        treatments[person].words |= recoding_words(solved.solution, solved.prepared.bins, solved.prepared.hierarchies)
    planned = Planned(policy=policy, seen=seen, solved=solved, staged=staged, sets=sets, treatments=treatments)
    for name, found in treatments.items():
        found.words |= link(found, planned.plan(name).follows).words
    texts = texts_of_tables(
        database, policy, staged, treatments, replacing=replacing, collected=collected, progress=progress
    )
    return replace(planned, texts=texts)


def left_out_of(staged: Mapping[str, Staged]) -> dict[str, LeftOut]:
    """For each table with people's rows, the people who are not in it any more."""
    found = {name: stage.left_out for name, stage in staged.items()}
    return {name: one for name, one in found.items() if one is not None}


def _check_rows_left(staged: Mapping[str, Staged]) -> None:
    person = next(stage for stage in staged.values() if stage.sight.is_person)
    if person.rows == 0:
        raise NoRecodingFound(
            "No recoding that was found keeps the requirements and any person.",
            found=f"All {person.rows_source} rows of {person.sight.name} would be suppressed.",
            attempt="weaker requirements, or coarser levels; a lower limit on suppressed rows finds this out sooner.",
        )


def write_tables(planned: Planned, place: Destination, *, progress: Progress) -> None:
    """Each table by itself; as many rows as were staged."""
    for name, stage in planned.staged.items():
        progress(f"writing {name}")
        written = place.write(stage.engine, planned.plan(name), name)
        if written != stage.rows:
            raise Bug(f"{stage.rows} rows of {name} were planned and {written} were written.")


def count_tables(planned: Planned, place: Destination, *, progress: Progress) -> TablesRecount:
    """Open what was written afresh and count it; what breaks a requirement is refused."""
    progress("counting what was written")
    stages = {name: stage.engine for name, stage in planned.staged.items()}
    with place.database(tuple(planned.staged)) as written:
        found = recount_tables(written, planned.judged, stages=stages)
        left = dict(_originals_left(planned, written))
        found = replace(found, as_text=tuple(_as_text(planned, written)), formulas=_formulas(planned, written, place))
        texts = planned.texts.broken(lambda name: written.view(TableView(table=name))) if planned.texts else []
    if planned.texts is not None:
        found = replace(found, verdicts=(*found.verdicts, *planned.texts.verdicts))
    rows = planned.solved.prepared.rows if planned.solved.prepared is not None else 0
    check_all_judged(
        required_of_tables(planned.judged, rows=rows, bins=found.bins, counted=found.counted), found.verdicts
    )
    broken = [f"{v.model} ({v.requirement}): {v.reason}" for v in found.verdicts if v.outcome == "fail"]
    broken += [*found.broken, *texts]
    broken += [f"{name} still has {counted(count, 'original value')}" for name, count in left.items() if count]
    broken += [
        f"{found.rows[name]} rows of {name} were found and {stage.rows} were staged"
        for name, stage in planned.staged.items()
        if found.rows[name] != stage.rows
    ]
    if broken:
        again = "another solver, or weaker requirements"
        if any(left.values()) and overall(found.verdicts) != "fail":
            again = 'replace = "number" or "hash" for these fields'
        raise CandidateFailed(
            "The candidate was written, counted again, and breaks what was required.",
            found="; ".join(broken) + ".",
            attempt=f"{again}; the candidate was removed and nothing was released.",
        )
    return found


def _formulas(planned: Planned, written: Database, place: Destination) -> tuple[str, ...]:
    """Warnings about cells and names that a spreadsheet would run."""
    quoted = planned.policy.quote_formulas
    views = {name: written.view(TableView(table=name)) for name in planned.staged}
    return tuple(
        sentence
        for name, view in views.items()
        for sentence in formula_warnings(view, place.called(name), quoted=quoted, table=name if len(views) > 1 else "")
    )


def _as_text(planned: Planned, written: Database) -> Iterator[str]:
    """The kept fields that a file holds as text and the source does not."""
    for name, stage in planned.staged.items():
        kept = [field for field, words in planned.treatments[name].words.items() if words == KEPT]
        for field in stored_as_text(stage.engine, written.view(TableView(table=name)), kept):
            yield f"{name}.{field}"


def _originals_left(planned: Planned, written: Database) -> Iterator[tuple[str, int]]:
    """For every replaced field that is no link, how many originals stand in the release."""
    for name, stage in planned.staged.items():
        links = {link.field for link in stage.sight.policy.links}
        for field in planned.treatments[name].replaced:
            if field in links:
                continue
            after = written.view(TableView(table=name))
            yield f"{name}.{field}", values_left(stage.engine, after, stage.sight.policy.fields[field])


def document_tables(
    planned: Planned,
    database: Database,
    found: TablesRecount,
    place: Destination,
    *,
    created: str,
    stepped: Stepped | None = None,
) -> tuple[Outcome, dict[str, Any]]:
    """Write manifest, report and policy into the folder of the release."""
    if stepped is not None:
        for treatments in planned.treatments.values():
            treatments.words |= stepped.words(treatments.words)
    outcome: Outcome = "review" if planned.policy.proposed else overall(found.verdicts)
    made = Made(
        policy=planned.policy,
        solved=planned.solved,
        staged=planned.staged,
        sets=planned.sets,
        treatments=planned.treatments,
        found=found,
        places={name: place.facts(name) for name in planned.staged},
        engine=database.name,
        snapshot=database.snapshot(),
        created=created,
        outcome=outcome,
        warnings=(
            *tables_warnings(planned.policy, planned.staged, planned.treatments, planned.solved),
            *stored_types_warnings(found.as_text, place.called(next(iter(planned.staged)))),
            *found.formulas,
            *(stepped.warnings if stepped is not None else ()),
            *(planned.texts.warnings if planned.texts is not None else ()),
        ),
        title=database.title,
    )
    facts = tables_manifest(made).as_dict()
    facts |= {"steps": stepped.facts()} if stepped is not None and stepped.taken else {}
    facts |= planned.texts.facts() if planned.texts is not None else {}
    page = render_tables(tables_facts(made))
    return outcome, write_documents(facts, place.folder, policy=as_said(planned.policy), page=page)
