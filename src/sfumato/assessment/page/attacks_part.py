"""The attacks for a board: what each attacker knows, tries and gets, beside a guess without the
release."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import (
    Html,
    bullets,
    counted,
    figure,
    join,
    number,
    percent,
    section,
    table,
    tag,
)
from sfumato.wording import agreeing

from ..attacks import AttackRun, Attacks, Rate, RateEstimate

_SIGNED = {
    "beats its baseline": ("fail", "✕ beats a guess"),
    "does not beat its baseline": ("pass", "✓ no better than a guess"),
    "undecided": ("review", "! undecided"),
}


def part(result: Attacks, charts: Mapping[str, Html]) -> Html:
    """The answer with all rates, then each attack as a story."""
    return join([_overview(result, charts), _stories(result)])


def _overview(result: Attacks, charts: Mapping[str, Html]) -> Html:
    return section(
        "attacks",
        "What attackers learn",
        tag("p", tag("strong", _answer(result)), " ", _meaning(result)),
        figure(
            charts.get("attacks"),
            "How often each attack is right, compared with a guess and, if given, a control "
            "group. The bar around a mark is the 95 % interval of the true rate.",
            _numbers(result),
        ),
        tag(
            "p",
            "Each attempt is about one person drawn at random, or one statement made from "
            "the release. An attack beats a guess where its whole bar is above that of the "
            "guess, and above that of the control group: similar people who are not in the "
            "release, about whom the release discloses nothing individual.",
            class_="fine",
        ),
    )


def _answer(result: Attacks) -> str:
    tried = [run for run in result if run.rate is not None]
    if not tried:
        return "No attack could be measured: the source was not at hand."
    if not result.beaten:
        return f"None of {counted(len(tried), 'attack')} does better than a guess."
    better = agreeing(len(result.beaten), "does", "do")
    return f"{len(result.beaten)} of {counted(len(tried), 'attack')} {better} better than a guess."


def _meaning(result: Attacks) -> str:
    most = [run for run in result.beaten if run.risk is not None]
    if not most:
        return "A guess is the success of somebody who never saw the release."
    strongest = max(most, key=lambda run: run.risk.value if run.risk is not None else 0.0)
    assert strongest.rate is not None
    assert strongest.baseline is not None
    return (
        f"The strongest, “{strongest.title}”, is right in {percent(strongest.rate.value)} of "
        f"attempts; a guess is right in {percent(strongest.baseline.value)}."
    )


def _numbers(result: Attacks) -> Html:
    rows = [
        (
            run.title,
            number(run.attempts),
            number(run.claims),
            _rate(run.rate),
            _rate(run.baseline),
            _rate(run.control),
            _estimate(run.risk),
        )
        for run in result
    ]
    headers = (
        "Attack",
        "Attempts",
        "Claims made",
        "Right",
        "A guess",
        "Control group",
        "What the release adds",
    )
    return table(headers, rows, caption="Attacks and their baselines", numeric={1, 2, 3, 4, 5, 6})


def _rate(rate: Rate | None) -> str:
    return (
        "–"
        if rate is None
        else f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})"
    )


def _estimate(risk: RateEstimate | None) -> str:
    return (
        "–"
        if risk is None
        else f"{percent(risk.value)} ({percent(risk.low)} to {percent(risk.high)})"
    )


def _stories(result: Attacks) -> Html:
    return section(
        "attack-stories",
        "Each attack in words",
        *(_story(run) for run in result),
        tag(
            "p",
            f"The attacks targeted {counted(result.targets, 'person', 'people')} of the "
            f"source, drawn at random with seed {result.seed}. A release does not record the "
            "person of a row: where a released row fits several people of the source, a "
            "claim about it counts as right for one of them. A guess made from a coarse "
            "label counts as right only if it equals the original value.",
            class_="fine",
        ),
    )


def _story(run: AttackRun) -> Html:
    colour, words = _SIGNED[run.outcome]
    told = [
        join([tag("b", "Who: "), run.story.attacker]),
        join([tag("b", "Knows: "), run.story.knows]),
        join([tag("b", "Tries: "), run.story.tries]),
        join([tag("b", "A guess would be: "), run.story.guess]),
        join([tag("b", "Got: "), run.got]),
        *run.notes,
    ]
    return tag(
        "div",
        tag("h3", run.title, " ", tag("span", words, class_=f"badge {colour}")),
        bullets(told),
        tag("p", f"{run.reason[0].upper()}{run.reason[1:]}.", class_="fine"),
        class_="story",
    )
