"""Incidents: the releases that a breach affects, their holders, and how many people can be singled
out now.

Somebody may have shown rows, got a list with some fields of the people, or a release that was not
meant for them. With a list, people are looked for in what each group holds by these fields alone;
a release that leaked is held by everybody from then on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from .gate_answers import AnsweredPeople, answers_for, refined_by, shown_answers
from .group_holdings import PartReader
from .joint_classes import JointClasses, Numbers
from .leaked_rows import LeakedRowFits
from .recipient_names import folded
from .registered_release import RegisteredRelease
from .release_content import UNKNOWN_ROWS
from .replay import RegisterState

NOT_KEPT: Final = "it was released as nobody's knowledge, and nobody kept whose it is"
REPLACED: Final = (
    "what was released is a pseudonym or another replacement, and nobody kept whose it is"
)
NOT_COUNTED: Final = "they may be about these fields, and nobody counted that"
NOT_LOOKED: Final = "nobody looked for the leaked rows in its folder"


@dataclass(frozen=True, kw_only=True)
class IncidentExposure:
    """The consequences of an incident for one group, or for groups that share a recipient: the
    affected releases and their recipients. What a gate answered exactly counts too where no fields
    are named. It also counts the people who are unique in their class
    by the known fields, and those below k. `rows` are leaked rows that occur in one of the
    releases, `rows_alone` those that fit one row alone, `rows_coarser` further ones that fit
    coarser labels. Without `is_counted`, none of the releases has a field of the list by its name,
    and the numbers of people state nothing."""

    group: str
    releases: tuple[str, ...]
    recipients: tuple[str, ...]
    alone: int
    below: int
    rows: int = 0
    rows_alone: int = 0
    rows_coarser: int = 0
    is_counted: bool = True
    not_judged: tuple[str, ...] = ()


def exposures(
    state: RegisterState,
    parts: PartReader,
    fields: Sequence[str],
    *,
    found: Mapping[str, LeakedRowFits] | None = None,
) -> Iterator[IncidentExposure]:
    """The exposure of each group to a list of these fields; to all fields where none is named.
    `found` is how leaked rows fit releases that were examined: one in which none occurs is not
    affected. Where rows have a field that no release has under its name, they may be in each
    release that was not examined, and count no people there."""
    assert state.charter is not None
    looked, shown = found or {}, shown_answers(state, parts)
    is_strange = found is not None and bool(unknown_fields(state, fields))
    people = AnsweredPeople.of(state, parts) if shown else None
    asking = {each.scope.group for each in shown}
    single = (each for scope in sorted(asking) for each in scope.split("\t"))
    seen: set[str] = set()
    for group in dict.fromkeys((*state.groups, *single)):
        if group in seen:
            continue
        together = state.joined(group, asking)
        seen |= {*together}
        owned = state.held_by(group, asking)
        compared = {
            each.name
            for each in owned
            if not fields or not each.parts or each.name in looked or named(each.released, fields)
        }
        held = [
            each
            for each in owned
            if is_strange or each.name in compared
            if each.name not in looked or not looked[each.name].is_ruled_out
        ]
        answered = answers_for(together, shown)
        if not held and not answered:
            continue
        joint = JointClasses.of(
            _bins(each, parts, fields) for each in held if each.name in compared
        )
        views = list(people.views(answered)) if people is not None and not fields else []
        joint, _ = refined_by(views, joint)
        sizes = joint.sizes
        low = (sizes > 0) & (sizes < state.charter.ledger.k)
        groups = sorted({each for name in together for each in name.split("\t")})
        recipients = (who for each in held for who in state.recipients_of(each))
        yield IncidentExposure(
            group=" and ".join(groups),
            releases=tuple(each.name for each in held),
            recipients=tuple(dict.fromkeys(recipients)) or tuple(groups),
            alone=int((sizes == 1).sum()),
            below=int(sizes[low].sum()),
            rows=_most(held, looked, "occurs"),
            rows_alone=_most(held, looked, "alone"),
            rows_coarser=_most(held, looked, "coarser"),
            is_counted=not fields or any(named(each.released, fields) for each in held),
            not_judged=(
                *(
                    f"{each.name}: {why}"
                    for each in held
                    for why in (
                        *(each.not_judged if each.parts else (UNKNOWN_ROWS,)),
                        *((NOT_LOOKED,) if found is not None and each.name not in found else ()),
                        *(looked[each.name].notes if each.name in looked else ()),
                        *(f"{name}: {NOT_KEPT}" for name in named(each.uncounted, fields)),
                        *(f"{name}: {REPLACED}" for name in named(each.replaced, fields)),
                    )
                ),
                *(f"{view.name}: {why}" for view in views for why in view.not_judged),
                *(
                    f"answers of {gate}: {NOT_COUNTED}"
                    for gate in dict.fromkeys(each.scope.gate for each in answered if fields)
                ),
            ),
        )


def _most(held: Iterable[RegisteredRelease], looked: Mapping[str, LeakedRowFits], what: str) -> int:
    """The largest number of leaked rows that fit one of the releases."""
    return max(
        (getattr(looked[each.name], what) for each in held if each.name in looked), default=0
    )


def named(names: Iterable[str], fields: Sequence[str]) -> tuple[str, ...]:
    """The names that are in a list of fields, whatever their case and marks; a field of one of
    several tables also by its own name."""
    asked = set(map(folded, fields))
    return tuple(each for each in names if {folded(each), folded(each.rpartition(".")[2])} & asked)


def unknown_fields(state: RegisterState, fields: Sequence[str]) -> tuple[str, ...]:
    """Fields that no release has under their name: a breach of them reaches nothing that the
    register knows of, or they are called otherwise there."""
    return tuple(
        each
        for each in fields
        if not any(named(release.released, (each,)) for release in state.releases)
    )


def _bins(release: RegisteredRelease, parts: PartReader, fields: Sequence[str]) -> Numbers:
    """The bin of each person by some fields alone, 0 where absent. A sensitive field that somebody
    has a list of distinguishes people as a label does."""
    if not release.parts:
        return np.zeros(0, np.int32)
    bins: Numbers = parts.part(release.parts["bins"])
    labels = parts.part(release.parts["labels"])
    if not fields:
        return bins
    known = set(named(release.fields, fields))
    columns = [at for at, name in enumerate(release.fields) if name in known]
    place = np.arange(len(labels) - 1)  # People with several rows are told apart by all of them.
    if labels.shape[1]:
        _, place = np.unique(labels[1:, columns], axis=0, return_inverse=True)
    joint = JointClasses.of((np.append(0, place.reshape(-1) + 1).astype(np.int32)[bins],))
    for at, name in enumerate(release.sensitive):
        if name in named(release.sensitive, fields):
            joint = joint.refined(parts.part(release.parts[f"value_of{at}"]))
    return joint.class_of
