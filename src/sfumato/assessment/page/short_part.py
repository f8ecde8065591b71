"""The first screen: the reasons against sharing, the losses, and what to do about them."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.measures import MOST_ALIKE
from sfumato.report import Html, bullets, counted, join, percent, share_of, tag
from sfumato.wording import agreeing, some_of

from .facts import AssessmentFacts

MOST_NAMED = 6
MOST_DONE = 5
_WORSE_FIRST = {"fail": 0, "review": 1, "pass": 2}
_SAID = {"fail": "Red", "review": "Amber"}


def in_short(facts: AssessmentFacts) -> Html:
    """Three short lists. A verdict that is not green is named by its question, worst first."""
    return tag(
        "div",
        tag("h2", "In short"),
        tag("div", _against(facts), _lost(facts), _to_do(facts), class_="short"),
        id="short",
    )


def _against(facts: AssessmentFacts) -> Html:
    worse = sorted(facts.judgements, key=lambda one: _WORSE_FIRST[one.outcome])
    said = [f"{_SAID[one.outcome]}: {one.question}" for one in worse if one.outcome != "pass"]
    rest = len(said) - MOST_NAMED
    if rest > 0:
        said = [*said[:MOST_NAMED], f"{counted(rest, 'more question')} below."]
    return _list("Reasons against it", said or ["No measure speaks against it."])


def _lost(facts: AssessmentFacts) -> Html:
    said = list(_lost_fields(facts))
    if facts.source is not None:
        share = percent(1 - share_of(facts.released, facts.source))
        noun = ("person", "people") if facts.unit == "people" else ("row", "rows")
        said.append(f"{share} of {counted(facts.source, *noun)} are left out.")
    said += [f"{figure} {name}." for figure, name, _ in facts.cards if name in ("of detail kept",)]
    if facts.source is None:
        said.append("The source was not given, so other losses are unknown.")
    return _list("What was lost", said)


def _lost_fields(facts: AssessmentFacts) -> Iterator[str]:
    """Fields that can no longer be used, by the rule of a release's report; where there is none, the
    one that lost most."""
    lost = [use.name for use in facts.uses if use.is_lost]
    if lost:
        yield (
            f"{counted(len(lost), 'known field is', 'known fields are')} lost: "
            f"{some_of(lost, MOST_NAMED)}. More than half of {agreeing(len(lost), 'it', 'each')} is "
            f"gone, or one label has over {percent(MOST_ALIKE)} of its rows."
        )
    elif facts.uses:
        most = max(facts.uses, key=lambda use: use.loss)
        if most.loss > 0:
            yield f"No known field is lost. {most.name} lost most: {percent(most.loss)} of it."
    if facts.constant:
        fields = counted(len(facts.constant), "known field is", "known fields are")
        same = set(facts.constant) == set(lost)
        yield f"{fields} constant{'' if same else ': ' + some_of(facts.constant, MOST_NAMED)}."


def _to_do(facts: AssessmentFacts) -> Html:
    worse = sorted(facts.judgements, key=lambda one: _WORSE_FIRST[one.outcome])
    advice = dict.fromkeys(one.advice for one in worse if one.advice and one.outcome != "pass")
    said = list(advice)[:MOST_DONE]
    return _list("What to do", said or ["Answer the five questions below, and decide."])


def _list(heading: str, said: list[str]) -> Html:
    return tag("div", tag("h3", heading), join([bullets(said)]))
