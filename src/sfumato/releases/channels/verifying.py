"""Re-checking a release by channels from its manifest: digests, that its tables agree, and (5), (7) and (9) anew."""

from __future__ import annotations

from typing import Any

from sfumato.policy import Policy

from ..checks import Check, same_as_said, verdict_checks
from ..written import Written
from .recounting import recount_channels

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
    return (*checks, _OWN)
