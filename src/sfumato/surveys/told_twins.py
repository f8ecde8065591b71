"""The dependences that are reported to a person: each fact once, and none that follows from a key.

A search finds every pair. A code and its words are one field written twice, so their dependences
are reported for one of them; a consequence of two steps is not reported as a third. A key
determines all of its row, and a field that is removed discloses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sfumato.policy import Role

from .records import Dependence, DependenceKind, FieldSurvey

SAME = (DependenceKind.EQUAL, DependenceKind.ONE_TO_ONE, DependenceKind.MONOTONE)
CONTRADICTED = 0.03
"""A dependence is not reported where more of the rows with a repeated determining value contradict
it."""

ONE_WAY = 0.005
"""A dependence in one direction only is reported up to this share of exceptions."""


def told_dependences(
    found: Sequence[Dependence], fields: Sequence[FieldSurvey]
) -> tuple[Dependence, ...]:
    """The dependences that are reported to a person, in the order in which they were found."""
    roles = {item.name: item.proposal.role for item in fields}
    likely = [each for each in found if not _is_moot(each, roles)]
    classes = _FieldClasses()
    same = {id(each) for each in likely if each.kind in SAME and classes.join(*each.fields)}
    steps = _necessary_steps(
        {
            (classes.of(each.fields[0]), classes.of(each.fields[1])): each
            for each in reversed(likely)
            if each.kind is DependenceKind.FUNCTIONAL
        }
    )
    kept = same | {id(each) for each in steps}
    others = (*SAME, DependenceKind.FUNCTIONAL)
    return tuple(each for each in likely if id(each) in kept or each.kind not in others)


def _is_moot(found: Dependence, roles: Mapping[str, Role]) -> bool:
    """Whether it is of no consequence: it was hardly tested, holds of one value, or one of two
    fields is a direct identifier or a text, which is removed or replaced."""
    if found.is_small or found.is_of_value or found.contradicted > CONTRADICTED:
        return True
    if found.kind is DependenceKind.FUNCTIONAL and found.exceptions > ONE_WAY:
        return True
    if found.kind not in (DependenceKind.ONE_TO_ONE, DependenceKind.FUNCTIONAL):
        return False
    return any(roles.get(name) in (Role.DIRECT, Role.TEXT) for name in found.fields)


class _FieldClasses:
    """Equivalent fields, each class named by its first field."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def of(self, name: str) -> str:
        while (above := self._above.get(name, name)) != name:
            name = above
        return name

    def join(self, one: str, other: str) -> bool:
        """Put two fields into one class; False where they were in one already."""
        first, second = self.of(one), self.of(other)
        self._above[second] = first
        return first != second


def _necessary_steps(steps: dict[tuple[str, str], Dependence]) -> Iterator[Dependence]:
    """The functional dependences between classes that do not follow from two or more others."""
    left = {pair for pair in steps if pair[0] != pair[1]}
    for pair in sorted(left):
        if _leads(left - {pair}, *pair):
            left.discard(pair)
    return (steps[pair] for pair in left)


def _leads(steps: set[tuple[str, str]], start: str, end: str) -> bool:
    reached, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        for one, other in steps:
            if one == here and other not in reached:
                reached.add(other)
                waiting.append(other)
    return end in reached
