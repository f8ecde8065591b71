"""A release with names (paper 002): counted, solved, drawn, written aside, counted again and told about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.bins import Bins
from sfumato.engines import Engine, WritePlan
from sfumato.errors import (
    Bug,
    CandidateFailed,
    Mistake,
    NoRecodingFound,
    PolicyError,
    Problem,
    SourceError,
    TargetError,
)
from sfumato.policy import Channels, Policy, Replacement, Role, check_against
from sfumato.protection import Outcome, overall
from sfumato.protection.channel_risk import exactly
from sfumato.solvers.channels import ChannelExpansion, ChannelPlan
from sfumato.wording import counted

from ..asked import Asked, Release
from ..destinations import Destination, destination
from ..documents import write_documents
from ..inventory import digest_of, size_of
from ..preparing import repeats
from ..treatments import Treatments, treat
from .account_files import CHANNELS, STATISTICS, write_account
from .assigning import drawn, sets_lookup
from .describing import field_words, manifest_facts, warnings_of
from .recounting import Recounted, recount_channels, tolerance_of
from .report import render_channels

NAME = "release"
MOST_INPUTS = 4_000


def release_channels(engine: Engine, policy: Policy, asked: Asked, *, proposed_file: Path | None) -> Release:
    """The table with identifiers and channel sets, the channels, the statistical table, manifest and report."""
    channels = policy.channels
    assert channels is not None
    if asked.address:
        raise TargetError(
            "A release by channels is three tables in a folder.",
            found="It was asked for in a database.",
            attempt="a folder with --to; its files can be copied in.",
        )
    asked.progress("counting input channels")
    bins = _counted(engine, policy, channels)
    asked.progress("solving with channels")
    plan = _solved(bins, policy, channels)
    _check_disclosed(plan, channels)
    treatments = treat(engine, _without_names(policy, channels), key=asked.key, lookup_file=asked.lookup_file)
    with destination(asked, engine) as place:
        asked.progress("writing the tables")
        _write(engine, plan, policy, treatments, place)
        write_account(place.folder, plan, channels)
        asked.progress("counting what was written")
        with place.opened(NAME) as written:
            found = recount_channels(written, place.folder, channels)
            outcome = _judge(written, policy, plan, found)
        asked.progress("writing manifest and report")
        facts = _document(engine, policy, plan, found, outcome=outcome, treatments=treatments, place=place, asked=asked)
        digest = place.publish()
    tables = {
        "release": place.called(NAME),
        "channels": asked.target / CHANNELS,
        "statistics": asked.target / STATISTICS,
    }
    return Release(
        folder=asked.target,
        table=place.called(NAME),
        outcome=outcome,
        verdicts=found.verdicts,
        rows=found.rows,
        rows_suppressed=0,
        policy=policy,
        proposed_file=proposed_file,
        tables=tables,
        manifest=facts,
        digest=digest,
    )


def _counted(engine: Engine, policy: Policy, channels: Channels) -> Bins:
    """The bins, after every problem that the policy has with the data."""
    check_against(policy, tuple(info.name for info in engine.fields()))
    rows = engine.count_rows()
    if rows == 0:
        raise SourceError(f"{engine.title} holds no row.", attempt="a table with at least one row.")
    _check_one_row_each(engine, policy, channels, rows)
    bins = Bins.count(engine, channels.fields, sensitive=(channels.confidential,))
    if len(bins) > MOST_INPUTS:
        raise Mistake(
            f"Channels over {', '.join(channels.fields)} were asked for.",
            found=f"There are {len(bins):,} input channels, and at most {MOST_INPUTS:,} are combined.",
            attempt="fewer fields, or coarser values in them.",
        )
    known = {*channels.tolerance, *channels.none, None}
    strange = sum(value not in known for value in bins.histograms[channels.confidential].values)
    if strange:
        found = f"{channels.confidential} has {counted(strange, 'value')} neither in tolerance nor in none."
        attempt = "a tolerance for each that must not be told, and naming the others in channels.none."
        raise PolicyError([Problem(where="channels.tolerance", found=found, attempt=attempt)], name=policy.name)
    return bins


def _check_one_row_each(engine: Engine, policy: Policy, channels: Channels, rows: int) -> None:
    """Who has two rows has two channels, and is in both: so subjects have one row each, and are told apart."""
    alone = int(engine.bin_sizes(channels.identifiers)[1]) if policy.entity is None else rows
    if alone < rows or repeats(engine, policy):
        raise SourceError(
            f"{engine.title} has several rows for somebody, and a release by channels needs one each.",
            found="Who is in two channels is in what they have in common."
            + (f" {rows - alone} rows share their identifiers with others." if alone < rows else ""),
            attempt="one row for each subject, or naming as entity the field that tells subjects apart.",
        )


def _solved(bins: Bins, policy: Policy, channels: Channels) -> ChannelPlan:
    return ChannelExpansion(
        confidential=channels.confidential,
        tolerance=tolerance_of(channels),
        rules=channels.rules,
        max_inputs=channels.max_inputs,
        whole_subjects=channels.whole_subjects,
        rounded=True,
        candidates=channels.candidates,
        count=channels.count,
        seconds=channels.seconds,
        work=channels.work,
        seed=policy.solve.seed,
    ).solve(bins)


def _check_disclosed(plan: ChannelPlan, channels: Channels) -> None:
    """Refuse a plan that discloses nothing about more subjects than the policy allows."""
    most, found = channels.max_undisclosed, plan.account().undisclosed()
    if most is None or found <= exactly(most) * plan.inputs.subjects:
        return
    raise NoRecodingFound(
        f"A release was asked for that discloses nothing about at most {most:g} of its subjects.",
        found=f"The best plan discloses nothing about {found:,} of {plan.inputs.subjects:,} subjects.",
        attempt="a higher tolerance, bound or channels.seconds, fewer fields, or a higher channels.max_undisclosed.",
    )


def _without_names(policy: Policy, channels: Channels) -> Policy:
    """The policy as it is for the other fields: names are kept here, the confidential field is not."""
    fields = dict(policy.fields)
    for name in channels.identifiers:
        fields[name] = replace(fields[name], role=Role.INSENSITIVE, replace=None)
    hidden = fields[channels.confidential]
    fields[channels.confidential] = replace(hidden, role=Role.DIRECT, replace=Replacement())
    return replace(policy, fields=fields)


def _write(engine: Engine, plan: ChannelPlan, policy: Policy, treatments: Treatments, place: Destination) -> None:
    channels = policy.channels
    assert channels is not None
    sources = tuple(dict.fromkeys((*treatments.fields, *(key for one in treatments.lookups for key in one.keys))))
    stage = drawn(engine, plan, channels, sources)
    fields = [name for name in treatments.fields if name not in channels.fields]
    shown = WritePlan(
        fields=(*fields, channels.label, *channels.fields),
        lookups=(sets_lookup(plan, channels), *treatments.lookups),
        constants=treatments.constants,
        order=policy.order,
    )
    try:
        written = place.write(stage, shown, NAME)
    finally:
        stage.close()
    if written != plan.inputs.subjects:
        raise Bug(f"{plan.inputs.subjects} rows were planned and {written} were written.")


def _judge(written: Engine, policy: Policy, plan: ChannelPlan, found: Recounted) -> Outcome:
    """The outcome of what was written; a failing one is refused here, before it gets its name."""
    assert policy.channels is not None
    broken = [f"{v.model} {v.requirement}: {v.reason}" for v in found.verdicts if v.outcome == "fail"]
    broken += [f"it does not hold that {claim}" for claim, holds in found.agrees.items() if not holds]
    if policy.channels.confidential in {info.name for info in written.fields()}:
        broken.append("the confidential field is in it")
    if found.rows != plan.inputs.subjects:
        broken.append(f"{found.rows} of {plan.inputs.subjects} rows are in it")
    if broken:
        raise CandidateFailed(
            "The candidate was written, counted again, and breaks what was required.",
            found="; ".join(broken) + ".",
            attempt="reporting this; the candidate was removed and nothing was released.",
        )
    return "review" if policy.proposed else overall(found.verdicts)


def _document(
    engine: Engine,
    policy: Policy,
    plan: ChannelPlan,
    found: Recounted,
    *,
    outcome: Outcome,
    treatments: Treatments,
    place: Destination,
    asked: Asked,
) -> dict[str, Any]:
    """Write manifest, report and policy beside the tables."""
    assert policy.channels is not None
    files = {name: place.folder / name for name in (CHANNELS, STATISTICS)}
    warnings = warnings_of(engine, policy, plan, found.account)
    facts = manifest_facts(
        engine,
        policy,
        plan,
        found,
        outcome=outcome,
        words=field_words(policy, policy.channels, treatments.words),
        warnings=warnings,
        created=asked.created,
        table=place.facts(NAME),
        tables={
            n.removesuffix(".csv"): {"file": n, "sha256": digest_of(p), "bytes": size_of(p)} for n, p in files.items()
        },
    ).as_dict()
    page = render_channels(facts, plan, title=engine.title, policy=policy)
    return write_documents(facts, place.folder, policy=policy, page=page)
