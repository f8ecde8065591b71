"""Whether a source fits the policy's keys, links and people; every misfit at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sfumato.bins import Bins
from sfumato.engines import Database, Engine, Join, TableView
from sfumato.errors import PolicyError, Problem
from sfumato.policy import Order, Orphans, Policy, all_paths_to_person
from sfumato.wording import counted

from .one_table import NAME
from .row_counts import row_numbers
from .stage_columns import called_in_stages
from .table_view import Sight


def check_source(database: Database, policy: Policy, seen: Mapping[str, Sight]) -> dict[str, int]:
    """How many rows of each table are nobody's. Every key that repeats and every link that leads
    nowhere, where that is not allowed, is a problem of one PolicyError."""
    problems = [*_order(policy), *_told_aside(seen), *_called_alike(database, policy, seen)]
    problems += [*_unseen_sets(policy, seen), *_moved(seen)]
    if not problems:
        problems += [*_two_ways(database, policy), *_same_rows(database, seen)]
    orphans: dict[str, int] = {}
    for name, sight in seen.items():
        orphans[name] = _orphans(database, sight)
        problems += [
            *_keys(database, sight),
            *_nobodys(sight, orphans[name]),
            *_links(database, sight),
        ]
    if problems:
        if tuple(policy.tables) == (NAME,):
            problems = [replace(each, where=_in_one_table(each.where)) for each in problems]
        raise PolicyError(problems, name=f"Policy {policy.name}, compared with the source,")
    return orphans


def _in_one_table(where: str) -> str:
    """A place as the policy of a single table has it, which has no [tables]."""
    return where.removeprefix(f"tables.{NAME}").removeprefix(".") or "entity"


def _orphans(database: Database, sight: Sight) -> int:
    """Rows whose link to the table above is missing or leads nowhere, or that lack the person
    key."""
    if sight.person is None:
        return 0
    if sight.path:
        link = sight.path[0]
        return database.loose(sight.name, link.field, to=link.table, key=link.key, nulls=True)
    table = database.view(sight.view)
    counted = Bins.from_frequencies(table.rows_per_person(sight.person))
    return table.count_rows() - int((row_numbers(counted) * counted.counts).sum())


def _nobodys(sight: Sight, orphans: int) -> Iterator[Problem]:
    if orphans and sight.policy.orphans is Orphans.REFUSE:
        field = sight.path[0].field if sight.path else sight.person
        yield Problem(
            where=f"tables.{sight.name}",
            found=f"{counted(orphans, 'row is', 'rows are')} nobody's: {field} is missing, or "
            "leads to no row.",
            attempt=f'mending them, or orphans = "remove" under [tables.{sight.name}].'
            if sight.policy.links
            else f"mending them, leaving them out of the source, or another entity if {field} "
            "names no people.",
        )


def _order(policy: Policy) -> Iterator[Problem]:
    """Stages have no order of their own, so that of the source is lost on the way."""
    if policy.order is Order.KEEP:
        yield Problem(
            where="order",
            found="rows of linked tables, or of people who have several, cannot be kept in the "
            "order of the source.",
            attempt='order = "sorted", or "scramble".',
        )


def _told_aside(seen: Mapping[str, Sight]) -> Iterator[Problem]:
    """Released links of one table that are not on one path: another link could disclose what one of
    them hides."""
    for sight in seen.values():
        path = {link.table for link in sight.path}
        for link in sight.beside:
            where = f"tables.{sight.name}.links.{link.field}"
            if link.table not in path:
                yield Problem(
                    where=where,
                    found=f"{sight.name} also links to {sight.above}, and neither of "
                    f"{link.table} and {sight.above} "
                    "links to the other, so that its rows would have two parents.",
                    attempt='role = "direct" for one of them without replace, which removes it '
                    f"from {sight.name}.",
                )
            elif seen[link.table].linkable and not sight.linkable:
                yield Problem(
                    where=where,
                    found=f"it discloses the person of the rows of {sight.above}, whose own "
                    "link is removed.",
                    attempt=f"removing {link.field} too, or replacing the links on the way over "
                    f"{sight.above}.",
                )


def _called_alike(
    database: Database, policy: Policy, seen: Mapping[str, Sight]
) -> Iterator[Problem]:
    """A view calls what it brings TABLE.FIELD; a field of the table itself with such a name would
    be hidden by it."""
    for sight in seen.values():
        brought = {
            called for join in sight.view.joins for called in join.bring.values()
        } | called_in_stages(policy)
        for info in database.view(TableView(table=sight.name)).fields():
            if info.name in brought:
                yield Problem(
                    where=f"tables.{sight.name}.fields",
                    found=f"{info.name} is also what the field of another table is called here.",
                    attempt="another name for it, by a view in the source.",
                )


def _moved(seen: Mapping[str, Sight]) -> Iterator[Problem]:
    """A field that the recipient may link on is recoded, and its labels cannot be moved as
    dates."""
    for sight in seen.values():
        for item in sight.own:
            if sight.policy.fields[item.field].shift is not None:
                yield Problem(
                    where=f"tables.{sight.name}.fields.{item.field}.shift",
                    found=f"{item.field} is recoded, because the recipient may link on it, and "
                    "cannot be moved too.",
                    attempt=f"a hierarchy of dates alone, or another role for {item.field}.",
                )


def _unseen_sets(policy: Policy, seen: Mapping[str, Sight]) -> Iterator[Problem]:
    for asked in policy.require.each("k_m"):
        if not seen[asked.table].linkable:
            yield Problem(
                where="require.k_m",
                found=f"the release does not identify the person of a row of {asked.table}, "
                "so there are no sets.",
                attempt="leaving the requirement out, or replacing the person key and the links to "
                "it.",
            )


def _keys(database: Database, sight: Sight) -> Iterator[Problem]:
    key = sight.policy.key
    repeated = database.repeated(sight.name, key) if key else 0
    if repeated:
        yield Problem(
            where=f"tables.{sight.name}.key",
            found=f"{counted(repeated, f'value of {key} stands', f'values of {key} stand')} in "
            "more than "
            "one row, so links to it are not clear.",
            attempt="a field that is different in every row.",
        )


def _links(database: Database, sight: Sight) -> Iterator[Problem]:
    """Links to other tables than the one above, such as to a physician: they may be null, but not
    lead nowhere."""
    for link in sight.policy.links:
        if sight.path and link == sight.path[0]:
            continue
        loose = database.loose(sight.name, link.field, to=link.table, key=link.key)
        if loose:
            yield Problem(
                where=f"tables.{sight.name}.links.{link.field}",
                found=f"{counted(loose, 'row links', 'rows link')} to no row of {link.table}.",
                attempt="null in the source in place of such links.",
            )


def _two_ways(database: Database, policy: Policy) -> Iterator[Problem]:
    """Where two chains of links lead to the person, they lead to the same one."""
    for name in policy.tables:
        chains = all_paths_to_person(policy, name)
        for chain in chains[1:]:
            joins, people = [], []
            for number, links in enumerate((chains[0], chain)):
                at, last = links[0].field, len(links) - 1
                for place, link in enumerate(links[:last]):
                    called = f"way {number}, {place}"
                    joins.append(
                        Join(
                            field=at,
                            table=link.table,
                            key=link.key,
                            bring={links[place + 1].field: called},
                        )
                    )
                    at = called
                people.append(at)
            view = database.view(TableView(table=name, joins=tuple(joins)))
            differ = _different(view, people)
            if differ:
                yield Problem(
                    where=f"tables.{name}.links",
                    found=f"{counted(differ, 'pair of people is', 'pairs of people are')} "
                    "reached over "
                    "different links from the same rows.",
                    attempt="leaving out the link that is wrong.",
                )


def _same_rows(database: Database, seen: Mapping[str, Sight]) -> Iterator[Problem]:
    """Where two released links lead to one table on the way to the person, they lead to the same
    row of it."""
    for sight in seen.values():
        for link in sight.beside:
            steps = [step.table for step in sight.path]
            place = steps.index(link.table)
            if place + 1 == len(steps):
                continue  # The person's table, which is looked at for all chains.
            joins, at = [], sight.path[0].field
            for number, step in enumerate(sight.path[:place]):
                called = f"step {number}"
                bring = {sight.path[number + 1].field: called}
                joins.append(Join(field=at, table=step.table, key=step.key, bring=bring))
                at = called
            view = database.view(TableView(table=sight.name, joins=tuple(joins)))
            differ = _different(view, [link.field, at])
            if differ:
                yield Problem(
                    where=f"tables.{sight.name}.links.{link.field}",
                    found=f"{counted(differ, 'pair of rows is', 'pairs of rows are')} reached "
                    "over different links "
                    f"from the same rows, in {link.table}.",
                    attempt="leaving out the link that is wrong.",
                )


def _different(view: Engine, people: list[str]) -> int:
    out = 0
    for batch in view.distinct(people):
        first, second = (batch[name] for name in people)
        out += int((first != second).sum())
    return out
