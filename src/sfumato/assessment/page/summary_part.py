"""The top of the page for a board: one colour with words, the same for each question, and notes
beside it."""

from __future__ import annotations

from sfumato.protection import Outcome
from sfumato.report import (
    Html,
    bullets,
    counted,
    join,
    listed,
    number,
    percent,
    section,
    share_of,
    table,
    tag,
)
from sfumato.report.sections import SIGN, card

from .facts import MOST_NAMED, AssessmentFacts, Judgement, shortened

COLOUR: dict[Outcome, str] = {"pass": "green", "review": "amber", "fail": "red"}
_HEADLINE: dict[Outcome, str] = {
    "pass": "Green: no reason against sharing was found",
    "review": "Amber: a person has to decide",
    "fail": "Red: do not share it as it is",
}
_MEANING: dict[Outcome, str] = {
    "pass": "Every requirement was counted again and holds, and no measure is beyond its "
    "limit. Whether the table may be shared is for the board to decide: the five "
    "questions below are not all about numbers.",
    "review": "No requirement is broken, but a measure is near its limit, or could not be "
    "decided by counting. The lines marked amber say what.",
    "fail": "A requirement is broken, or a measure is beyond its limit. The lines marked red "
    "say which, and by how much.",
}


def banner(facts: AssessmentFacts, *, drawn: bool) -> Html:
    """The outcome, with what it means; the sign and the words carry it without the colour."""
    lines = [
        tag("p", _HEADLINE[facts.outcome], class_="headline"),
        tag("p", _MEANING[facts.outcome]),
    ]
    lines.append(tag("p", tag("a", _tally(facts.judgements), href="#verdicts"), "."))
    if not drawn:
        words = "This page is without charts. To get them: pip install 'sfumato[assess]'"
        lines.append(tag("p", words, class_="fine"))
    sign = tag("div", SIGN[facts.outcome], class_="sign", aria_hidden="true")
    return tag("div", sign, tag("div", *lines), class_=f"banner {facts.outcome}", id="outcome")


def _tally(judgements: tuple[Judgement, ...]) -> str:
    counts = {outcome: sum(one.outcome == outcome for one in judgements) for outcome in COLOUR}
    said = [f"{number(count)} {COLOUR[outcome]}" for outcome, count in counts.items() if count]
    if len(said) == 1:
        return f"All {counted(len(judgements), 'question')}: {said[0].split()[-1]}"
    return f"Of {counted(len(judgements), 'question')}, {listed(said)}"


def subject(facts: AssessmentFacts) -> Html:
    """The subject of the assessment, in two sentences."""
    said = [f"The release holds {counted(facts.released, *_noun(facts.unit))}"]
    if facts.source is not None:
        share = percent(share_of(facts.released, facts.source))
        said.append(f", {share} of the {counted(facts.source, *_noun(facts.unit))} in the source. ")
    else:
        said.append("; the source was not given, so there are no figures before the release. ")
    said.append(
        f"It is assumed that somebody knows {listed(facts.known, most=MOST_NAMED)} of a person"
    )
    if facts.sensitive:
        said.append(f", and must not learn {listed(facts.sensitive, most=MOST_NAMED)} from it. ")
    else:
        said.append(". No field is named as one that must not be learned. ")
    return section(
        "subject",
        "What was assessed",
        tag("p", join(said), class_="lead"),
        tag("div", *(card(*one) for one in facts.cards), class_="cards") if facts.cards else "",
        tag(
            "p",
            "This page is for the data holder and the review board. It counts people of "
            "the source, so it should not "
            "travel with the release. It names fields, and no value that fewer than ten "
            "people have.",
            class_="fine",
        ),
    )


def _noun(unit: str) -> tuple[str, str]:
    return ("person", "people") if unit == "people" else ("row", "rows")


def judgements(facts: AssessmentFacts) -> Html:
    """One line per question: colour, answer, and the rule that gave the colour."""
    rows = [(one.question, badge(one.outcome), _linked(one), one.rule) for one in facts.judgements]
    beside = []
    if facts.warnings:
        heading = tag("h3", "Warnings of the release")
        beside.append(tag("div", heading, bullets(facts.warnings), class_="warnings"))
    if facts.notes:
        beside.append(tag("div", tag("h3", "Notes"), bullets(facts.notes), class_="notes"))
    return section(
        "verdicts",
        "The verdicts",
        table(
            ("Question", "Verdict", "What was found", "The rule"),
            rows,
            caption="Questions with a verdict",
        ),
        *beside,
    )


def badge(outcome: Outcome) -> Html:
    return tag("span", f"{SIGN[outcome]} {COLOUR[outcome]}", class_=f"badge {outcome}")


def _linked(one: Judgement) -> Html:
    if not one.anchor:
        return join([one.answer])
    return join([one.answer, " ", tag("a", "More", href=f"#{one.anchor}", class_="more")])


def requirements(facts: AssessmentFacts) -> Html:
    """Each requirement of the policy as it was judged again now."""
    heading = "What was required, counted again"
    if not facts.verdicts:
        words = (
            "No requirement could be judged here: no policy names one, or it needs a table "
            "that was not given."
        )
        return section("required", heading, tag("p", words))
    rows = [
        (
            verdict.model,
            badge(verdict.outcome),
            verdict.requirement,
            number(verdict.smallest),
            f"{number(verdict.bins_below)} of {number(verdict.bins)}",
            f"{number(verdict.rows_below)} of {number(verdict.rows)}",
            shortened(verdict.reason, facts.known),
        )
        for verdict in facts.verdicts
    ]
    return section(
        "required",
        heading,
        tag(
            "p",
            "A bin is all rows that share the same values of the known fields. Each line "
            "is one requirement of the "
            "policy, judged on the table as it is now and not as it was planned.",
        ),
        table(
            (
                "Model",
                "Verdict",
                "Requirement",
                "Smallest",
                "Bins that break it",
                "Rows in them",
                "Reason",
            ),
            rows,
            caption="Requirements",
            numeric={3, 4, 5},
        ),
    )
