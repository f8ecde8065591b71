"""The manifest's facts about a release by channels, and the warnings to read before it is
published."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.policy import Channels, Policy, Role
from sfumato.protection import ChannelAccount, Outcome
from sfumato.solvers.channels import ChannelPlan, Inputs

from ..disclosure_warnings import decision_warnings
from ..manifest import ONE_TABLE, Manifest, ReleaseShape, TableEntry
from ..suppression import LeftOut
from .recount import RecountedChannels, tolerance_of

SOLVER_NAME = "channels"
"""The manifest's name for the search for channels, which takes no solver of the policy."""
FEW = 5
ENOUGH_SUBJECTS, MANY_VALUES = 20, 1_000
BY_NAME = "released by name, on purpose"
EXPANDED = "expanded: the set of values in the row's output channel, as a JSON list"
IN_CHANNELS = "removed: channels.csv has its values in the row's output channel"
CONFIDENTIAL = "removed: confidential; statistics.csv has how often its values occur"
ALTERED = (
    "the values of {} that the subject may have, as a JSON list: everybody with a risky value has it "
    "there, and others too; null is any other value"
)
COARSER = (
    "Published statistics are coarser than the channels. The tolerances hold for a recipient who has "
    "no finer statistics of the same people."
)
CHANNEL = "the number of the output channel, whose input channels channels.csv lists"
AGAIN = (
    "A recipient of two such releases of the same people can intersect a subject's channels. "
    "Release once, or only to "
    "recipients who do not pool what they have."
)


def field_words(policy: Policy, asked: Channels, words: Mapping[str, str]) -> dict[str, str]:
    """The treatment of each field, in words a recipient can use."""
    out = dict(words)
    out |= dict.fromkeys(asked.identifiers, BY_NAME)
    out |= dict.fromkeys(asked.fields, IN_CHANNELS if asked.compact else EXPANDED)
    out |= dict.fromkeys(asked.confidential_names, CONFIDENTIAL)
    if asked.altered:
        out[asked.altered] = ALTERED.format(asked.confidential)
    return {**out, asked.label: CHANNEL}


def plain_number(number: Fraction) -> int | float:
    """A whole number where it is one: without weights of fields every cost is."""
    return int(number) if number.denominator == 1 else float(number)


def channel_facts(
    plan: ChannelPlan, account: ChannelAccount, asked: Channels, tables: Mapping[str, Any]
) -> dict[str, Any]:
    """How well subjects can still be distinguished, at what cost, as recounted; and what is proven
    of it."""
    undisclosed = account.undisclosed()
    sizes = np.array([len(members) for members in plan.channels])
    people = plan.in_channels
    apart = (sizes > 1) & (sizes < len(plan.inputs))
    risky = tolerance_of(asked).risky(plan.inputs.known_sizes, plan.inputs.known_counts)
    return {
        "input_channels": len(plan.inputs),
        "risky_input_channels": int(risky.sum()),
        "subjects_at_risk": int(plan.inputs.sizes[risky].sum()),
        "output_channels": len(plan.channels),
        "cost": plain_number(account.cost()),
        "omega": float(account.omega()),
        "least_cost_at_least": plan.bound if plan.has_bound else None,
        "gap": plan.gap if plan.has_bound else None,
        "compared_with": plan.compared_with,
        "proven": plan.is_proven,
        "undisclosed": undisclosed,
        "share_undisclosed": undisclosed / plan.inputs.subjects,
        "inputs_per_subject": float(np.average(sizes[apart], weights=people[apart]))
        if people[apart].sum()
        else 1.0,
        "tables": dict(tables),
    }


def manifest_facts(
    engine: Engine,
    policy: Policy,
    plan: ChannelPlan,
    found: RecountedChannels,
    *,
    outcome: Outcome,
    words: Mapping[str, str],
    warnings: tuple[str, ...],
    created: str,
    table: Mapping[str, Any],
    tables: Mapping[str, Any],
) -> Manifest:
    """The fields that were released by name, and how well channels still distinguish subjects."""
    assert policy.channels is not None
    entry = TableEntry(
        place=table,
        rows={"source": plan.inputs.subjects, "released": found.rows, "suppressed": 0},
        left_out=LeftOut(unit="rows", source=plan.inputs.subjects, by_reason={}).as_dict(),
        fields=words,
    )
    return Manifest(
        shape=ReleaseShape.CHANNELS,
        created=created,
        outcome=outcome,
        policy=policy,
        verdicts=found.verdicts,
        tables={ONE_TABLE: entry},
        engine=engine.name,
        snapshot=engine.snapshot(),
        solver={"name": SOLVER_NAME, "notes": list(plan.notes)},
        warnings=warnings,
        sections={"channels": channel_facts(plan, found.account, policy.channels, tables)},
    )


def warnings_of(
    engine: Engine, policy: Policy, plan: ChannelPlan, account: ChannelAccount
) -> tuple[str, ...]:
    """Warnings to read before the release is published. Counts and field names only."""
    asked = policy.channels
    assert asked is not None
    out = [f"Released by name, on purpose: {', '.join(asked.identifiers)}.", AGAIN]
    out += decision_warnings(policy)
    if asked.statistics:
        out.append(COARSER)
    published = plan.inputs.published_sizes
    few = int((published < FEW).sum())
    if few:
        each = "published statistics" if asked.statistics else "input channels"
        out.append(
            f"{few} of {len(published)} {each} have fewer than {FEW} subjects, and "
            f"statistics.csv counts the values of {', '.join(asked.confidential_names)} in them: membership "
            "in one discloses much."
        )
    undisclosed = account.undisclosed()
    if undisclosed:
        out.append(
            f"Only the presence of {undisclosed:,} of {plan.inputs.subjects:,} subjects "
            f"({undisclosed / plan.inputs.subjects:.1%}) is disclosed. "
            "channels.max_undisclosed can limit that share."
        )
    if asked.reading != "subjects":
        out.append(
            "Condition (5) is read as in Garfinkel, Gopal and Thompson 2007: a channel may "
            "hold risky subjects alone, "
            "and a recipient who reads channels.csv sees that."
        )
    beside = [name for name in policy.named(Role.INSENSITIVE) if name not in asked.identifiers]
    if beside:
        out.append(f"Kept as they are beside names: {', '.join(beside)}.")
    for name in (*asked.identifiers, *beside):
        out.extend(_telling(engine, asked, name))
    return tuple(out)


def _telling(engine: Engine, asked: Channels, name: str) -> tuple[str, ...]:
    """A field beside the channels that itself discloses a confidential value too well, in values
    that many share."""
    if engine.profile(name).distinct > MANY_VALUES:
        return ()
    bins = Bins.count(engine, (name,), sensitive=asked.confidential_names)
    tolerance = tolerance_of(asked)
    inputs = Inputs.of_fields(bins, asked.risky_values)
    many = inputs.sizes >= ENOUGH_SUBJECTS
    telling = int((tolerance.risky(inputs.sizes, inputs.counts) & many).sum())
    if not telling:
        return ()
    return (
        f"{name} is released and discloses a value of {' or '.join(asked.confidential_names)} better than is "
        f"tolerated, in {telling} of its "
        f"{int(many.sum())} values with {ENOUGH_SUBJECTS} subjects or more: it may belong "
        "to channels.fields.",
    )
