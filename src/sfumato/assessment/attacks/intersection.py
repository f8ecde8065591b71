"""Intersection: two releases about the same people, compared person by person (Ganta et al. 2008;
Garfinkel 2016, 4.3.9).

The possible values of a person under a release are the sensitive values of all rows that fit. The
true value is in the set of either release, so it is in what they share; where that is one value, it
is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sfumato.engines import Engine
from sfumato.errors import SourceError
from sfumato.hierarchies import Hierarchy
from sfumato.measures import Marks, Records, Subject

from .attack_run import AttackRun, Story, judged, unsaid
from .attack_setup import Scene, named
from .rates import Rate
from .row_fit import rows_for_people
from .value_guess import GuessJudge, ReleasedValues


@dataclass(frozen=True, eq=False, kw_only=True)
class Second:
    """Another release about the same people, and the hierarchies that lead to its labels."""

    release: Engine
    hierarchies: Mapping[str, Hierarchy]
    known: tuple[str, ...] = ()
    """Its own known fields, where it has others than the first."""

    def own(self, first: Scene) -> Subject:
        """The second release by itself, over its own known fields as far as the source has them."""
        source = first.subject.source
        have = {info.name for info in self.release.fields()}
        if source is not None:
            have &= {info.name for info in source.fields()}
        known = tuple(name for name in (self.known or first.known) if name in have)
        return replace(
            first.subject,
            release=self.release,
            known=known,
            sensitive=(),
            hierarchies=self.hierarchies,
        )

    def scene(self, first: Scene) -> Scene:
        """The second release under the same attack: over the fields of the first that it has."""
        have = {info.name for info in self.release.fields()}
        known = tuple(name for name in first.known if name in have)
        sensitive = tuple(name for name in first.sensitive if name in have)
        if not known or not sensitive:
            raise SourceError(
                f"{self.release.title}, the second release, cannot be compared with the first.",
                found=f"They share {len(known)} known and {len(sensitive)} sensitive fields.",
                attempt="two releases that have a known and a sensitive field in common.",
            )
        subject = replace(
            first.subject,
            release=self.release,
            known=known,
            sensitive=sensitive,
            hierarchies=self.hierarchies,
        )
        if not subject.released.rows:
            raise SourceError(
                f"{self.release.title} holds no row.", attempt="a release with at least one row."
            )
        return Scene(subject=subject, targets=first.targets, control=None)


def story(scene: Scene, other: Scene, name: str) -> Story:
    return Story(
        attacker="Somebody who has received two releases about the same people.",
        knows="A person's true values of "
        f"{named(tuple(dict.fromkeys((*scene.known, *other.known))))}; both hold them.",
        tries=f"They list what {name} could be by either release, and claim it where only one "
        "value is on both lists.",
        guess=(
            "The claim from one of the two releases alone: the second must add something to it."
        ),
    )


def intersection(scene: Scene, second: Second, name: str) -> AttackRun:
    """Claim a sensitive value wherever only one is possible under both releases.

    The baseline is the set that remains under either release alone, so that the attack measures the
    effect of two.
    """
    full, title = f"intersection:{name}", f"Intersection: do two releases together disclose {name}?"
    other = second.scene(scene)
    told = story(scene, other, name)
    if name not in other.sensitive:
        return unsaid(full, title, told, reason=f"the second release has no {name}")
    if scene.everyone is None:
        return unsaid(full, title, told, reason="without the source, no claim can be checked")
    mine, judge = possible(scene, scene.everyone, name)
    theirs, _ = possible(other, scene.everyone, name)
    true = np.arange(len(judge.values))[None, :] == judge.truth[:, None]
    both = mine & theirs
    claims = both.sum(axis=1) == 1
    good = claims & (both & true).any(axis=1)
    either = np.zeros(len(true), bool)
    for one in (mine, theirs):
        either |= (one.sum(axis=1) == 1) & (one & true).any(axis=1)
    wrong = int((claims & ~good).sum())
    left = [float(np.mean(marks.sum(axis=1))) for marks in (mine, theirs, both)]
    return judged(
        full,
        title,
        told,
        claims=int(claims.sum()),
        rate=Rate(successes=int(good.sum()), attempts=len(true)),
        baseline=Rate(successes=int(either.sum()), attempts=len(true)),
        certain=0 if wrong else int((good & ~either).sum()),
        notes=(
            f"Of {len(judge.values):,} values the first release leaves {left[0]:.1f} "
            "possible on average, the second "
            f"{left[1]:.1f}, both together {left[2]:.1f}.",
        ),
    )


def possible(scene: Scene, people: Records, name: str) -> tuple[Marks, GuessJudge]:
    """`found[p, v]`: whether some row that fits the person has, or covers, the value v of the
    source."""
    said = ReleasedValues.of(scene.released, name)
    judge = GuessJudge.of(scene, people, said, name)
    found = np.zeros((len(people), len(judge.values)), bool)
    for part, fitting in rows_for_people(
        scene.subject, people, scene.released, scene.known
    ).batches():
        found[part] = (said.by(fitting) > 0).astype(np.float32) @ judge.under.astype(np.float32) > 0
    return found, judge
