"""States of the United States, by the Census Bureau's divisions and regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.parts import parameter

from .declaration import HierarchyDeclaration, keys_of
from .hierarchy import Hierarchy, Label
from .ladders import climb
from .parameters import Table, only_keys, wanted

# U.S. Census Bureau, "Census Regions and Divisions of the United States". Puerto Rico and the
# Island Areas are in none of its divisions; they are kept together here.
_CENSUS = {
    "Northeast": {
        "New England": "CT Connecticut; ME Maine; MA Massachusetts; NH New Hampshire; RI Rhode Island; VT "
        "Vermont",
        "Middle Atlantic": "NJ New Jersey; NY New York; PA Pennsylvania",
    },
    "Midwest": {
        "East North Central": "IL Illinois; IN Indiana; MI Michigan; OH Ohio; WI Wisconsin",
        "West North Central": "IA Iowa; KS Kansas; MN Minnesota; MO Missouri; NE Nebraska; ND North Dakota; "
        "SD South Dakota",
    },
    "South": {
        "South Atlantic": "DE Delaware; DC District of Columbia; FL Florida; GA Georgia; MD Maryland; "
        "NC North Carolina; SC South Carolina; VA Virginia; WV West Virginia",
        "East South Central": "AL Alabama; KY Kentucky; MS Mississippi; TN Tennessee",
        "West South Central": "AR Arkansas; LA Louisiana; OK Oklahoma; TX Texas",
    },
    "West": {
        "Mountain": "AZ Arizona; CO Colorado; ID Idaho; MT Montana; NV Nevada; NM New Mexico; UT Utah; "
        "WY Wyoming",
        "Pacific": "AK Alaska; CA California; HI Hawaii; OR Oregon; WA Washington",
    },
    "Island Areas": {
        "Island Areas": "AS American Samoa; GU Guam; MP Northern Mariana Islands; PR Puerto Rico; VI "
        "Virgin Islands",
    },
}


def _places() -> dict[str, tuple[str, str]]:
    out: dict[str, tuple[str, str]] = {}
    for region, divisions in _CENSUS.items():
        for division, states in divisions.items():
            for state in states.split("; "):
                code, name = state.split(" ", 1)
                out[code.casefold()] = out[name.casefold()] = (division, region)
    return out


_PLACES = _places()


@dataclass(frozen=True, slots=True, kw_only=True)
class UsStatesParameters:
    """The parameters of a table of states."""

    us_states: bool = parameter("true", example="true")


@dataclass(frozen=True, slots=True)
class UsStates:
    """State, by name or two-letter code in any case, then census division, then census region.

    Example:
        >>> UsStates().bind(["MA", "Vermont", "tx"]).labels[1:3]
        (('New England', 'West South Central'), ('Northeast', 'South'))
    """

    key: ClassVar[str] = "us_states"

    @classmethod
    def from_table(cls, table: Table) -> UsStates:
        only_keys(table, keys_of(UsStatesParameters), builder="us_states")
        if table["us_states"] is not True:
            raise wanted("us_states", "true")
        return cls()

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        return climb(
            values,
            lambda value: _PLACES.get(" ".join(value.split()).casefold()),
            level_names=("state", "division", "region", "suppressed"),
            uncovered="are neither the name nor the two-letter code of a state.",
            attempt="a tree or a CSV hierarchy where the field holds more than states.",
        )

    def describe(self) -> Mapping[str, object]:
        return {"us_states": True}


DECLARATION = HierarchyDeclaration(
    key="us_states",
    doc="states of the USA: division, region",
    record=UsStatesParameters,
    read=UsStates.from_table,
    example={"us_states": True},
    key_schema={"const": True},
    shown=("us_states",),
)
