"""Differencing: the same table before and after somebody joined (Garfinkel 2016, section 4.3.6).

The school of the paper publishes how many pupils are below, at and above their grade level. A month
and one pupil later it publishes again. A comparison discloses the level of the new pupil. Counts in
ranges do not help where a range moves."""

from __future__ import annotations

import numpy as np

from sfumato.measures import Records

from .attack_run import AttackRun, Story, judged, unsaid
from .attack_setup import Scene
from .intersection import Second
from .rates import Rate
from .row_fit import rows_for_people
from .value_guess import GuessJudge, ReleasedValues, commonest_guessed, deductions


def story(scene: Scene, name: str) -> Story:
    return Story(
        attacker="Somebody who has the release of last month and that of this month.",
        knows=f"Who joined in between, and their true values of {scene.known_words}.",
        tries=f"Among the rows that fit the newcomer they count each {name} in both, and claim "
        "the one that grew.",
        guess=f"The commonest {name}, claimed of the same people.",
    )


def differencing(scene: Scene, second: Second, newcomers: Records, name: str) -> AttackRun:
    """Claim a newcomer's sensitive value wherever the rows that fit them grew by that value
    alone."""
    full, title = (
        f"differencing:{name}",
        f"Differencing: does the next release disclose the newcomers' {name}?",
    )
    other = second.scene(scene)
    told = story(scene, name)
    if name not in other.sensitive:
        return unsaid(full, title, told, reason=f"the second release has no {name}")
    chance = scene.chance(full)
    before, after = ReleasedValues.of(scene.released, name), ReleasedValues.of(other.released, name)
    guesses = np.full(len(newcomers), -1, np.int64)
    older = rows_for_people(scene.subject, newcomers, scene.released, other.known).batches()
    newer = rows_for_people(other.subject, newcomers, other.released, other.known).batches()
    place = {label: code for code, label in enumerate(before.labels)}
    old_of = np.array([place.get(label, -1) for label in after.labels], np.int64)
    counted = np.zeros((len(newcomers), len(before.labels)), np.float32)
    for part, found in older:
        counted[part] = before.by(found)
    for part, found in newer:
        earlier = np.where(old_of >= 0, counted[part][:, old_of], 0)
        grew = after.by(found) - earlier > 0
        guesses[part] = np.where(grew.sum(axis=1) == 1, grew.argmax(axis=1), -1)
    judge = GuessJudge.of(other, newcomers, after, name)
    who = np.flatnonzero(guesses >= 0)
    good = judge.right(guesses, chance=chance)
    baseline = commonest_guessed(judge, after, who, len(newcomers), chance=chance)
    return judged(
        full,
        title,
        told,
        claims=len(who),
        rate=Rate(successes=int(good.sum()), attempts=len(newcomers)),
        baseline=baseline,
        certain=deductions(judge, after, guesses, good),
        guess=baseline.successes / max(len(who), 1),
    )
