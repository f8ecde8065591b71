"""Linkability: do two files about a person find each other over the release? (Giomi et al. 2022,
section 4.2.)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.measures import Records

from .attack_run import AttackRun, Story, judged, unsaid
from .attack_setup import Scene
from .distances import nearest, nearness
from .rates import Rate
from .row_fit import weigh

NAME, TITLE = "linkability", "Linkability: do two files about a person find each other?"
Rule = Literal["alone", "drawn"]


def halves_of(known: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The known fields in two halves, every other field in one.

    Example:
        >>> halves_of(("zip", "birth", "sex"))
        (('zip', 'sex'), ('birth',))
    """
    return tuple(known[0::2]), tuple(known[1::2])


def story(halves: tuple[Sequence[str], Sequence[str]]) -> Story:
    one, other = (", ".join(half) for half in halves)
    return Story(
        attacker="Somebody with two files about the same people, without a key that joins "
        "the entries.",
        knows=f"From one file {one}, from the other {other}.",
        tries=(
            "For each entry of either file they look for the released rows nearest to it. "
            "Where exactly one row is "
            "nearest to both entries, they claim that both are the same person's."
        ),
        guess="The same claim about entries of two different people.",
    )


def linkability(
    scene: Scene, halves: tuple[Sequence[str], Sequence[str]] | None = None, *, rule: Rule = "alone"
) -> AttackRun:
    """Link two halves of what is known of each person over the release.

    With the rule "alone" the attacker keeps all rows that are equally near to a half. A link is
    claimed where one row alone is nearest to both. With "drawn" they take one of the equally near
    rows for each half, by chance, as in anonymeter (which takes the first). That finds fewer links
    in a release with many equal halves.

    The baseline applies the same rule to entries of different people, where every link is wrong."""
    one, other = halves or halves_of(scene.known)
    told = story((one or scene.known, other or scene.known))
    if scene.known_as:
        told = replace(told, knows=f"{scene.known_as}, one half from either file.")
    if not one or not other:
        return unsaid(
            NAME, TITLE, told, reason="two halves need two known fields, and there is one"
        )
    if scene.targets is None:
        return unsaid(NAME, TITLE, told, reason="without the source, there is nobody to look for")
    chance = scene.chance(NAME)
    rate = _attack(scene, scene.targets, one, other, rule=rule, chance=chance)
    control = (
        None
        if scene.control is None
        else _attack(scene, scene.control, one, other, rule=rule, chance=chance)
    )
    mixed = chance.permutation(rate.attempts)
    return judged(
        NAME,
        TITLE,
        told,
        claims=rate.successes,
        rate=rate,
        baseline=_attack(scene, scene.targets, one, other, rule=rule, chance=chance, mixed=mixed),
        control=control,
        what="linked",
    )


def _attack(
    scene: Scene,
    people: Records,
    one: Sequence[str],
    other: Sequence[str],
    *,
    rule: Rule,
    chance: np.random.Generator,
    mixed: NDArray[np.int64] | None = None,
) -> Rate:
    """How many pairs of entries are linked: the two of each person, or with `mixed` those of two
    people."""
    first = nearness(scene.subject, people, scene.released, one)
    second = nearness(
        scene.subject, people if mixed is None else people.only(mixed), scene.released, other
    )
    counts = scene.released.counts
    linked = 0
    for (_, near), (_, near_too) in zip(first.batches(), second.batches(), strict=True):
        mine, theirs = nearest(near), nearest(near_too)
        if rule == "alone":
            linked += int((weigh(mine & theirs, counts) == 1).sum())
        else:
            shared = weigh(mine & theirs, counts) / (weigh(mine, counts) * weigh(theirs, counts))
            linked += int((chance.random(len(shared)) < _share(shared)).sum())
    return Rate(successes=linked, attempts=len(people))


def _share(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(chances, 0.0, 1.0)
