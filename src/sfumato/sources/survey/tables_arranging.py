"""Putting tables in their places: which links lead to the person, which of them stay, and whose rows each table has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..database import Database, Join, TableView
from .tables_keys import MOST_LOOSE, Links
from .tables_people import leading_to
from .tables_records import FoundLink, Standing


@dataclass
class Arranged:
    """The links that stay, the way to the person first, and what was decided about the others, in words."""

    person: str
    links: Links
    keys: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def targets(self) -> dict[str, list[str]]:
        return {name: [link.table for link in found] for name, found in self.links.items()}

    def standing(self, name: str) -> Standing:
        of_people = leading_to(self.targets(), self.person)
        if name == self.person:
            return Standing.PEOPLE
        if name in of_people:
            return Standing.OF_PEOPLE
        return Standing.REFERENCE if name in self._reached((self.person, *of_people)) else Standing.LEFT_OUT

    def order(self) -> tuple[str, ...]:
        """The person's table, those that lead to it, those that these link to, the rest."""
        of_people = leading_to(self.targets(), self.person)
        reached = self._reached((self.person, *of_people))
        return tuple(dict.fromkeys((self.person, *of_people, *reached, *self.links)))

    def _reached(self, start: tuple[str, ...]) -> tuple[str, ...]:
        found = list(start)
        for name in found:
            found += [link.table for link in self.links[name] if link.table not in found]
        return tuple(found)

    @property
    def linked(self) -> set[str]:
        """The tables that others link to."""
        return {link.table for found in self.links.values() for link in found} | {self.person}


def arrange(database: Database, person: str, links: Links, keys: Mapping[str, str]) -> Arranged:
    """Keep the links that a policy can have: none that closes a circle, leads nowhere or to someone else."""
    out = Arranged(person=person, links={name: () for name in links}, keys=dict(keys))
    towards = {name: [link.table for link in found] for name, found in links.items()}
    near = (person, *leading_to(towards, person))
    for target in near:  # From the person outwards, so that ways to the person are kept before anything else.
        for name in near:
            for link in links[name]:
                if link.table == target:
                    _keep(database, out, name, link)
    for name, found in links.items():
        for link in found:
            if link.table not in near:
                _keep(database, out, name, link)
    return out


def _keep(database: Database, out: Arranged, name: str, link: FoundLink) -> None:
    circle = name == link.table or link.table in leading_to(out.targets(), name)
    again = any(mine.table == link.table for mine in out.links[name])
    if circle or again or link.key != out.keys[link.table]:
        return
    first = next((mine for mine in out.links[name] if _leads(out, mine.table)), None)
    if not _leads(out, link.table) or first is not None:
        if link.loose:
            out.warnings.append(
                f"{name}.{link.field} is no link: {link.loose:,} of its values are not in {link.target} "
                f"(up to {MOST_LOOSE:.0%} may be missing only on the way to the person)."
            )
            return
        both = first is not None and _leads(out, link.table)
        differing = _differing(database, out, name, (first, link)) if first is not None and both else 0
        if differing:
            out.warnings.append(
                f"{name}.{link.field} is no link: it leads to another person than {name} itself in {differing:,} "
                "case(s), so it is removed."
            )
            return
    out.links[name] += (link,)


def _leads(out: Arranged, table: str) -> bool:
    return table == out.person or table in leading_to(out.targets(), out.person)


def _differing(database: Database, out: Arranged, name: str, links: tuple[FoundLink, FoundLink]) -> int:
    """How many pairs of different people two links reach from the same rows."""
    joins: list[Join] = []
    people: list[str] = []
    for number, link in enumerate(links):
        at = link.field
        for place, (here, onward) in enumerate(_onward(out, link)):
            called = f"way {number}, {place}"
            joins.append(Join(field=at, table=here.table, key=here.key, bring={onward.field: called}))
            at = called
        people.append(at)
    if people[0] == people[1]:
        return 0
    view = database.view(TableView(table=name, joins=tuple(joins)))
    return sum(int((batch[people[0]] != batch[people[1]]).sum()) for batch in view.distinct(people))


def _onward(out: Arranged, link: FoundLink) -> Iterator[tuple[FoundLink, FoundLink]]:
    """Each link on the way to the person with the one after it; none where the first reaches the person."""
    while link.table != out.person:
        following = next(mine for mine in out.links[link.table] if _leads(out, mine.table))
        yield link, following
        link = following
