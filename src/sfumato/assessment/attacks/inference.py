"""Inference: what the rows most like a person disclose about them (Giomi et al. 2022, section 4.3;
anonymeter)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sfumato.measures import Records

from .attack_run import AttackRun, Story, judged, unsaid
from .attack_setup import Scene
from .distances import nearest
from .rates import Rate
from .value_guess import GuessJudge, Places, ReleasedValues, commonest_guessed

Rule = Literal["most", "drawn"]


def story(scene: Scene, name: str) -> Story:
    return Story(
        attacker="Somebody who wants to know one thing about a person, and takes the best guess "
        "that there is.",
        knows=f"The person's true values of {scene.known_words}.",
        tries=f"They find the rows most like the person, and guess the {name} that most of these "
        "have.",
        guess=f"The commonest {name} of the release, guessed for everybody.",
    )


def inference(scene: Scene, name: str, *, rule: Rule = "most") -> AttackRun:
    """Guess a sensitive value from the nearest rows, for everyone: the most frequent one. With the
    rule "drawn" it is that of one of them by chance, as in anonymeter (which takes the first).

    A release that is good for research allows better guesses about everybody, also about people who
    are not in it. The control group measures that. Without one, a rate above the baseline need not
    be about the release's people."""
    title = f"Inference: do the rows most like a person disclose {name}?"
    if scene.targets is None:
        return unsaid(
            f"inference:{name}",
            title,
            story(scene, name),
            reason="without the source, no claim can be checked",
        )
    said = ReleasedValues.of(scene.released, name)
    chance = scene.chance(f"inference:{name}")
    rate, judge = _attack(scene, scene.targets, said, name, rule=rule, chance=chance)
    control = (
        None
        if scene.outside is None
        else _attack(scene, scene.outside, said, name, rule=rule, chance=chance)[0]
    )
    everyone = np.arange(rate.attempts)
    return judged(
        f"inference:{name}",
        title,
        story(scene, name),
        claims=rate.attempts,
        rate=rate,
        baseline=commonest_guessed(judge, said, everyone, rate.attempts, chance=chance),
        control=control,
        notes=() if control else (_WITHOUT_CONTROL,),
    )


_WITHOUT_CONTROL = (
    "There is no control group: what is learned may be true of people in general, such as "
    "that old people are ill more often, and not about those in the release."
)


def _attack(
    scene: Scene,
    people: Records,
    said: ReleasedValues,
    name: str,
    *,
    rule: Rule,
    chance: np.random.Generator,
) -> tuple[Rate, GuessJudge]:
    guesses = guessed(scene, people, said, rule=rule, chance=chance)
    judge = GuessJudge.of(scene, people, said, name)
    return Rate(
        successes=int(judge.right(guesses, chance=chance).sum()), attempts=len(people)
    ), judge


def guessed(
    scene: Scene, people: Records, said: ReleasedValues, *, rule: Rule, chance: np.random.Generator
) -> Places:
    """The label that most of the nearest rows have, by chance where several are as frequent; or of
    one of the rows."""
    guesses = np.zeros(len(people), np.int64)
    for part, distances in scene.nearness(people).batches():
        told = said.by(nearest(distances)).astype(np.float64)
        if rule == "most":
            guesses[part] = (told + chance.random(told.shape) / 2).argmax(axis=1)
        else:
            drawn = chance.random((len(told), 1)) * told.sum(axis=1, keepdims=True)
            guesses[part] = (told.cumsum(axis=1) > drawn).argmax(axis=1)
    return guesses
