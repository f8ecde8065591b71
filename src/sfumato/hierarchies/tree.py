"""A hierarchy drawn as a tree in the policy: places, occupations, anything with groups of
groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.errors import HierarchyError
from sfumato.parts import ParameterKind, parameter

from .declaration import HierarchyDeclaration, keys_of
from .hierarchy import SUPPRESSED, Hierarchy, Label
from .ladders import climb
from .parameters import Table, is_list, only_keys, text

Branch = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeParameters:
    """The parameters of a table of groups."""

    tree: Mapping[str, object] = parameter(
        "groups: each a list of values or a table of smaller groups",
        kind=ParameterKind.TABLE,
        example='{ Europe = ["France"] }',
    )
    top: str = parameter("the name of the group of all", default=SUPPRESSED)


@dataclass(frozen=True, slots=True)
class Tree:
    """Groups, each a list of values or a table of smaller groups; a value beside groups is written
    `name = []`.

    Depths may differ: a value with fewer groups above it repeats the last of them up to the top. A
    value of the data that is the name of a group is its own label at the level of that group.

    Example:
        >>> world = Tree({"Europe": ["France"], "Asia": {"East": ["Japan"], "Nepal": []}})
        >>> world.bind(["France", "Japan", "Nepal"]).labels[1:]
        (('Europe', 'East', 'Asia'), ('Europe', 'Asia'), ('*',))
    """

    branches: Branch
    top: str = SUPPRESSED

    key: ClassVar[str] = "tree"

    @classmethod
    def from_table(cls, table: Table) -> Tree:
        only_keys(table, keys_of(TreeParameters), builder="tree")
        branches = table["tree"]
        if not isinstance(branches, Mapping) or not branches:
            raise _misshapen()
        spec = cls(branches, text(table.get("top", SUPPRESSED), "top"))
        spec._chains()
        return spec

    def _chains(self) -> dict[str, tuple[str, ...]]:
        """For each value and each group: the groups above it, nearest first. A group starts with
        itself."""
        leaves: dict[str, tuple[str, ...]] = {}
        groups: dict[str, tuple[str, ...]] = {}
        for name, above, is_leaf in _walk(self.branches, ()):
            if is_leaf:
                if name in leaves:
                    raise _twice("value", leaves[name], above)
                leaves[name] = above
            else:
                if name in groups:
                    raise _twice(f'group, "{name}",', groups[name][1:], above)
                groups[name] = (name, *above)
        if not leaves:
            raise _misshapen()
        return groups | leaves

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        chains = self._chains()
        height = max(len(chain) for chain in chains.values())

        def labels(value: str) -> tuple[str, ...] | None:
            chain = chains.get(value)
            if chain is None:
                return None
            return chain + (chain[-1] if chain else value,) * (height - len(chain))

        return climb(
            values,
            labels,
            level_names=(
                "value",
                *(f"level {level}" for level in range(1, height + 1)),
                "suppressed",
            ),
            uncovered="are not in the tree.",
            attempt="adding each to the group where it belongs; spelling and case must be as in "
            "the data.",
            top=self.top,
        )

    def describe(self) -> Mapping[str, object]:
        return (
            {"tree": self.branches}
            if self.top == SUPPRESSED
            else {"tree": self.branches, "top": self.top}
        )


def _walk(branch: Branch, above: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Every name with the groups above it, and whether it is a value rather than a group."""
    for name, below in branch.items():
        if isinstance(below, Mapping) and below:
            yield name, above, False
            yield from _walk(below, (name, *above))
        elif is_list(below) and below:
            yield name, above, False
            for value in below:
                if not isinstance(value, str):
                    raise _misshapen()
                yield value, (name, *above), True
        elif isinstance(below, Mapping) or is_list(below):
            yield name, above, True
        else:
            raise _misshapen()


def _misshapen() -> HierarchyError:
    return HierarchyError(
        "A tree must be a table of groups: each a list of values, or a table of smaller groups.",
        attempt='tree = { "Europe" = ["France"], "Asia" = { "East Asia" = ["Japan"] } }.',
    )


def _twice(what: str, one: tuple[str, ...], other: tuple[str, ...]) -> HierarchyError:
    places = " and ".join(f'"{above[0]}"' if above else "the top" for above in (one, other))
    return HierarchyError(
        "Every value of a tree has one place.",
        found=f"One {what} is there twice: under {places}.",
        attempt="removing one of them, or giving the groups distinct names.",
    )


DECLARATION = HierarchyDeclaration(
    key="tree",
    doc="groups of values, and groups of groups",
    record=TreeParameters,
    read=Tree.from_table,
    example={"tree": {"Europe": ["France"], "Asia": ["Japan"]}},
    key_schema={"$ref": "#/$defs/branch"},
    shown=("top",),
)
