"""The page of an assessment of channels: the questions, inference, the answers to queries, the
joint disclosure of two releases, and the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.report import (
    Html,
    bullets,
    join,
    number,
    percent,
    section,
    table,
    tag,
    whole_page,
)
from sfumato.report.charts import Bar, counts, lying_bars

from .questions_part import questions_part

if TYPE_CHECKING:
    from ..channel_assessment import ChannelAssessment


def render_channel_assessment(found: ChannelAssessment, *, version: str) -> str:
    """The page as text; it loads and runs nothing."""
    body = join(
        [
            _questions(found),
            _inference(found),
            _queries(found),
            _together(found),
            _loss(found),
            _method(found),
        ]
    )
    when = found.created.replace("T", " ").replace("+00:00", " UTC")
    return whole_page(
        body, title=found.title, created=when, version=version, kind="Assessment of channels"
    )


def _questions(found: ChannelAssessment) -> Html:
    lead = (
        f"{found.inference.subjects:,} subjects by name. A person decides; this page states what the "
        "release itself lets a recipient infer."
    )
    return questions_part(found.outcome, found.judgements, lead=lead)


def _inference(found: ChannelAssessment) -> Html:
    rows = [
        (
            one.value,
            percent(one.prior),
            percent(one.highest),
            percent(one.tolerance),
            f"{one.gain:.3f}",
            number(one.raised_for),
            number(one.over_for),
        )
        for one in found.inference.values
    ]
    heads = ("Value", "Prior", "Highest posterior", "Tolerance", "Gain", "Raised for", "Over for")
    bars = [
        Bar(place=label, value=people, label=number(people))
        for label, people in found.inference.nearness.items()
    ]
    most = max(found.inference.nearness.values(), default=1) or 1
    chart = lying_bars(
        bars,
        title="Subjects",
        names_title="Posterior over tolerance",
        label="Subjects by how near the likeliest value comes to its tolerance.",
        ticks=counts(most),
        line=28,
    )
    return section(
        "inference",
        "What is inferred about a confidential value",
        tag(
            "p",
            "The prior is the share of all subjects with the value, which membership alone "
            "discloses. The posterior is that of one who reads a subject's channel, "
            "channels.csv and statistics.csv. Gain is (posterior - prior) / (1 - prior), of "
            "the subject about whom the most is learned.",
        ),
        table(heads, rows, caption="Values", numeric=set(range(1, len(heads)))),
        tag(
            "figure",
            chart,
            tag("figcaption", "Subjects by posterior over tolerance; over 1 is broken."),
        ),
    )


def _queries(found: ChannelAssessment) -> Html:
    rows = [
        (
            one.query,
            number(one.queries),
            f"{one.others_per_hit:.2f}",
            f"{one.most_others_per_hit:.2f}",
        )
        for one in found.inference.queries
    ]
    heads = ("Query for a value of", "Queries", "Others per true hit", "At most")
    return section(
        "queries",
        "What a query returns",
        tag(
            "p",
            "A query returns everybody who fits and some others. Nobody who fits is missing. "
            "Others per true hit are averaged over all queries of the kind.",
        ),
        table(heads, rows, caption="Inclusive queries", numeric={1, 2, 3}),
    )


def _together(found: ChannelAssessment) -> Html:
    both = found.inference.together
    if both is None:
        said = tag("p", "No second release was named, so nothing was judged.")
    else:
        rows = [
            ("Subjects in both", number(both.subjects)),
            ("Highest posterior over tolerance, this release", f"{both.alone:.3f}"),
            ("Highest posterior over tolerance, both", f"{both.together:.3f}"),
            ("Subjects over a tolerance with both", number(both.over_for)),
            ("Subjects with a certain value", number(both.certain_for)),
        ]
        said = table(("Measure", "Found"), rows, caption="Two releases", numeric={1})
    return section("together", "What two releases disclose together", said)


def _loss(found: ChannelAssessment) -> Html:
    loss = found.loss
    least = loss.get("gap")
    rows = [
        ("Loss (omega)", f"{loss['omega']:.4f}"),
        ("Could be less by at most", "no bound" if least is None else percent(least)),
        ("Input channels per subject, of those in several", f"{loss['inputs_per_subject']:.2f}"),
        ("Nothing disclosed about", percent(loss["share_undisclosed"])),
        ("Subjects at risk before", number(loss["subjects_at_risk"])),
        ("Output channels", number(loss["output_channels"])),
    ]
    return section(
        "loss", "What it costs", table(("Measure", "Found"), rows, caption="Loss", numeric={1})
    )


def _method(found: ChannelAssessment) -> Html:
    return section(
        "method",
        "Method, and what was not assessed",
        bullets(
            [
                "All numbers follow from the three tables of the release and its policy. The code "
                "shares nothing with the solver.",
                "Two releases are combined as two independent draws: an input channel is as likely "
                "as its subjects times the shares that each release put into the subject's channel.",
                "Whether each subject's own input channel is in its output channel cannot be read "
                "from a release. The release checked it before it was written.",
                "Knowledge of a recipient from elsewhere was not assessed.",
                *(f"{one.question} {one.rule}" for one in found.judgements),
                *found.notes,
            ]
        ),
    )
