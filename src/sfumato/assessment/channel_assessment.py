"""An assessment of a release by channels: what its tables let a recipient infer, held against the
policy; one page for a board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

import sfumato
from sfumato.bins import Bins
from sfumato.errors import Mistake, ReleaseBroken
from sfumato.policy import Channels
from sfumato.protection import Outcome, Verdict
from sfumato.releases import (
    MANIFEST,
    ONE_TABLE,
    Written,
    manifest_of,
    policy_without_hierarchies,
    read_account,
    read_sets,
    recount_channels,
    verify,
    written,
)

from .assessment_record import AssessmentRecord
from .assessment_verdicts import worst
from .channel_inference import (
    ChannelInference,
    infer_together,
    infer_values,
    query_hits,
    value_hits,
)
from .channel_judgements import channel_judgements
from .page import Judgement
from .page.channel_page import render_channel_assessment


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ChannelAssessment(AssessmentRecord):
    """The result of an assessment of channels. `loss` are the numbers of the manifest about loss
    and its bound."""

    title: str
    outcome: Outcome
    judgements: tuple[Judgement, ...]
    verdicts: tuple[Verdict, ...]
    inference: ChannelInference
    loss: Mapping[str, Any] = field(repr=False)
    created: str
    release: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def page(self) -> str:
        """One HTML page that loads and runs nothing."""
        return render_channel_assessment(self, version=sfumato.__version__)

    def as_dict(self) -> dict[str, Any]:
        return {
            "sfumato": sfumato.__version__,
            "created": self.created,
            "title": self.title,
            "outcome": self.outcome,
            "release": self.release,
            "counted_in": "subjects",
            "judgements": [one.as_dict() for one in self.judgements],
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "inference": self.inference.as_dict(),
            "loss": dict(self.loss),
            "notes": list(self.notes),
        }


def is_by_channels(release: Any) -> bool:
    """Whether this is the folder of a release by channels, or a finished one."""
    place = getattr(release, "folder", release)
    if not isinstance(place, str | PathLike) or not (Path(place) / MANIFEST).is_file():
        return False
    return "channels" in manifest_of(written(Path(place)))


def assess_channels(release: Any, *, second: Any = None, created: str) -> ChannelAssessment:
    """Assess a release by channels, by itself or with a second one of the same people."""
    opened, facts, asked = _opened(release)
    account, values = read_account(opened.folder, asked)
    sets = _sets(opened, facts, asked)
    found, nearness = infer_values(account, asked.all_tolerances, sets)
    queries = query_hits(account, values, asked.fields)
    if sets is not None:
        queries = (value_hits(account, sets, asked.altered), *queries)
    inference = ChannelInference(
        subjects=int(account.in_channels().sum()),
        values=found,
        nearness=nearness,
        queries=queries,
    )
    if second is not None:
        inference = replace(inference, together=_together((opened, facts, asked), second))
    with opened.opened(facts["tables"][ONE_TABLE]) as released:
        verdicts = recount_channels(released, opened.folder, asked).verdicts
    checks = verify(opened.folder)
    judgements = channel_judgements(
        inference, checks=checks, verdicts=verdicts, loss=facts["channels"]
    )
    return ChannelAssessment(
        title=opened.title,
        outcome=worst(judgements),
        judgements=judgements,
        verdicts=verdicts,
        inference=inference,
        loss={name: value for name, value in facts["channels"].items() if name != "tables"},
        created=created,
        notes=tuple(facts.get("warnings", ())),
    )


def _sets(
    opened: Written, facts: Mapping[str, Any], asked: Channels
) -> Mapping[tuple[int, tuple[int, ...]], int] | None:
    """The sets of possible values where the confidential field is released in an altered form."""
    if not asked.altered:
        return None
    with opened.opened(facts["tables"][ONE_TABLE]) as released:
        found = read_sets(released, asked)
    if found is None:
        raise ReleaseBroken(f"{asked.altered} of {opened.title} has cells that are no sets.")
    return found


Opened = tuple[Written, Mapping[str, Any], Channels]


def _opened(release: Any) -> Opened:
    opened = written(getattr(release, "folder", release))
    facts = manifest_of(opened)
    asked = policy_without_hierarchies(facts, opened.folder).channels
    if asked is None:
        raise Mistake(
            f"{opened.title} is no release by channels.", attempt="the folder of such a release."
        )
    return opened, facts, asked


def _together(one: Opened, second: Any) -> Any:
    """The joint disclosure about the subjects that are in both, by the identifiers that both
    have."""
    two = _opened(second)
    shared = tuple(name for name in one[2].identifiers if name in two[2].identifiers)
    if not shared or one[2].fields != two[2].fields:
        raise Mistake(
            "Two releases by channels were given to be compared.",
            found="They have no identifier in common, or channels over other fields.",
            attempt="two releases of the same people under policies with the same fields.",
        )
    if one[2].altered or two[2].altered:
        raise Mistake(
            "Two releases by channels were given to be compared.",
            found="One has an altered confidential field, and what that adds is not measured.",
            attempt="releases without channels.altered, or giving each to other recipients.",
        )
    accounts = [read_account(opened.folder, asked) for opened, _, asked in (one, two)]
    (first, values), (other, others) = accounts
    if values != others:
        raise Mistake(
            "Two releases by channels were given to be compared.",
            found="Their input channels are not the same.",
            attempt="two releases of the same table.",
        )
    places = [_channel_of(entry, shared) for entry in (one, two)]
    both = [(places[0][key], places[1][key]) for key in places[0] if key in places[1]]
    pairs = np.array(both, np.int64).reshape(-1, 2) - 1
    return infer_together(first, other, pairs, tuple(one[2].all_tolerances.values()))


def _channel_of(entry: Opened, shared: Sequence[str]) -> dict[tuple[Any, ...], int]:
    opened, facts, asked = entry
    with opened.opened(facts["tables"][ONE_TABLE]) as released:
        bins = Bins.count(released, (*shared, asked.label))
    return {labels[:-1]: int(labels[-1] or 0) for labels in bins.tuples()}
