"""The sensitive values of the rows that fit a person, and when a guess is right.

A guess is right where it is right about the original value. A released label that covers several of
the source's values is no value. One of those is drawn, and the guess is right if that is the
person's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Label
from sfumato.measures import Marks, Records, as_number, covering, measures

from .attack_setup import Scene
from .field_scale import measure_of
from .rates import Rate
from .row_fit import parts, used_only

TOLERANCE = 0.05
"""A guessed number is right within this share of the true one, as in anonymeter."""

NEARLY_ALL = 0.9
"""A value that this share of rows has can be claimed of anybody without the release."""

Counts = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ReleasedValues:
    """The released values of one sensitive field: entry e means that `rows[e]` rows of bin
    `bin_of[e]` have the label `value_of[e]`. Entries are in order of the label, and `starts` is
    where each label begins."""

    labels: tuple[Label, ...]
    bin_of: NDArray[np.int64]
    rows: Counts
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, bins: Bins, name: str) -> ReleasedValues:
        histogram = bins.histograms[name]
        order = np.argsort(histogram.value_of, kind="stable")
        occur, starts = np.unique(histogram.value_of[order], return_index=True)
        labels = tuple(histogram.values[code] for code in occur.tolist())
        return cls(
            labels, histogram.bin_of[order], histogram.counts[order].astype(np.float32), starts
        )

    def by(self, found: Marks) -> Counts:
        """For each person (a row of `found`, marks over bins), how many rows have each label."""
        out = np.zeros((len(found), len(self.labels)), np.float32)
        for part in parts(len(found), len(self.bin_of)):
            out[part] = np.add.reduceat(
                found[part][:, self.bin_of] * self.rows, self.starts, axis=1
            )
        return out

    @property
    def commonest(self) -> int:
        """The label that most rows have."""
        return int(np.argmax(np.add.reduceat(self.rows, self.starts)))


@dataclass(frozen=True, eq=False)
class GuessJudge:
    """Judges whether guesses are right: `truth` are the people's values as codes into `values`."""

    name: str
    values: tuple[Label, ...]
    truth: NDArray[np.int32]
    under: Marks
    numbers: NDArray[np.float64] | None
    guessed: NDArray[np.float64] | None

    @classmethod
    def of(cls, scene: Scene, people: Records, said: ReleasedValues, name: str) -> GuessJudge:
        at = people.fields.index(name)
        values, truth = used_only(people.labels[at], people.codes[:, at])
        # A label is spread over all values of the source, not only over those of the people drawn
        # from it.
        pool = _pool(scene, name, values)
        under = covering(said.labels, pool, scene.hierarchy(name))
        place = {value: code for code, value in enumerate(pool)}
        moved = np.array([place[value] for value in values], np.int32)[truth]
        measure = measure_of(pool)
        if measure is not as_number:
            return cls(name, pool, moved, under, None, None)
        return cls(
            name, pool, moved, under, measures(pool, as_number), measures(said.labels, as_number)
        )

    def right(
        self, guesses: Places, *, chance: np.random.Generator, who: Places | None = None
    ) -> Marks:
        """Whether the guessed labels are right about `who`, by default everyone; -1 is no guess."""
        truth = self.truth if who is None else self.truth[who]
        label = np.maximum(guesses, 0)
        among = self.under.sum(axis=1)[label]
        hit = self.under[label, truth] & (chance.random(len(label)) * np.maximum(among, 1) < 1)
        if self.numbers is not None and self.guessed is not None:
            guess, true = self.guessed[label], self.numbers[truth]
            with np.errstate(invalid="ignore"):
                hit = hit | (np.abs(guess - true) <= TOLERANCE * np.abs(true))
        return np.asarray(hit & (guesses >= 0))


def _pool(scene: Scene, name: str, values: tuple[Label, ...]) -> tuple[Label, ...]:
    everyone = scene.people
    known = everyone.labels[everyone.column(name)] if everyone is not None else ()
    return tuple(dict.fromkeys((*known, *values)))


def deductions(judge: GuessJudge, said: ReleasedValues, guesses: Places, good: Marks) -> int:
    """How many claims follow with certainty from the rows, and would not without them.

    None where some claim is wrong, as after noise, or where people are missing from the release:
    nothing is certain then. A claim of the value that nearly all rows have adds little to a
    guess."""
    claimed = guesses >= 0
    if not claimed.any() or not good[claimed].all():
        return 0
    shares = np.add.reduceat(said.rows, said.starts)
    is_telling = (shares / shares.sum() < NEARLY_ALL) & (judge.under.sum(axis=1) == 1)
    return int((claimed & is_telling[np.maximum(guesses, 0)]).sum())


def commonest_guessed(
    judge: GuessJudge,
    said: ReleasedValues,
    who: Places,
    attempts: int,
    *,
    chance: np.random.Generator,
) -> Rate:
    """How often the commonest value, guessed for each of `who`, would be right, among all
    attempts."""
    good = judge.right(np.full(len(who), said.commonest, np.int64), chance=chance, who=who)
    return Rate(successes=int(good.sum()), attempts=attempts)
