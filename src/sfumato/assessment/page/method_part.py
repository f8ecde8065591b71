"""The method: every parameter, version and digest, so that a recipient can account for the release
(Garfinkel 2016, 3.2.3)."""

from __future__ import annotations

from sfumato.report import Html, section, table, tag

from .facts import AssessmentFacts, MethodTable


def lattice(facts: AssessmentFacts) -> Html:
    """The lattice of recodings, as the release's own report drew it."""
    if not facts.picture:
        return Html("")
    return section(
        "lattice",
        "The recodings that were looked at",
        tag(
            "p",
            "Each way to make the table coarser is one level for every field. The untouched "
            "table is at the bottom, the fully suppressed one at the top. Of those that "
            "pass, the solver chose the one that keeps most of what the recipient needs.",
        ),
        tag(
            "figure",
            Html(facts.picture),
            tag("figcaption", "The lattice of recodings, from the release's report."),
        ),
    )


def method(facts: AssessmentFacts) -> Html:
    return section(
        "method",
        "Method, parameters and versions",
        tag(
            "p",
            "These settings reproduce the same numbers: all random draws come from the seed. "
            "The recipient can count the release again without the source: ",
            tag("code", "sfumato verify DIR"),
            "." if facts.has_manifest else ", where it was made with Sfumato.",
        ),
        *(_account(one) for one in facts.accounts),
    )


def _account(one: MethodTable) -> Html:
    """A table whose caption is its heading; digests are set so that they break anywhere."""
    digest = len(one.headings) - 1 if "digest" in one.headings[-1] else None
    rows = [
        tuple(
            tag("code", cell, class_="digest") if place == digest else cell
            for place, cell in enumerate(row)
        )
        for row in one.rows
    ]
    return tag("div", table(one.headings, rows, caption=one.caption), class_="account")
