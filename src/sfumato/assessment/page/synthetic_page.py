"""The page of an assessment of a synthetic table: the questions, the utility that is kept, models
trained on it, and disclosure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.report import Html, bullets, join, number, percent, section, table, tag, whole_page
from sfumato.report.charts import Bar, counts, lying_bars

from .questions_part import questions_part

if TYPE_CHECKING:
    from ..synthetic import SyntheticAssessment

MOST_SHOWN = 12
PER_MILLE = 1000


def render_synthetic_assessment(found: SyntheticAssessment, *, version: str) -> str:
    """The page as text; it loads and runs nothing."""
    body = join(
        [
            _questions(found),
            _use(found),
            _models(found),
            _membership(found),
            _attacks(found),
            _account(found),
            _method(found),
        ]
    )
    when = found.created.replace("T", " ").replace("+00:00", " UTC")
    return whole_page(
        body, title=found.title, created=when, version=version, kind="Assessment of synthetic rows"
    )


def _questions(found: SyntheticAssessment) -> Html:
    lead = (
        f"{number(found.rows['synthetic'])} synthetic rows beside {number(found.rows['source'])} "
        f"of the source, over {len(found.fields)} fields. A person decides."
    )
    return questions_part(found.outcome, found.judgements, lead=lead)


def _use(found: SyntheticAssessment) -> Html:
    rows = [
        (
            f"{one.ways} at a time",
            number(one.sets),
            f"{one.to_source:.4f}",
            "–" if one.to_control is None else f"{one.to_control:.4f}",
            f"{one.floor:.4f}",
            f"{one.score:.0f}",
        )
        for one in found.distances
    ]
    heads = ("Fields", "Sets", "To the source", "To others", "Another sample", "k-marginal score")
    singles = [item for one in found.distances if one.ways == 2 for item in one.worst]
    bars = [Bar(place=name, value=PER_MILLE * far, label=f"{far:.3f}") for name, far in singles]
    chart = lying_bars(
        bars,
        title="Rows of 1,000 that would have to change",
        names_title="Fields",
        label="The pairs of fields that are farthest from the source.",
        ticks=counts(int(max((bar.value for bar in bars), default=1)) + 1),
        line=28,
    )
    moved = [
        (" and ".join(one.fields), f"{one.source:.3f}", f"{one.made:.3f}")
        for one in found.associations[:MOST_SHOWN]
    ]
    return section(
        "use",
        "What is kept of the source",
        tag(
            "p",
            "Total variation is the least share of rows that would have to change for the "
            "counts to agree. Others are people like those of the source who are not in it. "
            "The column gives the distance of another sample of people from the source: a "
            "smaller distance is not needed.",
        ),
        table(heads, rows, caption="Mean distance of marginals", numeric=set(range(1, 6))),
        tag("figure", chart, tag("figcaption", "The pairs of fields with the largest distance.")),
        tag(
            "p",
            f"Of {found.queries.queries} counts by three fields, half are within "
            f"{percent(found.queries.middle)} of the source's, and nine in ten within "
            f"{percent(found.queries.high)}.",
        ),
        table(
            ("Fields", "In the source", "In synthetic rows"),
            moved,
            caption="Associations that changed most, by Cramér's V",
            numeric={1, 2},
        ),
    )


def _models(found: SyntheticAssessment) -> Html:
    if "models" in found.left_out:
        return section("models", "What models learn from it", tag("p", found.left_out["models"]))
    rows = [
        (
            one.target,
            percent(one.accuracy),
            percent(one.accuracy_of_source),
            percent(one.commonest),
            "–" if one.auc is None else f"{one.auc:.3f}",
            "–" if one.auc_of_source is None else f"{one.auc_of_source:.3f}",
        )
        for one in found.models
    ]
    heads = (
        "Predicted field",
        "Right, from synthetic rows",
        "Right, from the source",
        "Commonest value",
        "AUC, synthetic",
        "AUC, source",
    )
    told = found.propensity
    said = (
        ""
        if told is None
        else f"A logistic model distinguishes synthetic rows from people's {told.ratio:.1f} "
        f"times as well as chance would (pMSE {told.value:.5f}; 1 is not at all)."
    )
    return section(
        "models",
        "What models learn from it",
        tag("p", "Models are trained on synthetic rows and tried on people whom they never saw."),
        table(heads, rows, caption="Trained on synthetic rows", numeric=set(range(1, 6))),
        tag("p", said),
    )


def _membership(found: SyntheticAssessment) -> Html:
    gap, copied = found.membership, found.copies
    rows = [
        ("Distinct rows that only the source has", number(copied.source_rows)),
        (
            "of these, synthetic rows too",
            f"{number(copied.source_met)} ({percent(copied.of_source)})",
        ),
    ]
    if copied.of_control is not None:
        rows += [
            ("Distinct rows that only people not in it have", number(copied.control_rows)),
            (
                "of these, synthetic rows too",
                f"{number(copied.control_met)} ({percent(copied.of_control)})",
            ),
        ]
    if gap is not None:
        rows += [
            ("Members whom the attacker calls members", percent(gap.said_of_members)),
            ("Others whom the attacker calls members", percent(gap.said_of_others)),
            (
                "Gap, with its 95 % interval",
                f"{gap.gap:.3f} ({gap.low:.3f} to {gap.high:.3f})",
            ),
        ]
    return section(
        "membership",
        "Who was in the source",
        tag(
            "p",
            "An attacker with a person's whole row and a sample of other people says “member” where "
            "synthetic rows are nearer to the person than that sample is. A copy is no proof: rows "
            "with few fields occur by chance, among people who are not in the source as well.",
        ),
        table(("What", "Number"), rows, caption="Membership and copies", numeric={1}),
    )


def _attacks(found: SyntheticAssessment) -> Html:
    if found.attacks is None:
        said = "Not tried: no control group was named."
        return section("attacks", "What attacks learn", tag("p", said))
    rows = [
        (
            run.title,
            number(run.attempts),
            "–" if run.rate is None else percent(run.rate.value),
            "–" if run.control is None else percent(run.control.value),
            "–"
            if run.risk is None
            else f"{percent(run.risk.value)} ({percent(run.risk.low)} to {percent(run.risk.high)})",
        )
        for run in found.attacks
    ]
    heads = ("Attack", "Attempts", "Right", "Right of others", "Gain, with its interval")
    return section(
        "attacks",
        "What attacks learn",
        tag(
            "p",
            "Success on people who are not in the source follows from what is true of many. "
            "The gain is the risk that the source's people add by being in it.",
        ),
        table(heads, rows, caption="Attacks", numeric=set(range(1, 5))),
    )


def _account(found: SyntheticAssessment) -> Html:
    if found.account is None:
        return section("account", "The account", tag("p", "None came with these rows."))
    rows = [
        ("Epsilon for one person", f"{found.account['epsilon']:.4g}"),
        ("Delta", f"{found.account['delta']:g}"),
        ("Measurements", number(len(found.account["measurements"]))),
    ]
    return section(
        "account", "The account", table(("What", "Number"), rows, caption="Account", numeric={1})
    )


def _method(found: SyntheticAssessment) -> Html:
    said = [
        "Numbers with more than 128 values are compared in 50 classes of about equal size.",
        "Distance to the closest record gives no verdict: near rows may be near by chance.",
        "This page counts the source. It is for the holder, and is not a private release.",
        *found.notes,
    ]
    return section("method", "How it was measured", bullets(said))
