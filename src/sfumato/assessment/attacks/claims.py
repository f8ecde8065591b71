"""Whether a claim "this row is hers" is right, where the person of each row is not recorded.

A row belongs to one of the people of the source whom its labels cover, in every released field,
also in the sensitive ones. Where only the person does, the claim is right. Where they cover m
people, it is counted as right one time in m, by chance that the seed fixes: nothing in the release
distinguishes them.

Where its labels cover nobody, its values were changed, as noise, swapping or rounding do. Then the
nearest person in all these fields is taken as its person, one time in m where m are equally near. A
match by nearness alone looks like success too; a control group measures how often this happens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.measures import Records, covering

from .attack_setup import Scene
from .distances import away_from_rows
from .row_fit import people_for_rows, tight, weigh

Marks = NDArray[np.bool_]


def single_rows(scene: Scene, items: NDArray[np.int64]) -> Records:
    """Bins of one row each as records, with their values of the sensitive fields."""
    bins = scene.released
    told = (
        () if scene.subject.person else scene.sensitive
    )  # A person may have several rows, which say several things.
    labels = [*bins.labels]
    codes = [bins.codes[items, column] for column in range(len(bins.fields))]
    for name in told:
        says = scene.what_rows_say(name, items)
        index = {label: code for code, label in enumerate(dict.fromkeys(says))}
        labels.append(tuple(index))
        codes.append(np.array([index[label] for label in says], np.int32))
    return tight(
        Records((*bins.fields, *told), tuple(labels), np.stack(codes, axis=1).astype(np.int32))
    )


def right(
    scene: Scene,
    claimed: NDArray[np.int64],
    claimants: Records,
    *,
    chance: np.random.Generator,
    among: bool = True,
) -> tuple[Marks, int]:
    """For each claim whether it is right, and how many of the claims are about rows that cover
    nobody. `claimed[c]` is a bin of one row, claimed to be that of `claimants` c.

    With `among`, the claimants are in the source. Where they are not, they are counted beside those
    who are. The claim then only looks right, and the control group measures how often."""
    people = scene.subject.original if scene.subject.person else scene.people
    assert people is not None
    if not len(claimed):
        return np.zeros(0, bool), 0
    rows = single_rows(scene, claimed)
    could_be = people_for_rows(scene.subject, rows, people).totals(people.counts)
    good = agrees(scene, rows, claimants)
    moved = np.flatnonzero((could_be == 0) & ~good)
    if len(moved):
        could_be[moved], good[moved] = _by_nearness(
            scene, rows.only(moved), people, claimants.only(moved)
        )
    return good & (chance.random(len(claimed)) * np.maximum(could_be + (not among), 1) < 1), len(
        moved
    )


def _by_nearness(
    scene: Scene, rows: Records, people: Bins, claimants: Records
) -> tuple[NDArray[np.int64], Marks]:
    """How many people are nearest to each row, and whether nobody is nearer than the claimant."""
    could_be, good = np.zeros(len(rows), np.int64), np.zeros(len(rows), bool)
    for part, everyone, own in away_from_rows(scene.subject, rows, people, claimants):
        best = everyone.min(axis=1)
        good[part] = own <= best
        could_be[part] = weigh(everyone == np.minimum(best, own)[:, None], people.counts)
    return could_be, good


def said_of_moved(moved: int, claims: int, *, has_control: bool) -> tuple[str, ...]:
    """The note where rows were changed and their people had to be guessed."""
    if not moved:
        return ()
    said = (
        f"No person of the source is covered by {moved:,} of the {claims:,} claimed rows, as "
        "after noise or swapping: "
    )
    said += "each of these is counted as the row of the nearest person."
    return (
        said
        if has_control
        else f"{said} A control group would show how often that happens by chance.",
    )


def agrees(scene: Scene, rows: Records, people: Records) -> Marks:
    """Whether each row could be that of the person beside it: in every field its label covers the
    person's value."""
    rows, people = tight(rows), tight(people)
    found = np.ones(len(rows), bool)
    for at, name in enumerate(rows.fields):
        mine = people.fields.index(name)
        marks = covering(
            rows.labels[at], people.labels[mine], scene.hierarchy(name), nulls=scene.subject.nulls
        )
        found &= marks[rows.codes[:, at], people.codes[:, mine]]
    return found
