"""Reading refusals: for every group of the lattice, whether it would be shown; and the tests that
fit all of that best.

Where each group is judged by itself, whether it is shown depends on how its tests are shared out,
and looking is free. From hundreds of such bits about overlapping groups the attacker draws towns
that fit them (Metropolis, cooled slowly, the number of positive tests kept) and believes what most
of these towns have. They are told which of the two signs is right, which a few counts tell. Ours
judges values by whole nodes, so that there is one bit for each of those."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from gate_world import TOWNS, Person
from numpy.typing import NDArray

from sfumato.gate.decide.answer_nodes import DecisionContext, shape_at
from sfumato.gate.decide.confidentiality import Conditions
from sfumato.gate.decide.exposure import Exposure
from sfumato.gate.decide.question_cells import QuestionFields
from sfumato.gate.sql.predicates import Predicate

Marks = NDArray[np.bool_]
KNOWN = ("age", "town", "sex", "arrived")
MOST_GROUPS = 60
"""A node of more has groups that are too small."""


def groups(everybody: Sequence[Person]) -> Marks:
    """All groups of all nodes that are neither nearly nobody nor nearly everybody, one in a row."""
    age, arrived = (
        np.array([getattr(each, name) for each in everybody]) for name in ("age", "arrived")
    )
    town, sex = (
        np.array([TOWNS.index(each.town) for each in everybody]),
        np.array([each.sex == "F" for each in everybody]),
    )
    levels = (
        (age, age // 5, age // 10, age // 30, age * 0),
        (town, town // 2, town * 0),
        (sex * 1, sex * 0),
        (arrived, arrived // 5, arrived // 25, arrived * 0),
    )
    found: dict[bytes, Marks] = {}
    for node in itertools.product(*levels):
        _, of = np.unique(np.stack(node, axis=1), axis=0, return_inverse=True)
        for number in range(int(of.max()) + 1):
            marks = np.asarray(of.ravel() == number)
            if 5 <= marks.sum() <= len(everybody) - 5:
                found[marks.tobytes()] = marks
    return np.array(list(found.values()))


def judged_alone(conditions: Conditions, marks: Marks, rows: NDArray[np.int64]) -> Marks:
    """Whether each group and the rest keep to the policy: what a gate would tell that judged the
    groups asked about."""
    holding = conditions.holding
    bin = holding.bin_of[rows]
    out = []
    for each in marks:
        cut = np.zeros(len(holding.bins), np.int64)
        cut[bin[each]] = 1
        exposure = Exposure.nothing(len(holding.bins), holding.fields).refined(cut, shows=("test",))
        out.append(not conditions.failing(exposure, shows=("test",)).any())
    return np.array(out)


@dataclass(frozen=True, eq=False)
class These(Predicate):
    """A condition that means these bins."""

    bins: Marks

    def canonical(self) -> str:
        return "these"

    def fields(self) -> frozenset[str]:
        return frozenset(KNOWN)

    def marks(self, fields: object, codes: object) -> Marks:
        return self.bins


def looked_at(conditions: Conditions) -> Iterator[tuple[str, list[tuple[Marks, bool]]]]:
    """For each node of ours that is not hopeless: its groups that are large enough, and whether
    each is offered there to somebody who asks about it alone."""
    holding = conditions.holding
    nothing = [Exposure.nothing(len(holding.bins), holding.fields)]
    everybody = DecisionContext.of(
        QuestionFields(known=KNOWN, about=None, shows=("test",)), conditions, nothing
    )
    least = conditions.fewest(("test",))
    for node in range(len(everybody.lattice.levels)):
        whole = everybody.lattice.groups(node)
        sizes = np.bincount(whole)
        if len(sizes) == 1 or len(sizes) > MOST_GROUPS:
            continue
        found = []
        for number in np.flatnonzero((sizes >= least) & (sizes <= sizes.sum() - least)):
            wanted = QuestionFields(known=KNOWN, about=These(whole == number), shows=("test",))
            shape = shape_at(node, DecisionContext.of(wanted, conditions, nothing), allowed=0.0)
            found.append((np.asarray(whole == number), shape is not None))
        yield everybody.lattice.name_of(node), found


def told_by_looks(conditions: Conditions, rows: NDArray[np.int64]) -> tuple[Marks, Marks]:
    """The groups that looks at ours say something about, and what. Where all groups of a node are
    refused, any of them may be the reason."""
    bin = conditions.holding.bin_of[rows]
    bits = [
        bit
        for _, found in looked_at(conditions)
        if any(shown for _, shown in found)
        for bit in found
    ]
    return np.array([marks[bin] for marks, _ in bits]), np.array([shown for _, shown in bits])


def fits(
    sizes: NDArray[np.int64], positive: int, everyone: int, *, gain: float = 0.1, facts: int = 2
) -> Marks:
    """For each group and each number of positive tests in it: whether it would be shown; the policy
    is known."""
    share = positive / everyone

    def keeps(count: NDArray[np.int64], size: NDArray[np.int64] | int) -> Marks:
        left = np.maximum(size - np.asarray(facts), 1)
        ones, none = count / left, (size - count) / left
        return (ones <= share + gain * (1 - share) + 1e-9) & (
            none <= 1 - share + gain * share + 1e-9
        )

    count = np.arange(int(sizes.max()) + 1)[None, :]
    there = count <= sizes[:, None]
    return there & keeps(count, sizes[:, None]) & keeps(positive - count, everyone - sizes[:, None])


def guessed(
    marks: Marks, shown: Marks, positive: int, *, sweeps: int, seed: int = 0
) -> NDArray[np.float64]:
    """For each person the share of drawn towns in which their test is positive, less a half."""
    draw = np.random.default_rng(seed)
    everyone = marks.shape[1]
    sizes = marks.sum(axis=1)
    table = fits(sizes, positive, everyone)
    useful = table.any(axis=1)
    marks, shown, table = marks[useful], shown[useful], table[useful]
    of = [np.flatnonzero(column) for column in marks.T]
    tests = np.zeros(everyone, np.int64)
    tests[draw.permutation(everyone)[:positive]] = 1
    counts = marks.astype(np.int64) @ tests
    total, steps = np.zeros(everyone), sweeps * everyone
    for step in range(steps):
        cold = min(3.0, 0.2 + 6.0 * step / steps)
        one, other = draw.integers(everyone, size=2)
        if tests[one] == tests[other]:
            continue
        if tests[one] == 0:
            one, other = other, one
        less, more = np.setdiff1d(of[one], of[other]), np.setdiff1d(of[other], of[one])
        changed = np.r_[less, more]
        after = counts[changed] + np.r_[-np.ones(len(less), np.int64), np.ones(len(more), np.int64)]
        worse = int(
            (table[changed, after] != shown[changed]).sum()
            - (table[changed, counts[changed]] != shown[changed]).sum()
        )
        if worse <= 0 or draw.random() < np.exp(-cold * worse):
            tests[one], tests[other], counts[changed] = 0, 1, after
        if step > steps // 2 and step % everyone == 0:
            total += tests - 0.5
    return total


def gained(
    everybody: Sequence[Person], shown: Marks, marks: Marks, *, chains: int, sweeps: int
) -> float:
    """The confidence gained over guessing, with the sign told."""
    tests = np.array([each.test for each in everybody])
    drawn = [
        guessed(marks, shown, int(tests.sum()), sweeps=sweeps, seed=seed) for seed in range(chains)
    ]
    whole = sum(np.sign(each @ drawn[0]) * each for each in drawn)
    right = float(((whole > 0) == tests).mean())
    return 2 * max(right, 1 - right) - 1
