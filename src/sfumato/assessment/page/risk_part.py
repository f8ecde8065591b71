"""Risk for a board: how likely a person is found, how many are unique, and what is inferred without
finding anyone."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import (
    Html,
    bullets,
    counted,
    figure,
    join,
    listed,
    number,
    one_in,
    percent,
    risk_classes,
    section,
    table,
    tag,
)
from sfumato.report.sections import card

from ..risk import Probability, Risks, TableRisks, UniquesEstimate
from ..risk.probabilities import EDGES, OLDER
from .uniqueness_part import coloured, inference, standing_out

__all__ = ["part"]

_MEANING = {
    "KIRP": "of somebody who is known to be in the table",
    "UIRP": "of any person of the population, in the table or not",
    "RMP": "that the name assigned to a row is the right one",
    "IP": "that somebody is in the table at all",
}
_AVERAGED = {"rows": "over all rows", "people": "over the whole population"}


def part(result: Risks, charts: Mapping[str, Html]) -> Html:
    """All sections about risk."""
    return join(
        [
            _found(result, charts),
            _population(result, charts),
            standing_out(result, charts),
            inference(result, charts),
        ]
    )


def _found(result: Risks, charts: Mapping[str, Html]) -> Html:
    """The chance that a person who is known to be in the table is found, and the four
    probabilities."""
    after = result.after
    known = listed(result.known, most=6)
    if not after.rows:
        return section(
            "risk",
            "How likely a person is found",
            tag("p", "The release is empty: nobody can be found."),
        )
    return section(
        "risk",
        "How likely a person is found",
        tag("p", tag("strong", _answer(result)), " ", _compared(result)),
        tag("div", *_cards(result), class_="cards"),
        tag(
            "p",
            f"Somebody knows {known} of a person, looks for the rows that fit, and picks "
            "one. The chance to pick the right one depends on whether they know that the "
            "person is in the table.",
        ),
        figure(
            charts.get("risk_known"),
            "Rows by the chance that their person is found, by somebody who knows that the "
            "person is in the table"
            f"{coloured(result)}.",
            _classes(
                result, "kirp", "Rows by the chance that a person known to be in the table is found"
            ),
        ),
        _probabilities(result),
        bullets(_notes(result)) if _notes(result) else "",
    )


def _notes(result: Risks) -> list[str]:
    """The notes that are not above already: why the population is not judged."""
    reason = result.after.people.reason
    return [note for note in result.notes if not reason or reason not in note]


def _answer(result: Risks) -> str:
    after = result.after
    highest, average = after.kirp.maximum or 0.0, after.kirp.average or 0.0
    if after.unique_rows:
        alone = counted(after.unique_rows, "released row has", "released rows have")
        return f"{alone} a unique combination of these fields, which identifies the person."
    return (
        "By these fields, the chance to find a person is at most "
        f"{one_in(round(1 / highest, 1))}; on average it is {one_in(round(1 / average, 1))}."
    )


def _compared(result: Risks) -> str:
    before = result.before
    if before is None or before.kirp.average is None:
        return ""
    alone = counted(before.unique_rows, "row was", "rows were")
    return (
        f"In the source, {alone} unique, and the average chance was {percent(before.kirp.average)}."
    )


def _cards(result: Risks) -> list[Html]:
    after = result.after
    over = f"over {percent(0.2)}"
    cards = [
        card(
            percent(after.kirp.maximum or 0.0),
            "highest chance",
            "To find the person who is easiest to find.",
        ),
        card(
            percent(after.kirp.average or 0.0),
            "average chance",
            "To find a person who is known to be in the table.",
        ),
        card(
            percent(after.kirp.above[2]),
            over,
            "Rows whose person is found with a chance of more than one in five.",
        ),
    ]
    if after.expected_reidentifications is not None:
        meaning = (
            f"Of {number(after.rows)} rows, when somebody who knows the whole population "
            "assigns a name to each."
        )
        cards.append(
            card(
                number(round(after.expected_reidentifications, 1)), "right names expected", meaning
            )
        )
    return cards


def _classes(result: Risks, name: str, caption: str) -> Html:
    tables = [one for one in (result.before, result.after) if one is not None]
    found: list[Probability] = [getattr(one, name) for one in tables]
    headers = ("Chance", *(["Before"] if result.before is not None else []), "After")
    rows = [
        (
            called,
            *(number(round(one.within[place])) if one.within else "not known" for one in found),
        )
        for place, called in enumerate(risk_classes(EDGES))
    ]
    return table(headers, rows, caption=caption, numeric={1, 2})


def _probabilities(result: Risks) -> Html:
    """One line for each probability of Garfinkel 2016, 3.2.1, under its name there and the older
    one."""
    rows = []
    for place, after in enumerate(result.after.probabilities):
        before = result.before.probabilities[place] if result.before is not None else None
        older = f" (“{OLDER[after.name]}”)" if OLDER[after.name] else ""
        named = join(
            [
                tag("span", f"{after.name}{older}"),
                tag("p", f"The chance {_MEANING[after.name]}.", class_="fine"),
            ]
        )
        rows.append(
            (
                named,
                _AVERAGED[after.over],
                *([_average(before)] if before is not None else []),
                _average(after),
                _share(after.maximum),
                _share(after.above[2] if after.above else None),
            )
        )
    headers = (
        "Probability",
        "Averaged",
        *(["Before"] if result.before is not None else []),
        "After",
    )
    headers = (*headers, "Highest after", f"Over {percent(0.2)} after")
    numbers = table(
        headers,
        rows,
        caption="The re-identification probabilities of NIST SP 800-188, section 3.2.1",
        numeric=set(range(2, len(headers))),
    )
    reason = next((one.reason for one in result.after.probabilities if one.reason), "")
    told = f"Undecided: {reason}." if reason else result.after.people.said
    return join([numbers, tag("p", told, class_="fine")])


def _average(found: Probability) -> str:
    if found.average is None:
        return "undecided"
    between = (
        f" ({percent(found.interval[0])} to {percent(found.interval[1])})" if found.interval else ""
    )
    return f"{percent(found.average)}{between}"


def _share(value: float | None) -> str:
    return "undecided" if value is None else percent(value)


def _population(result: Risks, charts: Mapping[str, Html]) -> Html:
    """The unique people of the population: every estimate, with its interval or its reason."""
    after = result.after
    if not after.uniqueness:
        return Html("")
    chosen = _chosen(after)
    lead = (
        "The number of people with a unique combination in the population cannot be "
        "estimated from this release."
    )
    if chosen is not None and chosen.value is not None:
        between = (
            f" (between {percent(chosen.interval[0])} and {percent(chosen.interval[1])})"
            if chosen.interval
            else ""
        )
        how = "As counted" if chosen.estimator == "counted" else "As estimated"
        lead = (
            f"{how}, {percent(chosen.value)} of the population{between} have a unique combination "
            "of released values."
        )
    return section(
        "population",
        "Who is unique in the whole population",
        tag(
            "p",
            tag("strong", lead),
            " A person who is unique in the release may have doubles outside it. Only people "
            "who are unique in the whole population can be identified without knowledge of "
            "who was sampled.",
        ),
        figure(
            charts.get("risk_uniqueness"),
            "Each estimate with its 95 % "
            f"interval{coloured(result)}. Where estimates "
            "disagree, one of their models is wrong.",
            _estimates(result),
        ),
        figure(
            charts.get("risk_population"),
            "Rows by the chance that an assigned name is right, for somebody who searches "
            "the whole population.",
            _classes(result, "rmp", "Rows by the chance that an assigned name is right"),
        )
        if result.after.rmp.average is not None
        else "",
    )


def _chosen(found: TableRisks) -> UniquesEstimate | None:
    """The estimate that the decision rule takes, or what was counted."""
    named = {one.estimator: one for one in found.uniqueness}
    return named.get("counted") or named.get("Dankar")


def _estimates(result: Risks) -> Html:
    rows = []
    for when, found in (("before", result.before), ("after", result.after)):
        for one in found.uniqueness if found is not None else ():
            between = (
                f"{percent(one.interval[0])} to {percent(one.interval[1])}" if one.interval else ""
            )
            why = one.reason or (f"took {one.chose}" if one.chose else one.interval_by)
            value = "undecided" if one.value is None else percent(one.value)
            rows.append((one.estimator, when, value, between, why))
    return table(
        ("Estimator", "", "Unique in the population", "Between", "How"),
        rows,
        caption="Population uniqueness",
        numeric={2, 3},
    )
