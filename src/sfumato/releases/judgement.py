"""The judgement of a candidate: every requirement of the policy has its verdict, and nothing is
broken."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import CandidateFailed
from sfumato.policy import Policy
from sfumato.protection import Outcome, Verdict, overall
from sfumato.wording import counted

from .flow import WEAKER
from .inspection import Inspection
from .required_verdicts import RequiredVerdict, check_all_judged


def judge(
    policy: Policy,
    verdicts: tuple[Verdict, ...],
    *,
    required: Sequence[RequiredVerdict],
    broken: Sequence[str],
    inspection: Inspection,
    attempt: str = WEAKER,
    not_judged: Sequence[str] = (),
) -> Outcome:
    """The outcome of a candidate that was counted again; one that fails is refused before it is
    published.

    The outcome is *review* at best where no person has approved the policy or decided about a
    field, and where something could not be judged.
    """
    check_all_judged(required, verdicts)
    faults = [f"{v.model} ({v.requirement}): {v.reason}" for v in verdicts if v.outcome == "fail"]
    faults += [*broken, *inspection.faults]
    faults += [
        f"{name} still has {counted(count, 'original value')}"
        for name, count in inspection.originals.items()
    ]
    if faults:
        if inspection.originals and overall(verdicts) != "fail":
            attempt = 'replace = "number" or "hash" for these fields'
        raise CandidateFailed(
            "The candidate was written, counted again, and breaks what was required.",
            found="; ".join(faults) + ".",
            attempt=f"{attempt}; the candidate was removed and nothing was released.",
        )
    return overall(verdicts) if policy.is_decided and not not_judged else "review"
