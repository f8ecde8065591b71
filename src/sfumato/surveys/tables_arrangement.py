"""The arrangement of tables: the links that lead to the person, those that are kept, and the owner
of each table's rows.

A table is attached by the link with the longest way to the person. A diagnosis that names its visit
and its patient belongs to the visit, which belongs to the patient. Another link stays beside it
where it leads to the same row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sfumato.engines import Database, Engine, Join, TableView
from sfumato.wording import counted

from .tables_keys import Links
from .tables_people import leading_to
from .tables_records import FoundLink, RowOwner

MOST_ORPHANS = 0.1
"""A table is not attached by a link under which more than this share of its rows belongs to nobody,
if it has another."""


@dataclass
class TableArrangement:
    """The links that stay, the one that attaches the table first, and the decisions about the
    others, in words."""

    person: str
    keys: Mapping[str, str]
    links: Links
    paths: dict[str, tuple[FoundLink, ...]] = field(default_factory=dict)
    """The way to the person from each table that has one; empty from the person's own."""
    warnings: list[str] = field(default_factory=list)

    def standing(self, name: str) -> RowOwner:
        if name == self.person:
            return RowOwner.PEOPLE
        if name in self.paths:
            return RowOwner.OF_PEOPLE
        return RowOwner.REFERENCE if name in self._reached() else RowOwner.LEFT_OUT

    def order(self) -> tuple[str, ...]:
        """The person's table, those that lead to it, those that these link to, the rest."""
        return tuple(dict.fromkeys((*self._reached(), *self.links)))

    def _reached(self) -> tuple[str, ...]:
        found = list(self.paths)
        for name in found:
            found += [link.table for link in self.links[name] if link.table not in found]
        return tuple(found)

    @property
    def linked(self) -> set[str]:
        """The tables that others link to, and the person's."""
        return {link.table for found in self.links.values() for link in found} | {self.person}


def arrange(
    database: Database,
    person: str,
    links: Links,
    *,
    keys: Mapping[str, str],
    rows: Mapping[str, int],
) -> TableArrangement:
    """Keep the links that a policy can have: none that closes a circle, leads nowhere, or to
    someone else."""
    possible = _without_circles(person, links, keys)
    near = {person, *leading_to(_targets(possible), person)}
    out = TableArrangement(
        person=person, keys=keys, links={name: () for name in links}, paths={person: ()}
    )
    while waiting := [name for name in links if name in near and name not in out.paths]:
        for name in waiting:
            leading = [link for link in possible[name] if link.table in near]
            if all(link.table in out.paths for link in leading):
                _hang(database, out, name, leading, rows=rows[name])
    for name, found in possible.items():
        for link in found:
            reason = _why_no_reference(link, rows[name]) if link.table not in near else ""
            if reason:
                out.warnings.append(f"{name}.{link.field} is no link, and is removed: {reason}.")
            elif link.table not in near:
                out.links[name] += (link,)
    return out


def _why_no_reference(link: FoundLink, rows: int) -> str:
    """Why a link cannot lead to a reference table; empty where it can."""
    if link.loose:
        return f"{counted(link.loose, 'value is', 'values are')} not in {link.target}"
    if rows > 1 and link.alone > (rows - link.missing) / 2:
        return (
            f"most of its values are in one row only, so that the rows of {link.table} would "
            "belong to people"
        )
    return ""


def _targets(links: Links) -> dict[str, list[str]]:
    return {name: [link.table for link in found] for name, found in links.items()}


def _without_circles(person: str, links: Links, keys: Mapping[str, str]) -> Links:
    """Links to keys, one to each table at most; those nearer to the person are kept before what
    closes a circle."""
    order = dict.fromkeys((person, *leading_to(_targets(links), person), *links))
    out: Links = {name: () for name in links}
    for target in order:
        for name in order:
            for link in links[name]:
                if (
                    link.table != target
                    or link.key != keys[target]
                    or target in _targets(out)[name]
                ):
                    continue
                if name != target and target not in leading_to(_targets(out), name):
                    out[name] += (link,)
    return out


def _hang(
    database: Database, out: TableArrangement, name: str, leading: list[FoundLink], *, rows: int
) -> None:
    """Choose the link that attaches a table, and the others that lead to the same rows."""
    few = [link for link in leading if link.loose + link.missing <= MOST_ORPHANS * rows]
    first = (
        max(few, key=lambda link: len(out.paths[link.table]))
        if few
        else min(leading, key=lambda link: link.loose + link.missing)
    )
    path = (first, *out.paths[first.table])
    out.paths[name] = path
    out.links[name] = (first,)
    for link in leading:
        if link is first:
            continue
        reason = _why_not(database, name, path, link)
        if reason:
            out.warnings.append(
                f"{name}.{link.field} is no link beside {first.field}, and is removed: {reason}."
            )
        else:
            out.links[name] += (link,)


def _why_not(database: Database, name: str, path: tuple[FoundLink, ...], link: FoundLink) -> str:
    """Why a link cannot be kept beside the one that attaches the table; empty where it can."""
    steps = [step.table for step in path]
    if link.table not in steps:
        return f"neither of {link.table} and {path[0].table} leads to the other"
    if link.loose:
        return f"{counted(link.loose, 'value is', 'values are')} not in {link.target}"
    joins, at = _joins(path[: steps.index(link.table) + 1])
    view = database.view(TableView(table=name, joins=joins))
    differ = sum(
        int((batch[link.field] != batch[at]).sum()) for batch in view.distinct((link.field, at))
    )
    return (
        f"the two lead to different rows of {link.table} in {counted(differ, 'case')}"
        if differ
        else ""
    )


def _joins(path: Sequence[FoundLink]) -> tuple[tuple[Join, ...], str]:
    """The joins along a way that bring the last link's field into the first table, and its name there."""
    joins, at = [], path[0].field
    for number, (step, after) in enumerate(pairwise(path)):
        called = f"step {number}"
        joins.append(Join(field=at, table=step.table, key=step.key, bring={after.field: called}))
        at = called
    return tuple(joins), at


def person_view(database: Database, name: str, arranged: TableArrangement) -> tuple[Engine, str]:
    """A table of people's rows, with the field that identifies the person of each, joined over its
    links."""
    path = arranged.paths[name]
    if not path:
        return database.view(TableView(table=name)), arranged.keys[name]
    joins, at = _joins(path)
    return database.view(TableView(table=name, joins=joins)), at
