"""The questions about a synthetic table, each with its answer and colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp

from sfumato.errors import as_caller_writes
from sfumato.measures import MembershipGap
from sfumato.protection import Outcome
from sfumato.releases import Check, outcome_of
from sfumato.wording import counted, some_of

from ..attacks import AttackRun, Attacks
from ..attacks.rates import Rate
from ..page import Judgement
from .coded_rows import MOST_VALUES, SharedValues
from .marginal_distance import MarginalDistance
from .partial_copies import PartialCopies
from .row_copies import Copies, surely_more

MOST_GAP = 0.01
"""A membership gap above this needs a review by a person."""
MOST_RISK, HIGH_RISK = 0.05, 0.2
"""The largest gain of an attack over people who are not in the source, until it is amber, and
red."""
HIGH_COPIES = 0.05
"""So many rows that surely are copies are red."""
FEWEST_ROWS = 50
"""Of fewer synthetic rows nothing is sure, and one copy needs a review by a person."""
FAR, VERY_FAR = 0.1, 0.25
"""How much farther off pairs may be than those of another sample, until it is amber, and red."""


def about_account(checks: Sequence[Check], *, private: bool) -> Iterator[Judgement]:
    """Whether the folder's own account adds up; a table of other tools has none."""
    if not private:
        yield Judgement(
            question="Is a bound proven on what can be learned about one person?",
            outcome="review",
            answer="No account came with these rows, so nothing is proven about them.",
            rule="amber without an account of Sfumato",
            advice="sfumato synthesize makes rows with one.",
        )
        return
    broken = [check.claim for check in checks if check.outcome == "fail"]
    yield Judgement(
        question="Is a bound proven on what can be learned about one person?",
        outcome="fail" if outcome_of(checks) == "fail" else "pass",
        answer=f"The folder contradicts itself: {some_of(broken, 3)}."
        if broken
        else "Yes: the account adds up, and keeps to the policy.",
        rule="red where the account or the files contradict themselves",
        anchor="account",
    )


def about_membership(gap: MembershipGap | None, *, epsilon: float | None) -> Iterator[Judgement]:
    """The membership gap, compared with fixed limits and with the bound of the account."""
    question = "Can somebody infer who was in the source?"
    rule = (
        f"amber where the gap is surely above {MOST_GAP:.0%}, red above {HIGH_RISK:.0%} or what the "
        "account allows"
    )
    if gap is None:
        yield Judgement(
            question=question,
            outcome="review",
            answer="Not tried: there are too few people to compare with.",
            rule=rule,
            advice=_try_control(),
        )
        return
    allowed = 1.0 if epsilon is None else (exp(epsilon) - 1) / (exp(epsilon) + 1)
    outcome = (
        "fail" if gap.low > min(allowed, HIGH_RISK) else "review" if gap.low > MOST_GAP else "pass"
    )
    yield Judgement(
        question=question,
        outcome=outcome,  # type: ignore[arg-type]
        answer=f"An attacker calls {gap.said_of_members:.1%} of members and "
        f"{gap.said_of_others:.1%} of others members: a gap of {100 * gap.gap:.1f} "
        f"points ({100 * gap.low:.1f} to {100 * gap.high:.1f}).",
        rule=rule,
        anchor="membership",
    )


def about_copies(found: Copies) -> Iterator[Judgement]:
    """Rows equal to a person's occur by chance too: people who are not in the source measure how
    often."""
    of_control = found.of_control
    said = f"{counted(found.source_met, 'row')} of {found.source_rows:,} that only the source has"
    said += (
        f" {'is' if found.source_met == 1 else 'are'} among the {found.made_rows:,} synthetic ones"
    )
    rule = (
        "amber where surely more of the source's rows are synthetic rows than of as many people who "
        f"are not in it, or any of under {FEWEST_ROWS} rows; red where surely {HIGH_COPIES:.0%} of the "
        "source's or of the synthetic rows"
    )
    if of_control is None:
        outcome, said = "review", f"{said}; how many are by chance is not known."
    else:
        more = max(found.surely_of_source, found.surely_of_made)
        unsure = found.made_rows < FEWEST_ROWS and found.source_met > found.control_met
        outcome = "fail" if more > HIGH_COPIES else "review" if more > 0 or unsure else "pass"
        said = f"{said}; of {found.control_rows:,} rows of people who are not in it, "
        said += f"{found.control_met:,}."
    yield Judgement(
        question="Are synthetic rows copies of people's rows?",
        outcome=outcome,  # type: ignore[arg-type]
        answer=said,
        rule=rule,
        anchor="membership",
        advice="" if outcome == "pass" or of_control is not None else _try_control(),
    )


def about_partial_copies(found: PartialCopies) -> Iterator[Judgement]:
    """A few cells of a person in a row are nobody's by themselves; over many people they are seen."""
    question = "Are parts of people's rows copied?"
    rule = (
        "amber where surely more combinations of few fields that one person of the source alone has "
        "are synthetic than of other people, red where "
        f"{HIGH_COPIES:.0%} more"
    )
    outcome: Outcome = "pass"
    if not found.has_control:
        outcome, said = "review", "Not known: there are no people to compare with."
    elif not found.is_tried:
        said = "Hardly anybody is alone with a combination of few fields."
    else:
        outcome = "fail" if found.surely > HIGH_COPIES else "review" if found.surely > 0 else "pass"
        said = (
            f"Of the combinations that one person alone has, {found.of_source:.1%} of the source's "
            f"and {found.of_control:.1%} of other people's are synthetic."
        )
    yield Judgement(
        question=question,
        outcome=outcome,
        answer=said,
        rule=rule,
        anchor="membership",
        advice="" if found.has_control else _try_control(),
    )


