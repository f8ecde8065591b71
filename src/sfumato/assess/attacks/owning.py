"""Whether a claim "this row is hers" is right, where nobody wrote down whose row is whose.

A row belongs to one of the people of the source who lie under its labels, in every released field, what it says of the
sensitive ones among them. Where only the person does, the claim is right. Where m people do, it is counted as right one
time in m, by chance that the seed fixes: nothing in the release tells them apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..covering import covering
from ..subject import Records
from .fitting import people_for_rows, tight
from .scene import Scene

Marks = NDArray[np.bool_]


def single_rows(scene: Scene, items: NDArray[np.int64]) -> Records:
    """Bins of one row each as records, with what they say of the sensitive fields."""
    bins = scene.released
    told = () if scene.subject.person else scene.sensitive  # A person may have several rows, which say several things.
    labels = [*bins.labels]
    codes = [bins.codes[items, column] for column in range(len(bins.fields))]
    for name in told:
        says = scene.what_rows_say(name, items)
        index = {label: code for code, label in enumerate(dict.fromkeys(says))}
        labels.append(tuple(index))
        codes.append(np.array([index[label] for label in says], np.int32))
    return tight(Records((*bins.fields, *told), tuple(labels), np.stack(codes, axis=1).astype(np.int32)))


def right(
    scene: Scene, claimed: NDArray[np.int64], claimants: Records, *, chance: np.random.Generator, among: bool = True
) -> Marks:
    """For each claim whether it is right: `claimed[c]` is a bin of one row, said to be that of `claimants` c.

    `among` says that the claimants are in the source. Where they are not, they are counted beside those who are: the
    claim then only looks right, which is what a control group is for.
    """
    people = scene.subject.original if scene.subject.person else scene.people
    assert people is not None
    if not len(claimed):
        return np.zeros(0, bool)
    rows = single_rows(scene, claimed)
    could_be = people_for_rows(scene.subject, rows, people).totals(people.counts) + (not among)
    return agrees(scene, rows, claimants) & (chance.random(len(claimed)) * np.maximum(could_be, 1) < 1)


def agrees(scene: Scene, rows: Records, people: Records) -> Marks:
    """Whether each row could be that of the person beside it: in every field its label covers the person's value."""
    rows, people = tight(rows), tight(people)
    found = np.ones(len(rows), bool)
    for at, name in enumerate(rows.fields):
        mine = people.fields.index(name)
        marks = covering(rows.labels[at], people.labels[mine], scene.hierarchy(name), nulls=scene.subject.nulls)
        found &= marks[rows.codes[:, at], people.codes[:, mine]]
    return found
