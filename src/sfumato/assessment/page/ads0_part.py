"""Property 9 of Sweeney 2000: does a released record point to one person only? In words, then as it
was reached."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.measures import Ads0, MapFinding
from sfumato.report import Html, counted, join, number, percent, section, share_of, table, tag

from .facts import shortened

HEADING = "Does a row point to one person only?"
_MODELS = {
    "null-map": "no row can be traced to anybody",
    "k-map": "every row could be that of several people",
    "wrong-map": "every row leads to somebody else",
}


def ads0(found: Ads0, known: Sequence[str] = ()) -> Html:
    """The answer, how many people a row fits, and which of the three models of the paper hold."""
    share = percent(share_of(found.offending, found.tuples))
    if found.holds:
        answer = (
            "No. Each released row that points to its person points to someone else too, or "
            "is not unique."
        )
    else:
        answer = (
            f"Yes: {counted(found.offending, 'row')} ({share}). Each fits one person only, "
            "and no other row of the "
            "release fits that person."
        )
    return section(
        "ads0",
        HEADING,
        tag("p", tag("strong", answer), " ", _fits(found)),
        _maps(found.maps) if found.maps else "",
        tag("p", f"As found: {shortened(found.reason, known)}.", class_="fine"),
    )


def _fits(found: Ads0) -> str:
    if found.k_map:
        return (
            f"Every released row fits {counted(found.k_map, 'person', 'people')} or more of "
            "those compared with."
        )
    rows = counted(found.pointing_to_nobody, "released row fits", "released rows fit")
    return f"{rows} nobody of those compared with."


def _maps(maps: tuple[MapFinding, ...]) -> Html:
    rows = [
        (
            join([one.model, tag("p", _MODELS[one.model], class_="fine")]),
            "holds" if one.holds else "does not hold",
            number(one.offending),
            one.reason,
        )
        for one in maps
    ]
    return table(
        ("Model", "", "Rows that break it", "Why"),
        rows,
        caption="The three ways in which a release can protect (Sweeney 2000, section 5); one of "
        "them is enough",
        numeric={2},
    )
