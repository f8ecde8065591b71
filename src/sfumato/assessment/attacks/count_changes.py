"""Changes of the counts between two releases, for an attacker who knows that somebody joined or
left.

Nobody need be named. Where the rows of one bin grew by one sensitive value and no other, everybody
who is known to have joined there has that value; where they shrank so, everybody who is known to
have left had it."""

from __future__ import annotations

from collections import Counter

from sfumato.bins import Bins
from sfumato.hierarchies import Label

from .attack_run import BEATS, HOLDS, UNDECIDED, AttackRun, Outcome, Story, deduced
from .attack_setup import Scene
from .intersection import Second
from .value_guess import NEARLY_ALL

Tuple = tuple[Label, ...]


def story(scene: Scene, name: str) -> Story:
    return Story(
        attacker="Somebody who has the release of last month and that of this month.",
        knows="That a person joined or left in between, and their true values of "
        f"{scene.known_words}.",
        tries=f"They compare the counts of each {name} in every bin, and claim the one that "
        "alone grew or shrank.",
        guess=f"The commonest {name}.",
    )


def changes(scene: Scene, second: Second, name: str) -> AttackRun:
    """Count the bins that grew, or shrank, by one sensitive value alone. No source is needed: the
    claim is certain."""
    other = second.scene(scene)
    title = f"Changes: do two releases disclose the {name} of people who joined or left?"
    told = story(scene, name)
    if name not in other.sensitive or set(other.known) != set(scene.known):
        return _run(
            name,
            title,
            told,
            bins=0,
            certain=0,
            outcome=UNDECIDED,
            reason="the two have different fields",
        )
    before, after = (
        _counts(Bins.count(engine, (*scene.known, name)))
        for engine in (scene.subject.release, second.release)
    )
    shared = before.keys() & after.keys()
    if 2 * len(shared) < min(len(before), len(after)):
        return _run(
            name,
            title,
            told,
            bins=0,
            certain=0,
            outcome=UNDECIDED,
            reason="the two are recoded differently",
        )
    common = Counter[Label]()
    for values in after.values():
        common.update(values)
    nearly_all = {value for value, rows in common.items() if rows >= NEARLY_ALL * common.total()}
    certain = moved = 0
    for bin_ in before.keys() | after.keys():
        one, two = before.get(bin_, Counter()), after.get(bin_, Counter())
        for change in (two - one, one - two):
            moved += bool(change)
            certain += len(change) == 1 and not change.keys() <= nearly_all
    if certain:
        reason = (
            f"{certain:,} bins changed by one value alone: a person who joined or left there "
            "has it with certainty"
        )
        return _run(name, title, told, bins=moved, certain=certain, outcome=BEATS, reason=reason)
    reason = "no bin changed by one value alone" if moved else "nothing changed"
    return _run(name, title, told, bins=moved, certain=0, outcome=HOLDS, reason=reason)


def _counts(bins: Bins) -> dict[Tuple, Counter[Label]]:
    """How many rows of each bin have each value, which is the last field."""
    out: dict[Tuple, Counter[Label]] = {}
    for row, count in zip(bins.tuples(), bins.counts.tolist(), strict=True):
        out.setdefault(tuple(row[:-1]), Counter())[row[-1]] += count
    return out


def _run(
    name: str, title: str, told: Story, *, bins: int, certain: int, outcome: Outcome, reason: str
) -> AttackRun:
    got = (
        f"{certain:,} of {bins:,} changed bins reveal it with certainty."
        if bins
        else "There was nothing to claim."
    )
    return deduced(
        f"changes:{name}",
        title,
        told,
        attempts=bins,
        certain=certain,
        outcome=outcome,
        reason=reason,
        got=got,
    )
