"""A data-protection impact assessment as filled Markdown, for one application.

Its headings follow article 35(7) GDPR: the processing, its necessity, the risks, and the measures.
Open answers and judgements are marked as open."""

from __future__ import annotations

from collections.abc import Iterator

from ..applications import Application, ApplicationStep
from .export import Export

_COLOURS = {"pass": "green", "review": "amber", "fail": "red"}


def impact_assessment(export: Export) -> str:
    """The text of the assessment."""
    about = export.about()
    lines = [f"# Data-protection impact assessment: {_plain(about.name)}", ""]
    for heading, body in (
        ("1. The processing", _processing(about)),
        ("2. Necessity and proportionality", _necessity(about)),
        ("3. Risks to the people concerned", _risks(export, about)),
        ("4. Measures", _measures(about)),
        ("5. The board", _board(export, about)),
    ):
        lines += [f"## {heading}", "", *body, ""]
    return "\n".join(lines).rstrip() + "\n"


def _processing(about: Application) -> Iterator[str]:
    form = about.form
    yield from _answers(
        ("Purpose", form.purpose),
        ("Use", form.use),
        ("Origin of the data", form.origin),
        ("Sharing model", form.sharing.value),
        ("Group that receives it", about.group),
        ("Recipient", about.agreement.recipient if about.agreement is not None else ""),
    )


def _necessity(about: Application) -> Iterator[str]:
    form = about.form
    yield from _answers(
        ("Law, consent or mandate", form.law),
        ("What the subjects were promised", form.promised),
        ("Safe projects", form.projects),
        ("Safe people", form.people),
    )


def _risks(export: Export, about: Application) -> Iterator[str]:
    form = about.form
    yield from _answers(
        ("Accepted risk", form.accepted_risk), ("Harms", form.harms), ("Safe data", form.data)
    )
    yield ""
    judged = about.assessment.get("judgements", ())
    if not judged:
        yield "The candidate: **open**, nobody assessed one yet."
    else:
        yield (
            f"Assessed by {_plain(about.maker)}, and again by {_plain(about.assessed_again_by)}."
            if about.assessed_again_by
            else f"{_plain(about.maker)} signs for these answers; nobody else has verified them yet."
        )
        yield ""
        yield "| question of the assessment | verdict |"
        yield "| --- | --- |"
        for each in judged:
            colour = _COLOURS.get(each["outcome"], each["outcome"])
            yield f"| {_plain(each['question'])} | {colour} |"
    for group, verdict in about.verdict.items():
        yield ""
        colour = _COLOURS.get(verdict["outcome"], verdict["outcome"])
        yield f"All that {_plain(group)} would hold: {_plain(verdict['reason'])} ({colour})."


def _measures(about: Application) -> Iterator[str]:
    form, agreed = about.form, about.agreement
    yield from _answers(
        ("Mitigation", form.mitigation),
        ("Safe settings", form.settings),
        ("Safe outputs", form.outputs),
        (
            "Policy",
            f"sha256:{about.policy or about.proposed}" if about.proposed or about.policy else "",
        ),
        ("Access class", agreed.access.value if agreed is not None else ""),
        ("Terms of use", ", ".join(agreed.terms) if agreed is not None else ""),
        (
            "Fields the recipient can link on",
            ", ".join(agreed.link_on) or "none" if agreed is not None else "",
        ),
        (
            "Agreement",
            f"{agreed.valid_from} to {agreed.until}, sha256:{agreed.digest}"
            if agreed is not None
            else "",
        ),
        ("Destroyed by", agreed.destroy_by if agreed is not None else ""),
    )


def _board(export: Export, about: Application) -> Iterator[str]:
    decisions = export.decisions()
    if not decisions:
        yield "**Open**: the board has not decided yet."
    for move, step in decisions:
        about_what = "policy" if step is ApplicationStep.POLICY else "candidate"
        word = "approved" if move.facts["decision"] == "approve" else "refused"
        reason = _plain(str(move.facts["reason"]))
        yield f"- {move.time[:10]}: {_plain(move.author)} {word} the {about_what}. {reason}"
        for condition in move.facts["conditions"]:
            yield f"    - Condition: {_plain(str(condition))}"
    if about.valid_until:
        yield ""
        yield f"The decision holds until {about.valid_until}. State: {about.state.value}."


def _answers(*pairs: tuple[str, str]) -> Iterator[str]:
    for name, answer in pairs:
        yield f"- **{name}**: {_plain(answer) if answer else '**open**'}"


def _plain(text: str) -> str:
    """A text in which nothing is markup, in one line."""
    joined = " ".join(text.split())
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>#|!&" else each for each in joined)
