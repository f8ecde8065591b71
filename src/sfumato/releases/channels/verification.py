"""Re-checking a release by channels: its files, that its tables agree, and its verdicts and figures
anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sfumato.errors import ReleaseBroken
from sfumato.policy import Policy
from sfumato.protection import ChannelAccount

from ..checks import Check, same_as_said, verdict_checks
from ..field_checks import field_checks
from ..finished_release import Written
from ..manifest import ONE_TABLE
from ..manifest_agreement import rows_check, solver_check
from ..solver_account import SolverAccount
from ..suppression import limit_check
from .account_files import CHANNELS, STATISTICS
from .channel_manifest import SOLVER_NAME, field_words, plain_number
from .recount import recount_channels, required_of_channels

_OWN = Check(
    claim="each subject's own channel is in its output channel",
    outcome="review",
    found="only the holder of the source can check this; it held when the release was made",
)

NOT_NAMED: Final = "removed: the policy does not name it"


def channel_checks(release: Written, facts: dict[str, Any], policy: Policy) -> Iterator[Check]:
    """Every claim that the release alone can show."""
    asked = policy.channels
    assert asked is not None
    entry, said = facts["tables"][ONE_TABLE], facts["channels"]["tables"]
    if {one["file"] for one in said.values()} != {CHANNELS, STATISTICS}:
        raise ReleaseBroken(
            f"The manifest of {release.title} has other files in place of its channels."
        )
    yield from release.check(facts, {ONE_TABLE: entry, **said})
    with release.opened(entry) as table:
        found = recount_channels(table, release.folder, asked)
        yield from field_checks(table, entry["fields"], policy, besides=asked.own_fields)
    yield same_as_said("rows released", entry["rows"]["released"], found.rows)
    yield limit_check(policy, entry["left_out"], released=found.rows)
    yield rows_check(entry, policy)
    words = field_words(policy, asked, entry["fields"])
    yield same_as_said("what was done to each field", entry["fields"], words)
    named = {*policy.fields, *asked.own_fields}
    if policy.other_fields == "remove":
        named |= {name for name, said in entry["fields"].items() if said == NOT_NAMED}
    yield same_as_said("fields of the policy", sorted(entry["fields"]), sorted(named))
    yield same_as_said("seed of the solver", facts["solver"]["seed"], policy.solve.seed)
    yield solver_check(facts, [SolverAccount(name=SOLVER_NAME)])
    for claim, holds in found.agrees.items():
        yield Check(
            claim=claim,
            outcome="pass" if holds else "fail",
            found="it holds" if holds else "it does not hold",
        )
    required = list(required_of_channels(asked))
    yield from verdict_checks(facts["verdicts"], required, found.verdicts)
    yield from _figures(facts["channels"], found.account)
    share = facts["channels"]["undisclosed"] / entry["rows"]["source"]
    yield same_as_said("share undisclosed", facts["channels"]["share_undisclosed"], share)
    yield same_as_said(
        "output channels", facts["channels"]["output_channels"], int(found.account.channels)
    )
    yield _OWN


def _figures(said: dict[str, Any], account: ChannelAccount) -> Iterator[Check]:
    """The figures of the manifest, computed again from the two tables."""
    yield same_as_said("cost", said["cost"], plain_number(account.cost()))
    yield same_as_said("omega", said["omega"], float(account.omega()))
    yield same_as_said(
        "subjects about whom nothing is disclosed", said["undisclosed"], account.undisclosed()
    )
    bounded = said["least_cost_at_least"] is None or said["least_cost_at_least"] <= float(
        account.cost()
    ) * (1 + 1e-9)
    yield Check(
        claim="the cost is not under its bound",
        outcome="pass" if bounded else "fail",
        found="it holds" if bounded else "it does not hold",
    )
