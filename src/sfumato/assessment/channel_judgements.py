"""The questions of an assessment of channels, each answered with a colour and a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import as_caller_writes
from sfumato.protection import Verdict
from sfumato.releases import Check, outcome_of
from sfumato.report import percent
from sfumato.wording import counted

from .channel_inference import ChannelInference
from .page import Judgement

MOST_UNDISCLOSED = 0.5
"""A release that discloses nothing about more subjects than this is amber: it is of little use."""


def channel_judgements(
    found: ChannelInference,
    *,
    checks: Sequence[Check],
    verdicts: Sequence[Verdict],
    loss: Mapping[str, Any],
) -> tuple[Judgement, ...]:
    return (
        _described(checks),
        _required(verdicts),
        _inferred(found),
        _returned(found, loss),
        _together(found),
    )


def _described(checks: Sequence[Check]) -> Judgement:
    broken = [check for check in checks if check.outcome == "fail"]
    return Judgement(
        question="Is this the release that its manifest describes?",
        outcome="fail" if broken else "pass" if outcome_of(checks) != "fail" else "fail",
        answer=f"No: {counted(len(broken), 'claim does', 'claims do')} not hold."
        if broken
        else f"Yes: {counted(len(checks), 'claim was', 'claims were')} checked.",
        rule="Red where a claim of the manifest does not hold.",
        advice="Do not share it." if broken else "",
    )


def _required(verdicts: Sequence[Verdict]) -> Judgement:
    broken = [verdict for verdict in verdicts if verdict.outcome == "fail"]
    return Judgement(
        question="Does it keep what the policy requires?",
        outcome="fail" if broken else "pass",
        answer=f"No: {counted(len(broken), 'requirement is', 'requirements are')} broken."
        if broken
        else f"Yes: all {len(verdicts)} requirements hold, in exact fractions.",
        rule="Red where a requirement fails.",
        anchor="inference",
    )


def _inferred(found: ChannelInference) -> Judgement:
    over = sum(value.over_for for value in found.values)
    near = max(found.values, key=lambda value: value.gain, default=None)
    said = (
        f"At most {percent(near.highest)} for the value of which most is learned: "
        f"{percent(near.prior)} of all subjects have it, and {percent(near.tolerance)} is tolerated."
        if near is not None
        else "No value has a tolerance."
    )
    return Judgement(
        question="How well is a confidential value inferred?",
        outcome="fail" if over else "pass",
        answer=said,
        rule="Red where a value is likelier for some subject than the policy tolerates.",
        anchor="inference",
    )


def _returned(found: ChannelInference, loss: Mapping[str, Any]) -> Judgement:
    whole = found.queries[-1]
    share = float(loss["share_undisclosed"])
    return Judgement(
        question="What can it still be used for?",
        outcome="review" if share > MOST_UNDISCLOSED else "pass",
        answer=f"A query for an input channel returns {whole.others_per_hit:.1f} others for each "
        f"subject that it is about. Nothing is disclosed about {percent(share)} of subjects.",
        rule=f"Amber where nothing is disclosed about more than {percent(MOST_UNDISCLOSED)}.",
        anchor="queries",
    )


def _together(found: ChannelInference) -> Judgement:
    both = found.together
    question = "What do two such releases disclose together?"
    rule = "Red where a value is likelier with both than is tolerated; amber where none was named."
    if both is None:
        return Judgement(
            question=question,
            outcome="review",
            answer="No second release was named. Each draw puts subjects into other channels.",
            rule=rule,
            anchor="together",
            advice=as_caller_writes(
                "Name each other release of these people with --second, or release once."
            ),
        )
    over = counted(both.over_for, "subject")
    return Judgement(
        question=question,
        outcome="fail" if both.over_for else "pass",
        answer=f"For {over} of {both.subjects:,} a value is likelier than is tolerated; "
        f"{both.certain_for:,} of them are certain. The highest is {both.together:.2f} times its "
        "tolerance.",
        rule=rule,
        anchor="together",
        advice="Do not give both to recipients who could pool them." if both.over_for else "",
    )
