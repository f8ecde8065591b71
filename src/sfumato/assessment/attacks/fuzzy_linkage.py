"""Linkage by an attacker whose knowledge has errors: typing errors, dates a few days off, numbers
nearly right.

Per field the distance of what they know from a released label is 0 where the label covers it. Else
it depends on the field. For a text it is the share of letters that must be changed
(Damerau-Levenshtein in its restricted form, with swapped neighbours as one error; by rapidfuzz).
For a date it is the days it is off in shares of a month. For a number it is its gap in shares of a
twentieth of the field's range. It is at most 1. The nearest row is claimed where it is near, and
where the second is clearly farther."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MissingExtra
from sfumato.hierarchies import Hierarchy, Label
from sfumato.measures import Marks, Records, covering

from .attack_run import AttackRun, Story, judged, unsaid
from .attack_setup import Scene
from .attacker_errors import blurred
from .claims import right, said_of_moved
from .distances import WHOLE, Distances, nearness
from .field_scale import FieldScale
from .linkage import picked_blindly
from .rates import Rate

NAME, TITLE = (
    "fuzzy linkage",
    "Linkage with errors: whose row is this, if what is known is not exact?",
)
NEAR = 0.75
"""How far the nearest row may be, in whole fields, to be claimed."""
AHEAD = 0.1
"""How much farther the second row must be."""
MONTH = 30.0
NUMBERS = 0.05


def story(scene: Scene) -> Story:
    return Story(
        attacker="Somebody with a list of names that was typed by hand, or is a few years old.",
        knows=f"Of each person {scene.known_words}, one of them written down wrongly, and "
        "that they are in it.",
        tries="For each person they look for the nearest row, and claim it where it is near and "
        "no other is as near.",
        guess="A row picked blindly for each person.",
    )


def fuzzy_linkage(scene: Scene) -> AttackRun:
    """Link people to rows by distance. In what is known of each target one field was made wrong
    (see `attacker_errors`)."""
    if scene.targets is None:
        return unsaid(
            NAME, TITLE, story(scene), reason="without the source, the person of a row is unknown"
        )
    chance = scene.chance(NAME)
    claims, moved, rate = _attack(scene, scene.targets, chance=chance)
    control = (
        None
        if scene.outside is None
        else _attack(scene, scene.outside, chance=chance, among=False)[2]
    )
    return judged(
        NAME,
        TITLE,
        story(scene),
        claims=claims,
        rate=rate,
        baseline=picked_blindly(scene, rate.attempts, chance=chance),
        control=control,
        notes=said_of_moved(moved, claims, has_control=control is not None),
    )


def _attack(
    scene: Scene, people: Records, *, chance: np.random.Generator, among: bool = True
) -> tuple[int, int, Rate]:
    """Claims, those of them about rows that cover nobody, and how many are right. A claim is judged
    by the people as they are, not as they were written down."""
    written = blurred(people, scene.known, chance=chance)
    claimed = ahead(scene, written, kinds=people)
    who = np.flatnonzero(claimed >= 0)
    good, moved = right(scene, claimed[who], people.only(who), chance=chance, among=among)
    return len(who), moved, Rate(successes=int(good.sum()), attempts=len(people))


def ahead(
    scene: Scene, people: Records, *, kinds: Records | None = None, fields: Sequence[str] = ()
) -> NDArray[np.int64]:
    """The released bin of one row that is nearest to each person and clearly ahead of all others;
    -1 where none is."""
    claimed = np.full(len(people), -1, np.int64)
    single = scene.released.counts == 1
    over = tuple(fields) or scene.known
    measured = nearness(scene.subject, people, scene.released, over, far=errors, kinds=kinds)
    for part, distances in measured.batches():
        best = distances.argmin(axis=1)
        near = np.take_along_axis(distances, best[:, None], axis=1)[:, 0].astype(np.int64)
        second = _second(distances, best)
        good = single[best] & (near <= NEAR * WHOLE) & (second - near >= AHEAD * WHOLE)
        claimed[part] = np.where(good, best, -1)
    return claimed


def _second(distances: Distances, best: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distance of the nearest bin but one; out of reach where there is no other."""
    if distances.shape[1] < 2:
        return np.full(len(distances), 2**30, np.int64)
    rows = np.arange(len(distances))
    kept = distances[rows, best]
    distances[rows, best] = np.iinfo(distances.dtype).max
    second: NDArray[np.int64] = distances.min(axis=1).astype(np.int64)
    distances[rows, best] = kept
    return second


def errors(
    values: Sequence[Label],
    labels: Sequence[Label],
    on: FieldScale | None,
    hierarchy: Hierarchy | None,
    same: Marks,
) -> NDArray[np.float64]:
    """Distances of one field between 0 and 1, by the kind of error that it may have."""
    if on is not None:
        apart = on.gaps() / (MONTH if on.days else on.range * NUMBERS)
        return np.minimum(np.nan_to_num(apart, nan=1.0), 1.0)
    return _letters(values, labels, hierarchy)


def _letters(
    values: Sequence[Label], labels: Sequence[Label], hierarchy: Hierarchy | None
) -> NDArray[np.float64]:
    """Distances as texts: from a label, or from the nearest of the values of a coarse label."""
    try:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import cdist
    except ImportError:
        raise MissingExtra("Linkage with typing errors", extra="assess") from None
    leaves = tuple(hierarchy.labels[0]) if hierarchy is not None else ()
    known = set(leaves)
    coarse = [
        at for at, label in enumerate(labels) if leaves and label is not None and label not in known
    ]
    found = cdist(
        [v or "" for v in values],
        [x or "" for x in labels],
        scorer=OSA.normalized_distance,
        dtype=np.float32,
    )
    out: NDArray[np.float64] = found.astype(np.float64)
    if coarse:
        apart = cdist(
            [v or "" for v in values], [x or "" for x in leaves], scorer=OSA.normalized_distance
        )
        under = covering([labels[at] for at in coarse], leaves, hierarchy)
        for row, at in enumerate(coarse):
            if under[row].any():
                out[:, at] = apart[:, under[row]].min(axis=1)
    out[[value is None for value in values], :] = 1.0
    out[:, [label is None for label in labels]] = 1.0
    return out
