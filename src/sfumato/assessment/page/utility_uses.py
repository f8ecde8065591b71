"""The uses of the release, for a board: pairs of fields, counts, and models that learn from it."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.report import Html, counted, figure, listed, number, percent, section, table, tag

from ..utility import Associations, ModelAccuracy, Usefulness

PAIRS_SHOWN = 200


def pairs(result: Usefulness, charts: Mapping[str, Html]) -> Html:
    found = result.associations
    if found is None:
        return Html("")
    words = {"pearson": "correlation", "cramer": "Cramér's V", "eta": "correlation ratio"}
    rows = [
        (
            f"{found.fields[i]} and {found.fields[j]}",
            words[found.measures[i][j]],
            _signed(found.before[i, j]),
            _signed(found.after[i, j]),
            _signed(found.difference[i, j]),
        )
        for i, j in _changed_most(found)
    ]
    every = len(found.fields) * (len(found.fields) - 1) // 2
    some = "" if len(rows) == every else f", {number(len(rows))} of {number(every)}: most changed"
    numbers = table(
        ("Fields", "Measure", "Before", "After", "Change"),
        rows,
        caption=f"Pairs{some}",
        numeric={2, 3, 4},
    )
    change = found.mean_change
    said = (
        "For no pair is it known how strongly its fields are associated, before and after."
        if change is None
        else f"On average over all pairs, the strength changed by {change:.2f} of 1."
    )
    return section(
        "pairs-worth",
        "Which fields are associated",
        tag(
            "p",
            "0 means that the fields are independent, 1 that one determines the other; a "
            f"minus sign, that one falls where the other rises. {said}",
        ),
        figure(
            charts.get("associations"),
            "Strength of pairs of fields. A cross: undecided.",
            numbers,
        ),
    )


def _changed_most(found: Associations) -> list[tuple[int, int]]:
    """All pairs; of many those that changed most, and none that is unknown."""
    pairs = [(i, j) for i in range(len(found.fields)) for j in range(i)]
    if len(pairs) <= PAIRS_SHOWN:
        return pairs
    said = [at for at in pairs if found.difference[at] == found.difference[at]]
    return sorted(said, key=lambda at: -abs(float(found.difference[at])))[:PAIRS_SHOWN]


def questions(result: Usefulness, charts: Mapping[str, Html]) -> Html:
    found = result.queries
    if found is None:
        return Html("")
    rows = [
        (
            counted(one.fields, "field") if one.fields else "all questions",
            number(one.queries),
            percent(one.median),
            percent(one.mean),
            percent(one.ninth_decile),
            percent(one.baseline_median),
        )
        for one in (*found.by_fields, found.whole)
    ]
    headers = (
        "Asks about",
        "Questions",
        "Median error",
        "Mean error",
        "9 in 10 below",
        "Median, single fields only",
    )
    numbers = table(headers, rows, caption="Error of counts", numeric={1, 2, 3, 4, 5})
    return section(
        "questions-worth",
        "How far counts are off",
        tag(
            "p",
            "Random questions such as “how many are 30 to 45 and married” were asked of both "
            "tables, about one to three fields each. The error is the difference over the "
            f"true count, or over {number(round(found.floor))} rows where the count is "
            "smaller. Grey: the error with a table of totals for each single field and no "
            "release of rows.",
        ),
        figure(charts.get("queries"), "Median error by the number of fields asked about.", numbers),
    )


_KEPT = {
    "control": "Tested on people who are not in the release.",
    "apart": "No row is tested by a model that was trained on it: rows that look alike in both "
    "tables stay together.",
    "overlapping": "Released rows cannot be matched to people here, so a model may be tested on rows "
    "that it was "
    "trained on: its accuracy may look a little better than it is.",
}


def models(result: Usefulness, charts: Mapping[str, Html]) -> Html:
    if not result.models:
        return Html("")
    rows = [_model(one) for one in result.models]
    headers = (
        "Tells",
        "Trained on the source",
        "Trained on the release",
        "Commonest value",
        "Gain kept",
        "How",
    )
    numbers = table(headers, rows, caption="Right answers", numeric={1, 2, 3, 4})
    sampled = any(one.sampled for one in result.models)
    words = (
        "A simple model (logistic regression) learns to predict a sensitive field from the "
        "others: once from the "
        "source, once from the release, and both are tested on the source."
    )
    return section(
        "models-worth",
        "What a model can learn",
        tag("p", words, " It learned from a random sample of the rows." if sampled else ""),
        figure(charts.get("models"), "Share of right answers, with 95 % intervals.", numbers),
    )


def _model(one: ModelAccuracy) -> tuple[str, ...]:
    if one.from_source is None or one.from_release is None or one.majority is None:
        return one.target, "", "", "", "", f"Undecided: {one.reason}."
    gain = "nothing to gain" if one.gain_kept is None else percent(one.gain_kept)
    told = f"From {listed(one.features, most=5)}. {_KEPT[one.kept]}"
    return (
        one.target,
        percent(one.from_source.value),
        percent(one.from_release.value),
        percent(one.majority),
        gain,
        told,
    )


def _signed(value: float) -> str:
    return f"{value:.2f}" if value == value else "undecided"
