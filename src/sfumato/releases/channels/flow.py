"""The flow of a release with names by channels (Garfinkel, Gopal and Thompson 2007): subjects drawn
into channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sfumato.bins import Bins
from sfumato.engines import Engine, Lookup, WritePlan
from sfumato.errors import Mistake, NoRecodingFound, PolicyError, Problem, SourceError, TargetError
from sfumato.policy import Channels, Policy, Replacement, Role, check_against
from sfumato.protection import exactly
from sfumato.solvers.channels import ChannelExpansion, ChannelPlan, Inputs
from sfumato.wording import counted

from ..destinations import Destination, WrittenTables
from ..flow import Account, Description, RecountedRelease, StagedTable, Stages, Summary
from ..inventory import digest_of, size_of
from ..manifest import ONE_TABLE
from ..prepared_source import repeats
from ..request import ReleaseRequest
from ..treatments import KEPT, Treatments, treat
from .account_files import CHANNELS, STATISTICS, statistics_of, write_account
from .altered_values import altered
from .assignment import drawn, sets_lookup
from .channel_manifest import field_words, manifest_facts, warnings_of
from .recount import RecountedChannels, recount_channels, required_of_channels, tolerance_of
from .report import render_channels

NAME = ONE_TABLE
MOST_INPUTS = 5_000


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannedChannels:
    """The channels of each subject, and what happens to the fields beside them."""

    plan: ChannelPlan
    policy: Policy
    treatments: Treatments
    texts: None = None

    @property
    def channels(self) -> Channels:
        return channels_of(self.policy)

    def words(self) -> dict[str, dict[str, str]]:
        return {NAME: field_words(self.policy, self.channels, self.treatments.words)}


class ChannelsFlow:
    """The table with identifiers and channel sets, the channels and the statistical table."""

    joins_tables = False
    counts = "subjects"

    def __init__(self, request: ReleaseRequest, policy: Policy, *, engine: Engine) -> None:
        self.policy, self._request, self._engine = policy, request, engine
        self._channels = channels_of(policy)

    @property
    def source(self) -> Engine:
        return self._engine

    def count(self) -> Bins:
        if self._request.address:
            raise TargetError(
                "A release by channels is three tables in a folder.",
                found="It was asked for in a database.",
                attempt="a folder with --to; its files can be copied in.",
            )
        self._request.progress("counting input channels")
        return count_inputs(self._engine, self.policy, self._channels)

    def solve(self, counted: Bins) -> ChannelPlan:
        self._request.progress("solving with channels")
        plan = solve_channels(counted, self.policy, self._channels)
        _check_disclosed(plan, self._channels)
        return plan

    def plan(self, solved: ChannelPlan) -> PlannedChannels:
        request, others = self._request, _without_names(self.policy, self._channels)
        treatments = treat(self._engine, others, key=request.key, lookup_file=request.lookup_file)
        return PlannedChannels(plan=solved, policy=self.policy, treatments=treatments)

    def stage(self, planned: PlannedChannels) -> Stages:
        channels, treatments = self._channels, planned.treatments
        looked_up = (key for one in treatments.lookups for key in one.keys)
        person = self._request.person or self.policy.entity
        recorded = (*filter(None, [person]), *channels.confidential_names)  # For a people record.
        stage = drawn(
            self._engine,
            planned.plan,
            channels,
            tuple(dict.fromkeys((*treatments.fields, *looked_up, *recorded))),
        )
        if channels.altered:
            stage = altered(stage, planned.plan, channels, tolerance_of(channels))
        fields = [name for name in treatments.fields if name not in channels.fields]
        table = StagedTable(
            name=NAME,
            engine=stage,
            plan=WritePlan(
                fields=(*fields, *channels.own_fields, *_in_rows(channels)),
                lookups=(
                    *(() if channels.compact else (sets_lookup(planned.plan, channels),)),
                    *treatments.lookups,
                ),
                constants=treatments.constants,
                order=self.policy.order,
            ),
            rows=planned.plan.inputs.subjects,
            source=self._engine,
            replaced=tuple(self.policy.fields[name] for name in treatments.replaced),
            kept=tuple(name for name in fields if treatments.words[name] == KEPT),
            title="the tables",
            is_temporary=True,
        )

        def write_beside(folder: Path) -> None:
            write_account(folder, planned.plan, channels)

        return Stages(tables=(table,), write_beside=write_beside)

    def recount(
        self, planned: PlannedChannels, written: WrittenTables
    ) -> RecountedRelease[RecountedChannels]:
        found = recount_channels(written.table(NAME), written.folder, self._channels)
        broken = [
            f"it does not hold that {claim}" for claim, holds in found.agrees.items() if not holds
        ]
        if {*self._channels.confidential_names} & {
            info.name for info in written.table(NAME).fields()
        }:
            broken.append("a confidential field is in it")
        if found.rows != planned.plan.inputs.subjects:
            broken.append(f"{found.rows} of {planned.plan.inputs.subjects} rows are in it")
        return RecountedRelease(
            found=found,
            rows={NAME: found.rows},
            verdicts=found.verdicts,
            required=tuple(required_of_channels(self._channels)),
            broken=broken,
            attempt="reporting this",
        )

    def count_bins(self, solved: ChannelPlan) -> Mapping[str, Bins]:
        return {NAME: count_inputs(self._engine, self.policy, self._channels)}

    def recoding(self, solved: ChannelPlan) -> Mapping[str, Sequence[Lookup]]:
        return {NAME: (sets_lookup(solved, self._channels),)}

    def recount_bins(
        self,
        planned: PlannedChannels,
        recounted: RecountedRelease[RecountedChannels],
        written: WrittenTables,
    ) -> Mapping[str, Bins]:
        fields = (*self._channels.own_fields, *_in_rows(self._channels))
        return {NAME: Bins.count(written.table(NAME), fields)}

    def warnings(
        self, planned: PlannedChannels, recounted: RecountedRelease[RecountedChannels]
    ) -> tuple[str, ...]:
        return warnings_of(self._engine, self.policy, planned.plan, recounted.found.account)

    def describe(
        self,
        planned: PlannedChannels,
        recounted: RecountedRelease[RecountedChannels],
        account: Account,
    ) -> Description:
        folder = account.place.folder
        manifest = manifest_facts(
            self._engine,
            self.policy,
            planned.plan,
            recounted.found,
            outcome=account.outcome,
            words=account.words[NAME],
            warnings=account.warnings,
            created=account.created,
            table=account.place.facts(NAME),
            tables={
                name.removesuffix(".csv"): {
                    "file": name,
                    "sha256": digest_of(folder / name),
                    "bytes": size_of(folder / name),
                }
                for name in (CHANNELS, STATISTICS)
            },
        )
        title = self._engine.title
        return Description(
            manifest=manifest,
            page=lambda facts: render_channels(
                facts, planned.plan, title=title, policy=self.policy
            ),
        )

    def summarise(
        self,
        planned: PlannedChannels,
        recounted: RecountedRelease[RecountedChannels],
        place: Destination,
    ) -> Summary:
        target = self._request.target
        return Summary(
            table=NAME,
            rows=recounted.found.rows,
            rows_suppressed=0,
            tables={
                NAME: place.called(NAME),
                "channels": target / CHANNELS,
                "statistics": target / STATISTICS,
            },
        )


def _in_rows(channels: Channels) -> tuple[str, ...]:
    """The fields whose sets are in every row; of a compact release, none."""
    return () if channels.compact else channels.fields


def channels_of(policy: Policy) -> Channels:
    assert policy.channels is not None
    return policy.channels


def count_inputs(engine: Engine, policy: Policy, channels: Channels) -> Bins:
    """The bins, after every problem that the policy has with the data."""
    check_against(policy, tuple(info.name for info in engine.fields()))
    rows = engine.count_rows()
    if rows == 0:
        raise SourceError(f"{engine.title} holds no row.", attempt="a table with at least one row.")
    _check_one_row_each(engine, policy, channels, rows)
    bins = Bins.count(engine, channels.fields, sensitive=channels.confidential_names)
    if len(bins) > MOST_INPUTS:
        raise Mistake(
            f"Channels over {', '.join(channels.fields)} were asked for.",
            found=f"There are {len(bins):,} input channels, and at most {MOST_INPUTS:,} are "
            "combined.",
            attempt="fewer fields, or coarser values in them.",
        )
    problems = []
    for number, each in enumerate(channels.confidential_fields):
        known = {*each.tolerance, *each.none, None}
        strange = sum(value not in known for value in bins.histograms[each.name].values)
        if strange:
            where = "channels" if number == 0 else f"channels.also[{number - 1}]"
            found = f"{each.name} has {counted(strange, 'value')} neither in tolerance nor in none."
            attempt = (
                "a tolerance for each that must not be inferred, and naming the others in "
                f"{where}.none."
            )
            problems.append(Problem(where=f"{where}.tolerance", found=found, attempt=attempt))
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")
    return bins


def _check_one_row_each(engine: Engine, policy: Policy, channels: Channels, rows: int) -> None:
    """A person with two rows has two channels, and is in both. Subjects therefore have one row
    each, and are distinguished."""
    alone = int(engine.bin_sizes(channels.identifiers)[1]) if policy.entity is None else rows
    if alone < rows or repeats(engine, policy):
        raise SourceError(
            f"{engine.title} has several rows for somebody, and a release by channels "
            "needs one each.",
            found="A subject in two channels is in their intersection."
            + (
                f" {rows - alone} rows share their identifiers with others." if alone < rows else ""
            ),
            attempt="one row for each subject, or naming as entity the field that distinguishes "
            "subjects.",
        )


def solve_channels(bins: Bins, policy: Policy, channels: Channels) -> ChannelPlan:
    """The assignment of least cost that a search as the policy asks for it finds."""
    return ChannelExpansion(
        confidential=", ".join(channels.confidential_names),
        tolerance=tolerance_of(channels),
        rules=channels.rules,
        max_inputs=channels.max_inputs,
        max_differing=channels.max_differing,
        whole_subjects=channels.whole_subjects,
        rounded=True,
        candidates=channels.candidates,
        count=channels.count,
        seconds=channels.seconds,
        work=channels.work,
        seed=policy.solve.seed,
    ).assign(inputs_of(bins, channels))


def inputs_of(bins: Bins, channels: Channels) -> Inputs:
    """Input channels, with the weights of fields and the statistics in which they are published."""
    found = Inputs.of_fields(bins, channels.risky_values)
    coarser = statistics_of(found.values, channels)
    return replace(
        found,
        field_weights=channels.field_weights,
        statistic_of=None if coarser is None else coarser.of,
    )


def _check_disclosed(plan: ChannelPlan, channels: Channels) -> None:
    """Refuse a plan that discloses nothing about more subjects than the policy allows."""
    most, found = channels.max_undisclosed, plan.account().undisclosed()
    if most is None or found <= exactly(most) * plan.inputs.subjects:
        return
    raise NoRecodingFound(
        f"A release was asked for that discloses nothing about at most {most:g} of its subjects.",
        found=f"The best plan discloses nothing about {found:,} of {plan.inputs.subjects:,} "
        "subjects.",
        attempt="a higher tolerance, bound or channels.seconds, fewer fields, or a higher "
        "channels.max_undisclosed.",
    )


def _without_names(policy: Policy, channels: Channels) -> Policy:
    """The policy as it is for the other fields: names are kept here, the confidential field is
    not."""
    fields = dict(policy.fields)
    for name in channels.identifiers:
        fields[name] = replace(fields[name], role=Role.INSENSITIVE, replace=None)
    for name in channels.confidential_names:
        fields[name] = replace(fields[name], role=Role.DIRECT, replace=Replacement())
    return replace(policy, fields=fields)
