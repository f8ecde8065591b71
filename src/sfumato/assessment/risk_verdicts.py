"""Verdicts about measured risk: finding a person, uniqueness, inference without finding, and
attacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.policy import Policy
from sfumato.protection import Outcome
from sfumato.report import counted, listed, one_in, percent

from .attacks import AttackRun, Attacks
from .attacks.attack_run import UNDECIDED
from .page import Judgement
from .risk import AttributeDisclosure, Risks
from .risk.group_risk import FEWEST_PEOPLE, NOTABLE, GroupRisks
from .verdict_limits import ADVANTAGE, ALONE, CONTRACT, HIGHEST, LEARNED, LEARNED_BY, PUBLIC

ABOUT_A_VALUE = ("inference", "homogeneity")
_ATTACKED = "Does an attack succeed?"
_ATTACK_RULE = (
    "Amber where one does better than its baseline or could not be judged. Red where a "
    "claim follows from the release "
    f"with certainty, however few; or where it surely adds more than {percent(ADVANTAGE)} "
    "to attempts or to claims, "
    "for attacks on a value only against a control group."
)
_ROUNDING = 1e-9
MOST_NAMED = 6
_AT_LEAST_HALF = 2
"""The place of 0.5 among the gains that attribute disclosure counts."""


def about_risk(
    found: Risks, policy: Policy | None, *, unseen: Sequence[str] = (), holds: bool = False
) -> Iterator[Judgement]:
    """`unseen` are sensitive fields that are released and were not measured. With `holds`, every
    requirement was counted again and holds."""
    bounded = bounded_knowledge(policy) if holds else None
    yield _finding(found, policy) if bounded is None else _bounded(found, policy, bounded)
    yield from _alone(found)
    yield from _learning(found, unseen, bounded)


def _finding(found: Risks, policy: Policy | None) -> Judgement:
    """The highest chance to pick the right one; over the population where the policy relies on
    it."""
    require = policy.require if policy is not None else None
    by_map = require is not None and require.one("k_map") is not None and require.k is None
    journalist = by_map and found.after.rmp.maximum is not None
    chance = found.after.rmp if journalist else found.after.kirp
    limit = CONTRACT if policy is not None and policy.recipient != "public" else PUBLIC
    highest, average = chance.maximum or 0.0, chance.average or 0.0
    among = "of the population" if journalist else "of the release"
    answer = (
        f"At most {one_in(1 / highest) if highest else 'never'} ({percent(highest)}), "
        f"{percent(average)} on average, "
        f"for somebody who picks among those {among} who fit."
    )
    if found.before is not None:
        was = found.before.rmp if journalist else found.before.kirp
        if was.average is not None:
            answer += f" Before the release it was {percent(was.average)} on average."
    return Judgement(
        question="How easily is a person found?",
        outcome=_colour(highest, amber=limit, red=HIGHEST),
        answer=answer,
        rule=f"Amber where the highest chance is above {percent(limit)}, red above 1 in 3.",
        anchor="chapter-risk",
        advice="Raise k, or release to recipients under contract only.",
    )


def bounded_knowledge(policy: Policy | None) -> Any:
    """The requirement of the policy where it bounds the knowledge of a recipient, and does not ask
    for k over all known fields besides; None otherwise."""
    if policy is None or policy.require.k is not None:
        return None
    asked = [asked for _, asked in policy.require.items() if hasattr(asked, "register")]
    return asked[0] if len(asked) == 1 and hasattr(asked[0], "m") else None


def _bounded(found: Risks, policy: Policy | None, asked: Any) -> Judgement:
    """The chance of somebody with the knowledge that the policy assumes, and that of full
    knowledge."""
    limit = CONTRACT if policy is not None and policy.recipient != "public" else PUBLIC
    more = counted(asked.m, "known field")
    who = f"any {more}"
    if asked.register:
        who = f"{listed(asked.register, most=MOST_NAMED)} and any {more} besides"
    highest, average = found.after.kirp.maximum or 0.0, found.after.kirp.average or 0.0
    outcome = _colour(1 / asked.k, amber=limit, red=HIGHEST)
    if outcome == "pass" and highest > HIGHEST:
        outcome = "review"
    return Judgement(
        question="How easily is a person found?",
        outcome=outcome,
        answer=f"At most {one_in(asked.k)} ({percent(1 / asked.k)}) for somebody who knows {who}. "
        f"Somebody who knows all {len(found.known)} known fields finds a person with at most "
        f"{percent(highest)}, {percent(average)} on average.",
        rule=f"Amber where the highest chance within the policy's bound is above {percent(limit)}, "
        "red above 1 in 3; amber too where all known fields at once give more than 1 in 3.",
        anchor="chapter-risk",
        advice="Raise k or m, or release to recipients under contract only.",
    )


def _alone(found: Risks) -> Iterator[Judgement]:
    """The share of the population that is unique by the released labels."""
    estimates = {one.estimator: one for one in found.after.uniqueness}
    chosen = estimates.get("counted") or estimates.get("Dankar")
    if chosen is None:
        return
    rule = (
        f"Amber where more than {percent(ALONE[0])} may be unique, red above {percent(ALONE[1])}."
    )
    question = "Who is unique in the population?"
    if chosen.value is None:
        answer = f"It cannot be estimated: {chosen.reason}."
        yield Judgement(
            question=question, outcome="review", answer=answer, rule=rule, anchor="chapter-risk"
        )
        return
    if chosen.estimator == "counted" and found.after.alone_in_both is not None:
        yield _alone_by_counting(
            found.after.alone_in_both, chosen.value, question=question, rule=rule
        )
        return
    upper = chosen.interval[1] if chosen.interval is not None else chosen.value
    span = (
        f" (95 % interval {percent(chosen.interval[0])} to {percent(upper)})"
        if chosen.interval is not None
        else ""
    )
    how = (
        "counted"
        if chosen.estimator == "counted"
        else f"estimated by {chosen.chose or chosen.estimator}"
    )
    yield Judgement(
        question=question,
        outcome=_colour(upper, amber=ALONE[0], red=ALONE[1]),
        answer=f"{percent(chosen.value)} of it with the released values{span}, {how}.",
        rule=rule,
        anchor="chapter-risk",
    )


def _alone_by_counting(released: float, everyone: float, *, question: str, rule: str) -> Judgement:
    """The same against a table of everyone. Only people whose row is released count, since nobody
    is found by a row that is not."""
    return Judgement(
        question=question,
        outcome=_colour(released, amber=ALONE[0], red=ALONE[1]),
        answer=f"{percent(released)} of the released rows are of somebody who does, counted. With "
        "values as coarse as "
        f"in the release, {percent(everyone)} of everyone would.",
        rule=rule,
        anchor="chapter-risk",
    )


def _learning(found: Risks, unseen: Sequence[str], bounded: Any) -> Iterator[Judgement]:
    """The sensitive field that is inferred most; those with one value throughout disclose nothing
    about anyone. Where the policy limits what a bounded recipient infers, and that holds, somebody
    who knows every field is amber at most: attacks try what the bounded one infers."""
    told = [one for one in found.after.attributes if not one.reason]
    if not told:
        return
    worst = max(told, key=lambda one: (one.exceeding[_AT_LEAST_HALF], one.one_value))
    share = worst.exceeding[_AT_LEAST_HALF]
    outcome = _colour(share, amber=LEARNED[0], red=LEARNED[1])
    certain = [one for one in told if one.one_value > 0]
    if certain and outcome == "pass":
        outcome = "review"
    answer = _learned(worst, certain)
    rule = (
        f"Amber where the confidence in a value rises by {percent(LEARNED_BY)} or more for over "
        f"{percent(LEARNED[0])} of "
        f"people, or is certain for anyone; red for over {percent(LEARNED[1])}."
    )
    advice = f"Require l_diversity or t_closeness of {worst.field}, or release it coarser."
    if bounded is not None:
        answer = f"For somebody who knows all {len(found.known)} known fields: {answer}"
        advice = (
            f"Ask for a confidence in {worst.field} (bounded_knowledge), or release it coarser."
        )
        if bounded.confidence is not None:
            outcome = "review" if outcome == "fail" else outcome
            answer += (
                f" Somebody who knows no more than the policy says infers no value of "
                f"{listed(bounded.fields, most=MOST_NAMED) if bounded.fields else 'a sensitive field'} "
                f"with over {percent(bounded.confidence)}."
            )
            rule += " Amber at most where the policy's confidence holds."
            advice = "Lower the confidence, or name more fields of it."
    yield Judgement(
        question="Is a value learned without finding the person?",
        outcome=outcome,
        answer=answer + (f" Not looked at: {', '.join(unseen)}." if unseen else ""),
        rule=rule,
        anchor="chapter-risk",
        advice=advice,
    )


def _learned(worst: AttributeDisclosure, certain: list[AttributeDisclosure]) -> str:
    share = worst.exceeding[_AT_LEAST_HALF]
    said = (
        f"The confidence in {worst.field} rises by {percent(LEARNED_BY)} or more for "
        f"{percent(share)} of people."
    )
    if not certain:
        return f"{said} It is certain for nobody."
    most = max(certain, key=lambda one: (one.told, one.one_value))
    return (
        f"{said} {most.field} is certain for {percent(most.one_value)}: everyone in their "
        "bin has the same value."
    )


def about_groups(found: GroupRisks | None) -> Iterator[Judgement]:
    """Whether a group is clearly easier to find than everybody; nothing where there is no group."""
    if found is None or not found.groups:
        return
    worse = found.worse
    if worse:
        answer = (
            f"Yes: {worse[0].field} {worse[0].value} is found with "
            f"{percent(worse[0].average)} on average; the average over all people is "
            f"{percent(found.average)}."
        )
    else:
        answer = f"No: none of {counted(len(found.groups), 'group')} is found twice as easily."
    yield Judgement(
        question="Is a group of people worse protected?",
        outcome="review" if worse else "pass",
        answer=answer,
        rule=f"Amber where a group of {FEWEST_PEOPLE} rows or more is found at least twice as "
        f"easily as everybody, and with {percent(NOTABLE)} or more on average.",
        anchor="groups",
        advice="Protect the worse protected group more, or coarsen the field that makes it.",
    )


def about_attacks(found: Attacks | None, *, left_out: str = "") -> Iterator[Judgement]:
    """One line for all attacks: how many beat their baseline, and by how much the strongest does.
    Where none was run, it has the reason, which is no evidence of protection."""
    if found is None:
        yield Judgement(
            question=_ATTACKED,
            outcome="review",
            answer=f"Not known: {left_out}.",
            rule=_ATTACK_RULE,
            advice="Assess again with the source and with attacks.",
        )
        return
    tried = [run for run in found if run.outcome != UNDECIDED]
    beaten = found.beaten
    unsaid = len(found.runs) - len(tried)
    surely = [
        run for run in beaten if run.certain or (_is_of_these_people(run) and _adds_surely(run))
    ]
    outcome: Outcome = "fail" if surely else "review" if beaten or unsaid or not tried else "pass"
    if not tried:
        answer = "No attack could be measured with the given tables."
    elif not beaten:
        answer = f"None of {len(tried)} does better than its baseline."
    else:
        strongest = max(
            beaten, key=lambda run: (run.certain, run.risk.value if run.risk is not None else 0.0)
        )
        adds = (
            f", to which the release adds {percent(strongest.risk.value)}"
            if strongest.risk is not None
            else ""
        )
        if strongest.certain:
            adds = (
                f": {counted(strongest.certain, 'claim')} of {strongest.attempts:,} attempts "
                "follow with certainty"
            )
        do = (
            "does better than its baseline" if len(beaten) == 1 else "do better than their baseline"
        )
        answer = f"{len(beaten)} of {len(tried)} {do}. The strongest is “{strongest.title}”{adds}."
        if not any(_is_of_these_people(run) for run in beaten):
            answer += " Without a control group, what is learned may be true of people in general."
    if unsaid and tried:
        answer += f" {unsaid} could not be measured."
    yield Judgement(
        question=_ATTACKED,
        outcome=outcome,
        answer=answer,
        rule=_ATTACK_RULE,
        anchor="chapter-attacks",
        advice="Read which attacks succeed, and coarsen or leave out the fields they use.",
    )


def _adds_surely(run: AttackRun) -> bool:
    """Whether what the release adds, to all attempts or to those in which something was claimed, is
    surely too much."""
    return any(added is not None and added.low > ADVANTAGE for added in (run.risk, run.precision))


def _is_of_these_people(run: AttackRun) -> bool:
    """Whether an attack found out about those in the release, and not a fact about people in
    general. A value may be inferred from statistics that a release is made for, and only a control
    group distinguishes the two."""
    return run.control is not None or run.name.split(":")[0] not in ABOUT_A_VALUE


def _colour(value: float, *, amber: float, red: float) -> Outcome:
    if value > red + _ROUNDING:
        return "fail"
    return "review" if value > amber + _ROUNDING else "pass"