def about_shared_values(found: Sequence[SharedValues], *, control: bool) -> Iterator[Judgement]:
    """Values that few people have, such as numbers and names, are copied where the source's are
    matched more often than those of other people."""
    question = "Are values that few people have copied?"
    rule = (
        f"amber where the source's are surely copied {MOST_GAP:.0%} more often than those of "
        f"people who are not in it, red where {HIGH_RISK:.0%} more"
    )
    if found and not control:
        yield Judgement(
            question=question,
            outcome="review",
            answer="Not known: there are no people to compare with.",
            rule=rule,
            advice=_try_control(),
        )
        return
    gains = {one.field: _surely_more(one) for one in found}
    worst = max(gains, key=lambda name: gains[name], default="")
    most = gains.get(worst, 0.0)
    outcome = "fail" if most > HIGH_RISK else "review" if most > MOST_GAP else "pass"
    many = counted(len(found), "field has", "fields have") if found else "No field has"
    said = f"{many} more than {MOST_VALUES} values"
    said += f"; the source's values of {worst} are copied too often" if most > MOST_GAP else ""
    yield Judgement(
        question=question,
        outcome=outcome,  # type: ignore[arg-type]
        answer=f"{said}.",
        rule=rule,
        anchor="membership",
        advice="Leave out the fields that name people." if outcome != "pass" else "",
    )


def about_compared_fields(left_out: Sequence[str], reencoded: Sequence[str]) -> Iterator[Judgement]:
    """A field that nothing judged is a question, and so is one whose values are not the source's:
    people copied in other codes match nobody."""
    said = []
    if left_out:
        said.append(f"Not compared: {some_of(left_out, 3)}.")
    if reencoded:
        said.append(f"Most values are not those of the source: {some_of(reencoded, 3)}.")
    yield Judgement(
        question="Could every field be compared with the source?",
        outcome="review" if said else "pass",
        answer=" ".join(said) or "Yes.",
        rule="amber where a field was not compared, or over half of its cells would have to change",
        anchor="method",
        advice="Write the fields as the source does, and leave out those that it lacks."
        if said
        else "",
    )


def _surely_more(one: SharedValues) -> float:
    """The least by which the source's values are matched more often."""
    return surely_more(
        Rate(successes=one.source_met, attempts=one.source_values),
        Rate(successes=one.control_met, attempts=one.control_values),
    )


def about_attacks_with_control(found: Attacks | None, left_out: str = "") -> Iterator[Judgement]:
    """The gain of attacks on people of the source over others, as Giomi et al. (2022) define it."""
    question = "Do attacks learn more about people of the source than about others?"
    rule = f"amber where the gain is surely above {MOST_RISK:.0%}, red above {HIGH_RISK:.0%}"
    if found is None:
        yield Judgement(
            question=question,
            outcome="review",
            answer=f"Not tried: {left_out or 'there are no people to compare with'}.",
            rule=rule,
            advice=_try_control(),
        )
        return
    told = [run for run in found if run.risk is not None and run.control is not None]
    if not told:
        yield Judgement(
            question=question,
            outcome="review",
            answer="No attack could be compared with people who are not in the source.",
            rule=rule,
            advice=_try_control(),
        )
        return
    high = max(told, key=_gains)
    least = _gains(high)[0]
    outcome = "fail" if least > HIGH_RISK else "review" if least > MOST_RISK else "pass"
    yield Judgement(
        question=question,
        outcome=outcome,  # type: ignore[arg-type]
        answer=f"{counted(len(told), 'attack was', 'attacks were')} compared. The highest gain is "
        f"{high.risk.value:.1%} ({high.title.rstrip('?').rstrip('.')}).",  # type: ignore[union-attr]
        rule=rule,
        anchor="attacks",
    )


def _gains(run: AttackRun) -> tuple[float, float]:
    """The certain gain of an attack, and its apparent one."""
    return (run.risk.low, run.risk.value) if run.risk is not None else (0.0, 0.0)


def about_use(distances: Sequence[MarginalDistance]) -> Iterator[Judgement]:
    """Whether an analyst's counts by two fields are near the source."""
    pairs = next((one for one in distances if one.ways == 2), distances[-1])
    beyond = pairs.to_source - pairs.floor
    outcome = "fail" if beyond > VERY_FAR else "review" if beyond > FAR else "pass"
    name, far = pairs.worst[0]
    yield Judgement(
        question="Are the rows useful?",
        outcome=outcome,  # type: ignore[arg-type]
        answer=f"Counts by two fields are {pairs.to_source:.3f} off on average (total variation)."
        f" Another sample of people would be {pairs.floor:.3f} off. Farthest: {name} ({far:.3f}).",
        rule=f"amber where that is {FAR} more than of another sample of people, red where {VERY_FAR}",
        anchor="use",
    )


def _try_control() -> str:
    return as_caller_writes(
        "Try people like those of the source who are not in it, with --control."
    )
