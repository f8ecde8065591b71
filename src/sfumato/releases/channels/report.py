"""The report of a release by channels: outcome, disclosure about subjects, and the distance of
channels from their tolerance.

It is for the holder. Counts and field names only; no value of the data is in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.policy import Policy, policy_as_toml
from sfumato.report import (
    Html,
    bullets,
    counted,
    figure,
    folded,
    join,
    number,
    percent,
    section,
    table,
    tag,
    whole_page,
)
from sfumato.report.charts import Bar, counts, lying_bars
from sfumato.solvers.channels import ChannelPlan

from ..manifest import ONE_TABLE
from ..policy_copy import policy_copy
from .recount import tolerance_of

EDGES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
Reals = NDArray[np.float64]


def render_channels(
    facts: Mapping[str, Any], plan: ChannelPlan, *, title: str, policy: Policy
) -> str:
    """The page as text."""
    body = join(
        [
            _banner(facts),
            _summary(facts, plan, policy),
            _verdicts(facts),
            _told(plan),
            _nearness(plan, policy),
            _account(facts, policy),
        ]
    )
    created = str(facts["created"]).replace("T", " ").replace("+00:00", " UTC")
    return whole_page(body, title=title, created=created, version=str(facts["sfumato"]))


def _banner(facts: Mapping[str, Any]) -> Html:
    headline = {
        "pass": "Pass: every channel keeps its tolerance",
        "review": "Review: a person has to decide",
    }
    said = "Each row has a name. Its sets of values were counted again."
    lines = [tag("p", headline.get(facts["outcome"], "Fail"), class_="headline"), tag("p", said)]
    sign = tag("div", {"pass": "✓"}.get(facts["outcome"], "!"), class_="sign", aria_hidden="true")
    warnings = bullets(facts["warnings"]) if facts["warnings"] else Html("")
    banner = tag("div", sign, tag("div", *lines), class_=f"banner {facts['outcome']}", id="outcome")
    return join([banner, section("warnings", "What to know before it is shared", warnings)])


def _summary(facts: Mapping[str, Any], plan: ChannelPlan, policy: Policy) -> Html:
    told, asked = facts["channels"], policy.channels
    assert asked is not None
    said = (
        f"{counted(facts['tables'][ONE_TABLE]['rows']['released'], 'subject is', 'subjects are')} "
        "released by name in "
        f"{counted(told['output_channels'], 'output channel')}. Of "
        f"{number(told['input_channels'])} combinations of "
        f"{', '.join(asked.fields)}, {number(told['risky_input_channels'])} disclose "
        f"{' or '.join(asked.confidential_names)} too well; they "
        f"hold {counted(told['subjects_at_risk'], 'subject')}. "
        "A query returns everyone who fits and, over all subjects, "
        f"{percent(told['omega'])} of the most others that "
        f"could be (omega {told['omega']:.4g}). {_proven(plan)} "
        f"Nothing is disclosed about {counted(told['undisclosed'], 'subject')} "
        f"({percent(told['share_undisclosed'])})."
    )
    return section("summary", "In short", tag("p", said, class_="lead"), bullets(plan.notes))


def _proven(plan: ChannelPlan) -> str:
    if not plan.has_bound:
        return "Nothing is proven about how much less it could be."
    least = percent(max(0.0, plan.omega * (1 - plan.gap)))
    return f"Compared with {plan.compared_with}, no assignment could have less than {least}."


def _verdicts(facts: Mapping[str, Any]) -> Html:
    rows = [
        (
            one["requirement"],
            one["outcome"],
            f"{one['bins_below']:,} of {one['bins']:,}",
            one["reason"],
        )
        for one in facts["verdicts"]
    ]
    heads = (
        "Requirement (Garfinkel et al. 2007, section 5)",
        "Outcome",
        "Channels that break it",
        "Reason",
    )
    return section(
        "verdicts",
        "What was required, and what was found",
        tag("p", "Recomputed from the three tables as they were written, in exact arithmetic."),
        table(heads, rows, caption="Verdicts", numeric={2}),
    )


def _told(plan: ChannelPlan) -> Html:
    """Subjects by how many input channels they could be in."""
    sizes = np.array([len(members) for members in plan.channels])
    people = plan.in_channels
    rows = [(int(size), round(float(people[sizes == size].sum()))) for size in np.unique(sizes)]
    lines = [
        (number(size), number(subjects), percent(subjects / plan.inputs.subjects))
        for size, subjects in rows
    ]
    numbers = table(
        ("Input channels", "Subjects", "Share"),
        lines,
        caption="Subjects by what is disclosed of them",
        numeric={0, 1, 2},
    )
    caption = (
        "Subjects by the number of input channels that they could be in: 1 discloses all, more "
        "disclose less."
    )
    return section("told", "What is disclosed of a subject", figure(_bars(rows), caption, numbers))


def _nearness(plan: ChannelPlan, policy: Policy) -> Html:
    """The most likely value of a channel as a part of its tolerance, before and after."""
    before, after = _largest(plan, policy)
    heads = ("Largest share over its tolerance", "Subjects before", "Subjects after")
    labels = [f"up to {edge:g}" for edge in EDGES] + [f"over {EDGES[-1]:g}"]
    sizes = plan.inputs.sizes.astype(float)
    counts = [_by_edges(before, sizes), _by_edges(after, plan.in_channels)]
    rows = [
        (label, number(round(b)), number(round(a)))
        for label, b, a in zip(labels, *counts, strict=True)
    ]
    return section(
        "nearness",
        "How near channels come to what is tolerated",
        tag(
            "p",
            "Over 1 a channel discloses a value too well. Before, each subject is in its input "
            "channel.",
        ),
        table(heads, rows, caption="Subjects by the risk of their channel", numeric={1, 2}),
    )


def _largest(plan: ChannelPlan, policy: Policy) -> tuple[Reals, Reals]:
    assert policy.channels is not None
    limits = np.array([max(float(u), 1e-12) for u in tolerance_of(policy.channels).limits])
    shares = plan.inputs.known_counts / plan.inputs.known_sizes[:, None]
    mixed = np.zeros((len(plan.channels), len(limits)))
    np.add.at(mixed, plan.channel_of, shares[plan.input_of] * plan.subjects[:, None])
    mixed /= np.maximum(plan.in_channels, 1.0)[:, None]
    return (shares / limits).max(axis=1), (mixed / limits).max(axis=1)


def _by_edges(ratios: Reals, people: Reals) -> Reals:
    place = np.searchsorted(np.array(EDGES) + 1e-9, ratios)
    return np.bincount(place, people, minlength=len(EDGES) + 1).astype(float)


def _account(facts: Mapping[str, Any], policy: Policy) -> Html:
    fields = [(name, words) for name, words in facts["tables"][ONE_TABLE]["fields"].items()]
    return section(
        "account",
        "What was done",
        table(("Field", "What was done to it"), fields, caption="Fields"),
        folded("The policy", tag("pre", policy_as_toml(policy_copy(policy)))),
    )


def _bars(rows: Sequence[tuple[int, int]]) -> Html | None:
    if not rows:
        return None
    return lying_bars(
        [Bar(place=number(size), value=people, label=number(people)) for size, people in rows],
        title="Subjects",
        names_title="Input channels",
        label="Subjects by the number of input channels that they could be in.",
        ticks=counts(max(people for _, people in rows) or 1),
        line=28,
    )
