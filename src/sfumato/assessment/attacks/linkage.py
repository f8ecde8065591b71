"""Linkage with what is known of people: whose row is this? (Sweeney 2000, section 3; Garfinkel
2016, section 3.2.)"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.measures import Records

from .attack_run import AttackRun, Story, judged, unsaid
from .attack_setup import Scene, set_scene
from .claims import right, said_of_moved
from .rates import Rate
from .row_fit import rows_for_people, weigh

NAME, TITLE = "linkage", "Linkage: whose row is this?"
WIDER = "linkage:few-valued fields"
WIDER_TITLE = "Linkage by fields that the policy calls unknown: whose row is this?"


def story(scene: Scene) -> Story:
    fields = scene.known_words
    return Story(
        attacker="Somebody with a list of names, such as a voter register, a neighbour, an employer.",
        knows=f"Of each person the true values of {fields}, and that the person is in the release.",
        tries="For each person they look for the released rows that fit, and claim the row "
        "if exactly one does.",
        guess="A row picked blindly for each person.",
    )


def linkage(scene: Scene) -> AttackRun:
    """Link people to rows by exact values: a claim wherever exactly one released row fits.

    A claim is right if it is about the person's own row (see `claims`). The baseline picks a row at
    random. The control group are people who are not in the release: every row claimed for them is
    somebody else's, even where its values are true."""
    if scene.everyone is None:
        return unsaid(
            NAME, TITLE, story(scene), reason="without the source, the person of a row is unknown"
        )
    chance = scene.chance(NAME)
    fitting, claimed = alone(scene, scene.everyone)
    who = np.flatnonzero(claimed >= 0)
    good, moved = right(scene, claimed[who], scene.everyone.only(who), chance=chance)
    rate = Rate(successes=int(good.sum()), attempts=len(scene.everyone))
    control, outside = _control(scene)
    return judged(
        NAME,
        TITLE,
        story(scene),
        claims=len(who),
        rate=rate,
        baseline=picked_blindly(scene, len(scene.everyone), chance=chance),
        control=control,
        outside=outside,
        certain=0 if moved or not good.all() else len(who),
        guess=1 / max(scene.rows, 1),
        notes=(
            _if_they_picked(fitting),
            *said_of_moved(moved, len(who), has_control=scene.outside is not None),
        ),
    )


def wider_linkage(scene: Scene, *, also_known: tuple[str, ...], targets: int) -> AttackRun:
    """Linkage by somebody who also knows further fields with few values, which the policy counts as
    unknown. It is judged by its rate: the smallest sets of fields that single people out show what
    one row discloses."""
    here = set_scene(replace(scene.subject, known=(*scene.known, *also_known)), targets=targets)
    if here.targets is None:
        return unsaid(
            WIDER,
            WIDER_TITLE,
            story(here),
            reason="without the source, the person of a row is unknown",
        )
    chance = here.chance(WIDER)
    _, claimed = alone(here, here.targets)
    who = np.flatnonzero(claimed >= 0)
    good, moved = right(here, claimed[who], here.targets.only(who), chance=chance)
    control, _ = _control(here)
    return judged(
        WIDER,
        WIDER_TITLE,
        story(here),
        claims=len(who),
        rate=Rate(successes=int(good.sum()), attempts=len(here.targets)),
        baseline=picked_blindly(here, len(here.targets), chance=chance),
        control=control,
        notes=said_of_moved(moved, len(who), has_control=here.outside is not None),
    )


def alone(scene: Scene, people: Records) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each person how many released rows fit, and the bin of the one that does where it is one,
    else -1."""
    fits = rows_for_people(scene.subject, people, scene.released, scene.known)
    fitting = np.zeros(len(people), np.int64)
    claimed = np.full(len(people), -1, np.int64)
    for part, found in fits.batches():
        fitting[part] = weigh(found, scene.released.counts)
        single = np.flatnonzero(fitting[part] == 1)
        claimed[part.start + single] = found[single].argmax(axis=1)
    return fitting, claimed


def picked_blindly(scene: Scene, attempts: int, *, chance: np.random.Generator) -> Rate:
    """How often a row picked at random is the person's own: one time in as many as there are
    rows."""
    return Rate(successes=int((chance.random(attempts) * scene.rows < 1).sum()), attempts=attempts)


def _control(scene: Scene) -> tuple[Rate, Rate] | tuple[None, None]:
    """How often people outside are found, among all of them and among those about whom something is
    claimed."""
    if scene.outside is None:
        return None, None
    _, claimed = alone(scene, scene.outside)
    who = np.flatnonzero(claimed >= 0)
    chance = scene.chance(f"{NAME}, control")
    good, _ = right(scene, claimed[who], scene.outside.only(who), chance=chance, among=False)
    found = int(good.sum())
    return Rate(successes=found, attempts=len(scene.outside)), Rate(
        successes=found, attempts=len(who)
    )


def _if_they_picked(fitting: NDArray[np.int64]) -> str:
    """The chance of picking among the rows that fit, which is no claim."""
    found = fitting[fitting > 0]
    if not len(found):
        return "No released row fits any of them."
    return (
        f"For {len(found):,} of {len(fitting):,} people some row fits, "
        f"{float(np.median(found)):,.0f} rows as a rule; "
        f"one picked among those would be right in at most {float(np.mean(1 / found)):.1%} "
        "of cases."
    )
