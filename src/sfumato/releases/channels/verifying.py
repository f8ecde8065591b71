"""Re-checking a release by channels: digests, that its tables agree, and its verdicts and figures anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.policy import Policy
from sfumato.protection.channel_risk import ChannelAccount

from ..checks import Check, same_as_said, verdict_checks
from ..written import Written
from .recounting import Recounted, recount_channels

_OWN = Check(
    claim="each subject's own channel is in its output channel",
    outcome="review",
    found="only the holder of the source can see this; it held when the release was made",
)


def channel_checks(release: Written, facts: dict[str, Any], policy: Policy) -> tuple[Check, ...]:
    """Every claim that the release alone can show."""
    asked = policy.channels
    if asked is None:
        raise ValueError("the manifest has channels and its policy none")
    checks = list(release.check(facts["table"]))
    for table in facts["channels"]["tables"].values():
        checks.extend(release.check(table))
    with release.opened(facts["table"]) as table:
        found = recount_channels(table, release.folder, asked)
        have = {info.name for info in table.fields()}
    kept = {name for name, words in facts["fields"].items() if not str(words).startswith("removed")}
    checks.append(same_as_said("released fields", sorted(kept), sorted(have)))
    checks.append(same_as_said("rows released", facts["rows"]["released"], found.rows))
    checks.extend(
        Check(claim=claim, outcome="pass" if holds else "fail", found="so it is" if holds else "it is not so")
        for claim, holds in found.agrees.items()
    )
    checks.extend(verdict_checks(facts["verdicts"], found.verdicts))
    checks.extend(_unclaimed(facts, found))
    checks.extend(_figures(facts["channels"], found.account))
    return (*checks, _OWN)


def _unclaimed(facts: dict[str, Any], found: Recounted) -> Iterator[Check]:
    """What the policy requires and the manifest is silent about is judged all the same, and the silence is a fault."""
    said = {(claim["model"], claim["requirement"]) for claim in facts["verdicts"]}
    for verdict in found.verdicts:
        if (verdict.model, verdict.requirement) not in said:
            claim = f"{verdict.model} ({verdict.requirement})"
            yield Check(claim=claim, outcome="fail", found=f"the manifest leaves it out; counted now: {verdict.reason}")


def _figures(said: dict[str, Any], account: ChannelAccount) -> Iterator[Check]:
    """The figures of the manifest, computed again from the two tables."""
    yield same_as_said("cost", said["cost"], account.cost())
    yield same_as_said("omega", said["omega"], float(account.omega()))
    yield same_as_said("subjects about whom nothing is disclosed", said["undisclosed"], account.undisclosed())
    bounded = said["least_cost_at_least"] is None or said["least_cost_at_least"] <= account.cost() * (1 + 1e-9)
    yield Check(
        claim="the cost is not under its bound",
        outcome="pass" if bounded else "fail",
        found="so it is" if bounded else "it is not so",
    )
