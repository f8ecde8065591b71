"""The pages of a review: documents with the filters above them and the panel below, and the list of
all documents."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Template

from sfumato.report import Html, folded, html, join, tag
from sfumato.text import ReferenceKind

from .document_blocks import Stretch
from .document_view import DocumentSheet, anchor, entries_in, view
from .entries import Certainty, Group
from .escaped_text import shown
from .review_file import FORMAT

LISTED = 10_000
"""The most documents in the list; the others are on their pages."""
GROUPS = {
    Group.PEOPLE: "People",
    Group.PLACES: "Places",
    Group.CONTACT: "Contact",
    Group.DATES: "Dates and ages",
    Group.NUMBERS: "Numbers",
    Group.BODIES: "Institutions",
    Group.FACTS: "Other facts",
}
CERTAINTIES = {
    Certainty.SURE: "Sure",
    Certainty.UNCERTAIN: "Uncertain",
    Certainty.NEARLY: "Nearly replaced",
    Certainty.UNLIKELY: "Unlikely",
}


def page_name(number: int) -> str:
    return f"page-{number:05d}.html"


def in_reading_order(sheets: Sequence[DocumentSheet]) -> list[DocumentSheet]:
    """Documents in other languages first, then unusual ones, the most unusual of them first; then
    those with the most uncertain findings."""
    return sorted(
        sheets,
        key=lambda sheet: (
            not sheet.unread_languages,
            not sheet.unusualness.stands_out,
            -(sheet.unusualness.score or 0.0) if sheet.unusualness.stands_out else 0.0,
            -sheet.uncertain,
            sheet.number,
        ),
    )


def one_page(
    sheets: Sequence[DocumentSheet], stretches: Sequence[Stretch], *, title: str, purpose: str
) -> str:
    """A review that fits on one page: the list, then the documents."""
    by_number = {sheet.number: sheet for sheet in sheets}
    inner = _documents(by_number, stretches)
    links = {
        stretch.document: "#" + anchor(by_number[stretch.document], stretch)
        for stretch in stretches
    }
    listed = listing(sheets, links) if len(sheets) > 1 else Html("")
    made = told(sheets, purpose)
    about = _about(purpose, whole=True)
    body = join((_how("review-corrected.json"), listed, inner))
    return _whole(title, made, body, review=about, file="review-corrected.json", edits=True)


def documents_page(
    sheets: Mapping[int, DocumentSheet],
    stretches: Sequence[Stretch],
    *,
    title: str,
    purpose: str,
    number: int,
    count: int,
) -> str:
    """One of several pages. It saves corrections only: it does not know the findings of the
    others."""
    links = [tag("a", "All documents", href="../review.html")]
    links += [tag("a", "← Page before", href=page_name(number - 1))] if number > 1 else []
    links += (
        [tag("a", "Next page →", href=page_name(number + 1), rel="next")] if number < count else []
    )
    around = tag("nav", *links, class_="around", aria_label="Pages")
    about = _about(purpose, whole=False)
    body = join((around, _documents(sheets, stretches), around))
    made = (
        f"Page {number:,} of {count:,}. Each page saves its own corrections: save before you "
        "leave it."
    )
    return _whole(
        title, made, body, review=about, file=f"corrections-{number:05d}.json", edits=True
    )


def index_page(
    sheets: Sequence[DocumentSheet],
    links: Mapping[int, str],
    *,
    title: str,
    purpose: str,
    count: int,
) -> str:
    """The list of a review of several pages."""
    left = len(sheets) - LISTED
    more = (
        [tag("p", f"{left:,} more documents are on the following pages.", class_="facts")]
        if left > 0
        else []
    )
    each = (
        tag("a", f"{n:,}", href=f"pages/{page_name(n)}", aria_label=f"Page {n:,}")
        for n in range(1, count + 1)
    )
    numbers = tag("nav", "Pages: ", *each, class_="around", aria_label="Pages")
    body = join((_how("review.json corrections-*.json"), listing(sheets, links), *more, numbers))
    return _whole(title, told(sheets, purpose), body, review="", file="", edits=False)


def listing(sheets: Sequence[DocumentSheet], links: Mapping[int, str]) -> Html:
    """The documents with their counts, those to read first at the top."""
    names = ("Document", "To look at", "Masked", "Kept", "Characters")
    head = tag(
        "tr",
        *(
            tag("th", name, scope="col", class_="number" if n > 1 else "")
            for n, name in enumerate(names)
        ),
    )
    rows = (_row(sheet, links.get(sheet.number, "")) for sheet in sheets[:LISTED])
    inner = tag("table", tag("thead", head), tag("tbody", *rows))
    told_first = (
        "Documents in other languages and unusual ones are first, then those with the most "
        "uncertain findings."
    )
    table = tag("div", inner, class_="wide")
    return tag(
        "section",
        tag("h2", "Documents"),
        tag("p", told_first, class_="facts"),
        table,
        class_="list",
    )


def _row(sheet: DocumentSheet, link: str) -> Html:
    marks = [tag("span", "unusual", class_="badge odd")] if sheet.unusualness.stands_out else []
    marks += [tag("span", name, class_="badge odd") for name in sheet.unread_languages]
    marks += (
        [tag("span", f"{sheet.uncertain:,} uncertain", class_="badge")] if sheet.uncertain else []
    )
    numbers = sheet.masked, len(sheet.entries) - sheet.masked, len(sheet.document.text)
    return tag(
        "tr",
        tag("th", tag("a", shown(sheet.title), href=link), scope="row"),
        tag("td", *marks),
        *(tag("td", f"{number:,}", class_="number") for number in numbers),
    )


def told(sheets: Sequence[DocumentSheet], purpose: str) -> str:
    masked = sum(sheet.masked for sheet in sheets)
    odd = sum(sheet.unusualness.stands_out for sheet in sheets)
    uncertain = sum(sheet.uncertain for sheet in sheets)
    noun = "document" if len(sheets) == 1 else "documents"
    words = [f"{len(sheets):,} {noun}", f"{masked:,} references masked", f"{uncertain:,} uncertain"]
    nearly = sum(sheet.nearly for sheet in sheets)
    words += [f"{nearly:,} nearly replaced"] if nearly else []
    words += [f"{odd:,} unusual"] if odd else []
    others = sum(bool(sheet.unread_languages) for sheet in sheets)
    words += [f"{others:,} not in English"] if others else []
    return " · ".join(words) + f". Masked: {purpose}."


def _how(files: str) -> Html:
    steps = (
        "Read each document on the left as an acquaintance of the person would: what would "
        "reveal who it is?",
        "Turn off findings that may stay, correct wrong kinds, and select missed text to add it.",
        "Save the corrections. Your browser stores the file among its downloads; it holds "
        "originals, so move it.",
    )
    last = join(
        (
            "Apply them: ",
            tag("code", f"sfumato scrub PATH... --to DIR --key FILE --apply {files}"),
            ".",
        )
    )
    return folded(
        "How to check and apply corrections",
        tag("ol", *(tag("li", step) for step in (*steps, last))),
        class_="how",
    )


def _documents(sheets: Mapping[int, DocumentSheet], stretches: Sequence[Stretch]) -> Html:
    out = []
    first = 1
    for stretch in stretches:
        sheet = sheets[stretch.document]
        out.append(view(sheet, stretch, first=first))
        first += len(entries_in(sheet, stretch))
    return join(out)


def _about(purpose: str, *, whole: bool) -> str:
    return json.dumps({"format": FORMAT, "purpose": purpose, "whole": whole})


def _whole(title: str, made: str, body: Html, *, review: str, file: str, edits: bool) -> str:
    style, script = _resource("review.css"), _resource("review.js") if edits else ""
    return Template(_resource("page.html")).substitute(
        title=shown(title),
        made=html(made),
        body=body,
        review=html(review),
        file=html(file),
        tools=_tools() if edits else "",
        panel=_panel() if edits else "",
        style=style,
        style_digest=_digest(style),
        script=script,
        script_digest=_digest(script),
    )


def _tools() -> Html:
    def box(name: str, label: str, sign: str = "") -> Html:
        given = {"type": "checkbox", "checked": "checked", "data_filter": name}
        return tag("label", tag("input", **given), tag("span", label, class_=sign))

    kinds = tag(
        "fieldset",
        tag("legend", "Kinds"),
        *(box(f"g-{key}", name, f"g-{key}") for key, name in GROUPS.items()),
    )
    sure = tag(
        "fieldset",
        tag("legend", "Certainty"),
        *(box(f"c-{key}", name) for key, name in CERTAINTIES.items()),
    )
    what = tag("fieldset", tag("legend", "Decision"), box("masked", "Masked"), box("kept", "Kept"))
    keys = (
        "n and p: next and previous uncertain one · j and k: next and previous of any · m: "
        "mask or keep"
    )
    help_ = tag("p", keys, " · select text in the original to add what was missed.", class_="keys")
    return tag(
        "form",
        kinds,
        sure,
        what,
        help_,
        class_="tools",
        aria_label="What is shown",
        hidden="hidden",
    )


def _panel() -> Html:
    choices = tag(
        "select",
        *(
            tag("option", str(kind), value=str(kind), class_=f"g-{Group.of(kind)}")
            for kind in ReferenceKind
        ),
        id="kind",
    )
    buttons = (
        tag("button", "← Uncertain", type="button", id="before", title="p"),
        tag("button", "Uncertain →", type="button", id="next", title="n"),
    )
    edits = (
        tag("label", "Kind ", choices),
        tag("button", "Mask", type="button", id="toggle", title="m"),
        tag("button", "", type="button", id="alike", hidden="hidden"),
        tag(
            "label",
            tag("input", type="checkbox", id="everywhere"),
            " everywhere",
            title=_EVERYWHERE,
        ),
        tag("button", "Add", type="button", id="add", hidden="hidden"),
    )
    state = tag("output", "No changes", id="state")
    save = tag("button", "Save corrections", type="button", id="save", class_="main")
    about = tag(
        "div", "Choose a finding, or select text that was missed.", id="about", role="status"
    )
    return tag(
        "aside",
        tag("div", *buttons, class_="steps"),
        about,
        tag("div", *edits, class_="edits", id="edits", hidden="hidden"),
        tag("div", state, save, class_="saving"),
        id="panel",
        aria_label="Finding",
        hidden="hidden",
    )


_EVERYWHERE = (
    "Also wherever else it occurs in this person's documents, in part or misspelt; done when "
    "applied."
)


@cache
def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
