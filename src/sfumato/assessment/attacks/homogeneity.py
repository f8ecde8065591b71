"""Homogeneity: all rows that could be hers have the same sensitive value (Machanavajjhala et al.
2007, "l-diversity", section 2.1)."""

from __future__ import annotations

import numpy as np

from sfumato.measures import Records

from .attack_run import FEWEST, AttackRun, Story, judged, unsaid
from .attack_setup import Scene
from .rates import Rate
from .value_guess import GuessJudge, Places, ReleasedValues, commonest_guessed, deductions


def story(scene: Scene, name: str) -> Story:
    return Story(
        attacker="Somebody who knows a person and does not need to know which row is theirs.",
        knows=f"The person's true values of {scene.known_words}, and that the person is in "
        "the release.",
        tries=f"They look at all rows that fit the person; where these agree on {name}, they "
        "claim to know it.",
        guess=f"The commonest {name}, claimed of the same people.",
    )


def homogeneity(scene: Scene, name: str) -> AttackRun:
    """Claim a sensitive value wherever all fitting rows have the same.

    The baseline makes its guess about the same people, so that a value that nearly everybody has
    counts for nothing."""
    title = f"Homogeneity: do all rows that fit have the same {name}?"
    if scene.everyone is None:
        return unsaid(
            f"homogeneity:{name}",
            title,
            story(scene, name),
            reason="without the source, no claim can be checked",
        )
    said = ReleasedValues.of(scene.released, name)
    chance = scene.chance(f"homogeneity:{name}")
    rate, judge, who, certain = _attack(scene, scene.everyone, said, name, chance=chance)
    control = outside = None
    if scene.outside is not None:
        control, _, claimed, _ = _attack(scene, scene.outside, said, name, chance=chance)
        outside = Rate(successes=control.successes, attempts=len(claimed))
        if len(claimed) >= FEWEST and control.successes == len(claimed):
            # It is as certain of people who are not in the release: it holds of people in general.
            certain = 0
    baseline = commonest_guessed(judge, said, who, rate.attempts, chance=chance)
    return judged(
        f"homogeneity:{name}",
        title,
        story(scene, name),
        claims=len(who),
        rate=rate,
        baseline=baseline,
        control=control,
        certain=certain,
        guess=baseline.successes / max(len(who), 1),
        outside=outside,
    )


def _attack(
    scene: Scene, people: Records, said: ReleasedValues, name: str, *, chance: np.random.Generator
) -> tuple[Rate, GuessJudge, Places, int]:
    """How often the claims are right, their judge, the people they are about, and how many are
    certain."""
    guesses = only_value(scene, people, said)
    judge = GuessJudge.of(scene, people, said, name)
    good = judge.right(guesses, chance=chance)
    certain = deductions(judge, said, guesses, good)
    return (
        Rate(successes=int(good.sum()), attempts=len(people)),
        judge,
        np.flatnonzero(guesses >= 0),
        certain,
    )


def only_value(scene: Scene, people: Records, said: ReleasedValues) -> Places:
    """The label that all rows that fit a person have; -1 where none fits or they differ."""
    guesses = np.full(len(people), -1, np.int64)
    for part, found in scene.fits(people).batches():
        told = said.by(found) > 0
        guesses[part] = np.where(told.sum(axis=1) == 1, told.argmax(axis=1), -1)
    return guesses
