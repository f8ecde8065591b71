"""The flow of a table with one row per person: bins are counted in rows, which is the case that is
fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sfumato.bins import Bins, LabelledRecoding
from sfumato.engines import Engine, Lookup, WritePlan
from sfumato.errors import Bug, NoRecodingFound
from sfumato.measures import Utility, smallest_strict_and_wildcard, utility
from sfumato.policy import CellReading, NullRule, Order, Policy, Role
from sfumato.report import render
from sfumato.solvers import Solution
from sfumato.wording import counted

from .ads0_after_steps import ads0_after_steps
from .destinations import Destination, WrittenTables
from .disclosure_warnings import (
    decision_warnings,
    level_warnings,
    one_valued_warnings,
    telling_warnings,
)
from .flow import Account, Description, RecountedRelease, StagedTable, Stages, Summary
from .followers import Follows, follows_of, link
from .households import Together, household_facts, household_warnings, keep_together
from .lookups import recoding_lookups
from .manifest import ONE_TABLE, Manifest, ReleaseShape, TableEntry
from .prepared_source import PreparedSource, prepare
from .recoding_account import recoding_sections, solver_facts
from .release_recount import Recount, recount
from .report_facts import report_facts
from .request import ReleaseRequest
from .required_verdicts import required_of_bins, required_of_texts
from .rule_vacuity import check_vacuous_rules
from .steps import SteppedTable
from .suppression import BINS, HOUSEHOLDS, LeftOut, check_left_out
from .texts.text_step import has_texts, texts_of_one
from .treatments import KEPT, Treatments, recoding_words, treat

if TYPE_CHECKING:
    from .texts.text_lookups import Texts

NAME = ONE_TABLE
MOST_NAMED = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class SolvedTable:
    """The recoding of the table, with households kept together, and the rows that are suppressed,
    by reason."""

    together: Together
    left_out: LeftOut

    @property
    def prepared(self) -> PreparedSource:
        return self.together.prepared

    @property
    def solution(self) -> Solution:
        return self.together.solution

    @cached_property
    def utility(self) -> Utility:
        """The utility that remains of the source; measured once for manifest, report and
        summary."""
        return utility(self.prepared.bins, self.prepared.hierarchies, self.solution.recoding)


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannedTable:
    """The treatment of each field of the table."""

    solved: SolvedTable
    engine: Engine
    treatments: Treatments
    follows: Follows
    texts: Texts | None

    def words(self) -> dict[str, dict[str, str]]:
        return {NAME: self.treatments.words | _recoding_words(self.solved.together)}

    @property
    def kept(self) -> tuple[str, ...]:
        """The fields that are released as they are and that nobody links on."""
        words, known = self.words()[NAME], self.solved.prepared.known
        return tuple(
            name for name in self.treatments.fields if words[name] == KEPT and name not in known
        )


class OneRowFlow:
    """A table in which each person has one row. `collected` is the table before the steps of the
    policy."""

    joins_tables = False
    counts = "rows"

    def __init__(
        self, request: ReleaseRequest, policy: Policy, *, stepped: SteppedTable, collected: Engine
    ) -> None:
        self.policy, self._request = policy, request
        self._stepped, self._collected = stepped, collected

    @property
    def source(self) -> Engine:
        return self._stepped.engine

    def count(self) -> PreparedSource:
        self._request.progress("counting bins")
        pairing = self._stepped.followed.pairing
        check_vacuous_rules(self.policy, self._stepped.engine)
        return prepare(
            self._stepped.engine, self.policy, limit=_limit(self.policy), pairing=pairing
        )

    def solve(self, counted: PreparedSource) -> SolvedTable:
        self._request.progress(f"solving with {counted.solver.name}")
        solution = counted.solver.solve(counted.bins, counted.hierarchies)
        alone = solution.recoding.rows_suppressed(counted.bins)
        together = keep_together(counted.engine, counted, solution)
        _check_rows_left(together.prepared, together.solution)
        left_out = _left_out(together, alone, self._stepped)
        check_left_out(self.policy, (left_out,))
        return SolvedTable(together=together, left_out=left_out)

    def plan(self, solved: SolvedTable) -> PlannedTable:
        prepared, request = solved.prepared, self._request
        treatments = treat(
            prepared.engine, self.policy, key=request.key, lookup_file=request.lookup_file
        )
        follows = follows_of(
            self.policy, prepared.bins, prepared.hierarchies, solved.solution.recoding
        )
        treatments = link(treatments, follows)
        texts = texts_of_one(
            prepared.engine,
            self.policy,
            treatments,
            collected=self._collected,
            words=treatments.words | _recoding_words(solved.together),
            progress=request.progress,
        )
        return PlannedTable(
            solved=solved,
            engine=prepared.engine,
            treatments=treatments,
            follows=follows,
            texts=texts,
        )

    def stage(self, planned: PlannedTable) -> Stages:
        together, treatments = planned.solved.together, planned.treatments
        recoding = together.written
        lookups, drop = recoding_lookups(together.planned, together.prepared.hierarchies, recoding)
        plan = WritePlan(
            fields=tuple(treatments.fields),
            lookups=(*lookups, *treatments.lookups),
            constants=treatments.constants,
            drop=drop,
            follows=planned.follows,
            order=self.policy.order,
        )
        table = StagedTable(
            name=NAME,
            engine=planned.engine,
            plan=plan,
            rows=together.prepared.rows - recoding.rows_suppressed(together.planned),
            source=planned.engine,
            replaced=tuple(self.policy.fields[name] for name in treatments.replaced),
            kept=planned.kept,
            title="the table",
            is_stage=False,
        )
        return Stages(tables=(table,))

    def recount(self, planned: PlannedTable, written: WrittenTables) -> RecountedRelease[Recount]:
        prepared = planned.solved.prepared
        found = recount(
            written.table(NAME),
            prepared.known,
            prepared.models,
            sensitive=[
                name
                for name in self.policy.named(Role.SENSITIVE)
                if name in planned.treatments.fields
            ],
            suppressed=planned.follows,
        )
        _check_labels(prepared, planned.solved.solution, found)
        required = required_of_bins(self.policy, prepared.known, prepared.rows, bins=found.bins)
        return RecountedRelease(
            found=found,
            rows={NAME: found.rows},
            verdicts=found.verdicts,
            required=(*required, *required_of_texts(self.policy.fields)),
        )

    def count_bins(self, solved: SolvedTable) -> Mapping[str, Bins]:
        return {NAME: solved.together.planned}

    def recoding(self, solved: SolvedTable) -> Mapping[str, Sequence[Lookup]]:
        together = solved.together
        hierarchies, recoding = together.prepared.hierarchies, together.written
        lookups, drop = recoding_lookups(together.planned, hierarchies, recoding)
        return {NAME: (*lookups, *((drop,) if drop is not None else ()))}

    def recount_bins(
        self, planned: PlannedTable, recounted: RecountedRelease[Recount], written: WrittenTables
    ) -> Mapping[str, Bins]:
        return {NAME: recounted.found.bins}

    def warnings(
        self, planned: PlannedTable, recounted: RecountedRelease[Recount]
    ) -> tuple[str, ...]:
        words = planned.words()[NAME]
        return (
            *_warnings(planned.solved.together, planned.treatments, recounted.found),
            *telling_warnings(planned.engine, self.policy, planned.treatments, words),
        )

    def describe(
        self, planned: PlannedTable, recounted: RecountedRelease[Recount], account: Account
    ) -> Description:
        prepared, solution, found = (
            planned.solved.prepared,
            planned.solved.solution,
            recounted.found,
        )
        measured = planned.solved.utility
        ads0 = ads0_after_steps(prepared, found, followed=self._stepped.followed)
        household = household_facts(self.policy, planned.solved.together.risk)
        manifest = Manifest(
            shape=ReleaseShape.ONE_ROW_EACH,
            created=account.created,
            outcome=account.outcome,
            policy=self.policy,
            verdicts=account.verdicts,
            tables={NAME: self._entry(planned, recounted, account)},
            engine=planned.engine.name,
            snapshot=planned.engine.snapshot(),
            solver=solver_facts(prepared, solution),
            warnings=account.warnings,
            sections={
                **recoding_sections(prepared, solution),
                "utility": measured.as_dict(),
                "ads0": {"holds": ads0.holds, "k_map": ads0.k_map, "reason": ads0.reason},
                **({"household": dict(household)} if household is not None else {}),
                **account.sections,
            },
        )

        def page(facts: Mapping[str, Any]) -> str:
            return render(
                report_facts(
                    prepared,
                    solution,
                    found,
                    verdicts=account.verdicts,
                    title=planned.engine.title,
                    created=account.created,
                    engine=planned.engine.name,
                    outcome=account.outcome,
                    utility=measured,
                    ads0=ads0,
                    words=account.words[NAME],
                    warnings=account.warnings,
                    files=account.place.digests(facts["tables"][NAME]),
                )
            )

        return Description(manifest=manifest, page=page)

    def _entry(
        self, planned: PlannedTable, recounted: RecountedRelease[Recount], account: Account
    ) -> TableEntry:
        """The table as the manifest has it."""
        source, released = planned.solved.prepared.rows, recounted.found.rows
        rows = {"source": source, "released": released, "suppressed": source - released}
        return TableEntry(
            place=account.place.facts(NAME),
            rows=rows | (self._stepped.account(source) if self._stepped.taken else {}),
            left_out=planned.solved.left_out.as_dict(),
            fields=account.words[NAME],
        )

    def summarise(
        self, planned: PlannedTable, recounted: RecountedRelease[Recount], place: Destination
    ) -> Summary:
        rows = recounted.found.rows
        return Summary(
            table=NAME,
            rows=rows,
            rows_suppressed=planned.solved.prepared.rows - rows,
            lost=planned.solved.utility.lost,
        )


def _left_out(together: Together, alone: int, stepped: SteppedTable) -> LeftOut:
    """The rows that are not released, by reason; `alone` are those that the solver left out by
    itself."""
    gone = together.written.rows_suppressed(together.planned)
    return LeftOut(
        unit="rows",
        source=together.prepared.rows,
        by_reason={BINS: alone, HOUSEHOLDS: gone - alone},
        sampled=stepped.sampled_out,
    )


def _limit(policy: Policy) -> int | None:
    """How many bins are not rolled up. Where a row identifies itself in its text, it must stay as
    it was collected."""
    return None if has_texts(policy) and policy.entity is None else policy.solve.max_bins


def _recoding_words(together: Together) -> dict[str, str]:
    prepared = together.prepared
    return recoding_words(together.solution, prepared.bins, prepared.hierarchies)


def _check_rows_left(prepared: PreparedSource, solution: Solution) -> None:
    """An empty table keeps every requirement and is no use to anyone."""
    if solution.recoding.rows_suppressed(prepared.bins) >= prepared.bins.rows:
        raise NoRecodingFound(
            f"No recoding that {solution.solver} found keeps the requirements and any row.",
            found=f"All {prepared.bins.rows} rows would be suppressed, and the policy's limit "
            "allows that.",
            attempt="weaker requirements, or coarser levels; a lower limit on suppressed rows "
            "finds this out sooner.",
        )


def _check_labels(prepared: PreparedSource, solution: Solution, found: Recount) -> None:
    """Every value read back in a known field is a label of its hierarchy, or one that the recoding
    made."""
    recoding = solution.recoding
    for column, (name, labels) in enumerate(zip(found.bins.fields, found.bins.labels, strict=True)):
        made = recoding.labels[column] if isinstance(recoding, LabelledRecoding) else ()
        hierarchy = prepared.hierarchies[name]
        unknown = {*labels}.difference(made, *hierarchy.labels[hierarchy.finest :])
        strange = len(unknown)
        if strange and not (
            strange == 1 and None in labels
        ):  # CSV reads an empty text back as null.
            raise Bug(
                f"{name} was written with {counted(strange, 'value')} that its hierarchy "
                "does not have."
            )


def _over(known: tuple[str, ...]) -> str:
    """The known fields by their names, or their number where a list would hide the message."""
    few = len(known) <= MOST_NAMED
    return f"({', '.join(known)})" if few else f"all {len(known)} fields that may be known"


def _unique_warning(policy: Policy, known: tuple[str, ...], wildcard: int) -> str:
    """A row is unique where suppressed cells are values of their own; `wildcard` is the smallest bin where
    they are not."""
    matches = policy.nulls is NullRule.MATCHES_ANYTHING
    cell = "suppressed or missing cell" if matches else "suppressed cell"
    also = f"; {wildcard} when a {cell} may match anything" if wildcard else ""
    release = "The release"
    if policy.require.reading is CellReading.WILDCARD:
        release = f"Where a {cell} is a value of its own, the release"
    return (
        f"{release} is not k-anonymous over {_over(known)}: some row is unique (smallest bin "
        f"1{also})."
    )


def _warnings(together: Together, treatments: Treatments, found: Recount) -> tuple[str, ...]:
    """Warnings to read before the release is published. Counts and field names only."""
    prepared = together.prepared
    policy = prepared.policy
    out = list(household_warnings(policy, tuple(treatments.fields), together.risk))
    if prepared.rolled_up is not None and prepared.rolled_up.is_raised:
        out.append(
            f"More than max_bins = {prepared.rolled_up.limit:,} bins are too many to "
            "search. They were rolled up to "
            "coarser levels first, and no finer recoding was searched."
        )
    out += decision_warnings(policy)
    out += level_warnings(policy, prepared.known, prepared.bins.rows)
    trusted = [n for n in policy.named(Role.QUASI) if n not in prepared.known]
    if trusted:
        out.append(
            "Not protected, because the profile says this recipient does not link on "
            f"them: {', '.join(trusted)}."
        )
    out += [
        f"The survey weights in {weight} are released as they are: rows of one stratum "
        "often share a weight, which "
        "can reveal region, size or group."
        for weight in policy.require.weights
        if treatments.words[weight] == KEPT and weight not in prepared.known
    ]
    texts = [name for name in policy.named(Role.TEXT) if name not in treatments.fields]
    if texts:
        out.append(f"Free text is removed, not released: {', '.join(texts)}.")
    if policy.order is Order.KEEP:
        out.append(
            "Rows are in the order of the source, which can reveal who came first (Sweeney "
            "1997, section 3.7)."
        )
    out += one_valued_warnings(found.one_valued, bins=len(found.bins))
    if prepared.known and len(found.bins):
        strict, wildcard = smallest_strict_and_wildcard(
            found.bins, prepared.known, nulls=policy.nulls
        )
        if strict == 1:
            out.append(_unique_warning(policy, prepared.known, wildcard))
    for name, replacer in treatments.replacers.items():
        redrawn = getattr(replacer, "redrawn", 0)
        if redrawn:
            out.append(
                f"{counted(redrawn, 'value')} of {name} drawn again to stay one-to-one may "
                "differ in another "
                "release with the same key."
            )
    return tuple(out)
