"""The Five Safes (Garfinkel 2016, section 3.5): the findings that bear on each, and room for the
board's answers."""

from __future__ import annotations

from sfumato.report import Html, bullets, join, section, tag

from .facts import AssessmentFacts, SafeQuestion


def five_safes(facts: AssessmentFacts) -> Html:
    """Five questions, each with the findings of this assessment and an empty line for each open
    question."""
    return section(
        "five-safes",
        "The five questions of the Five Safes",
        tag(
            "p",
            "Each question is judged by itself: a trusted recipient does not compensate for "
            "a table that discloses much, nor the reverse. The page answers what can be "
            "counted; the board answers the rest on the lines.",
        ),
        *(_question(place, question) for place, question in enumerate(facts.questions, start=1)),
        _decision(),
    )


def _question(place: int, question: SafeQuestion) -> Html:
    return tag(
        "div",
        tag("h3", f"{place}. {question.name}"),
        tag("p", question.asks, class_="asks"),
        bullets(question.found)
        if question.found
        else tag("p", "The release has no facts about this."),
        *(_line(words) for words in question.for_the_board),
        class_="safe",
    )


def _line(words: str) -> Html:
    """A question with room to write under it."""
    room = tag("span", class_="room", role="img", aria_label="room for the board's answer")
    return tag("div", tag("p", words), room, class_="board")


def _decision() -> Html:
    choices = ("share it", "share it on conditions", "do not share it")
    boxes = join(
        tag("span", tag("span", class_="box", aria_hidden="true"), choice) for choice in choices
    )
    return tag(
        "div",
        tag("h3", "The board's decision"),
        tag("p", boxes, class_="choices"),
        _line("Conditions, and the reason in writing"),
        _line("Names and date"),
        class_="safe decision",
    )
