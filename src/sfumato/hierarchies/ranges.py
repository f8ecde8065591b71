"""Numbers by ranges that mean something and have names, such as the classes of blood pressure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sfumato.errors import HierarchyError
from sfumato.wording import counted

from .decimals import exact, parameter
from .hierarchy import Hierarchy, Label
from .ladders import climb
from .parameters import Number, Table, is_list, number, only_keys, table, text, texts, wanted

Grouping = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NamedRange:
    """The numbers under `below` that no earlier range took; without `below`, all the rest."""

    name: str
    below: Number | None = None


@dataclass(frozen=True, slots=True)
class Ranges:
    """Named ranges in rising order, then `groups`: per coarser level, which names of the level
    before are joined.

    Example:
        >>> classes = (NamedRange("low", 90), NamedRange("normal", 120), NamedRange("high"))
        >>> pressure = Ranges(classes, groups=({"not high": ("low", "normal"), "high": ("high",)},))
        >>> pressure.bind(["85", "119.5", "160"]).labels[1:3]
        (('low', 'normal', 'high'), ('not high', 'high'))
    """

    ranges: tuple[NamedRange, ...]
    groups: tuple[Grouping, ...] = ()

    @classmethod
    def from_table(cls, given: Table) -> Ranges:
        only_keys(given, ("ranges", "groups"), builder="numbers with ranges")
        ranges, groups = given["ranges"], given.get("groups", [])
        if not is_list(ranges) or not ranges:
            raise wanted("ranges", 'a list of tables such as { name = "low", below = 90 }')
        if not is_list(groups):
            raise wanted("groups", "a list with one table for each coarser level")
        spec = cls(
            tuple(_range(item) for item in ranges), tuple(_grouping(item) for item in groups)
        )
        spec._check()
        return spec

    def _check(self) -> None:
        bounds = [item.below for item in self.ranges]
        if any(bound is None for bound in bounds[:-1]):
            raise wanted("ranges", "bounded by 'below' in all but the last range")
        known = [bound for bound in bounds if bound is not None]
        if any(parameter(one) >= parameter(other) for one, other in pairwise(known)):
            raise wanted("ranges", "in rising order of 'below'")
        names: Sequence[str] = [item.name for item in self.ranges]
        if len(set(names)) != len(names):
            raise wanted("ranges", "of distinct names")
        for level, grouping in enumerate(self.groups, start=2):
            _check_grouping(grouping, names, level)
            names = list(grouping)

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        self._check()
        ladders = {item.name: self._ladder(item.name) for item in self.ranges}
        bounds = [
            (item.name, None if item.below is None else parameter(item.below))
            for item in self.ranges
        ]

        def labels(value: str) -> list[str] | None:
            found = exact(value)
            if found is None:
                return None
            return next(
                (ladders[name] for name, bound in bounds if bound is None or found < bound), None
            )

        return climb(
            values,
            labels,
            level_names=(
                "value",
                "range",
                *(f"groups {n}" for n in range(1, len(self.groups) + 1)),
                "suppressed",
            ),
            uncovered="are not plain decimal numbers, or are above the last range.",
            attempt="a last range without 'below', or a CSV hierarchy where the field holds more "
            "than numbers.",
        )

    def _ladder(self, name: str) -> list[str]:
        ladder = [name]
        for grouping in self.groups:
            ladder.append(
                next(group for group, members in grouping.items() if ladder[-1] in members)
            )
        return ladder

    def describe(self) -> Mapping[str, object]:
        out: dict[str, object] = {
            "ranges": [
                {"name": item.name} | ({} if item.below is None else {"below": item.below})
                for item in self.ranges
            ]
        }
        if self.groups:
            out["groups"] = [
                {name: list(members) for name, members in level.items()} for level in self.groups
            ]
        return {"numbers": out}


def _range(given: object) -> NamedRange:
    item = table(given, "each of ranges")
    only_keys(item, ("name", "below"), builder="numbers with ranges")
    below = item.get("below")
    return NamedRange(
        text(item.get("name"), "ranges.name"),
        None if below is None else number(below, "ranges.below"),
    )


def _grouping(given: object) -> Grouping:
    return {
        name: texts(members, f"groups.{name}")
        for name, members in table(given, "each of groups").items()
    }


def _check_grouping(grouping: Grouping, names: Sequence[str], level: int) -> None:
    members = [name for group in grouping.values() for name in group]
    if sorted(members) != sorted(names):
        missing, strange = set(names) - set(members), set(members) - set(names)
        raise HierarchyError(
            "Each level of groups must join every name of the level before, each once.",
            found=f"At level {level}, {counted(len(missing), 'name is', 'names are')} in no group, "
            f"{counted(len(strange), 'is no name', 'are no names')} of the level before, and "
            f"{counted(len(members) - len(set(members)), 'occurs', 'occur')} twice.",
            attempt="listing " + ", ".join(names) + " once each.",
        )
