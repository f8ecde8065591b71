"""The view of each table: with the person of each row, and with the quasi-identifiers of the tables
above it.

A *view* has the table's own fields under their names, and the fields of linked tables as
TABLE.FIELD."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.engines import Join, TableView
from sfumato.policy import (
    Link,
    LooksAt,
    Policy,
    Role,
    TablePolicy,
    holds_unlinked,
    order_of_tables,
    person_field,
    person_table,
)


@dataclass(frozen=True, kw_only=True)
class Quasi:
    """A quasi-identifier that the recipient may link on: its table, and its name in a view."""

    table: str
    field: str
    called: str

    @property
    def name(self) -> str:
        return f"{self.table}.{self.field}"


@dataclass(frozen=True, kw_only=True)
class Sight:
    """One table as a release sees it. `person` is the name of the person key in its view; None
    where rows are nobody's.

    `path` are the links that lead to the person, `above` the first table on it, the parent of these
    rows. With `linkable`, the release shows which rows are one person's: of several paths, one that
    is released is taken. `beside` are the other links towards the person that are released.
    `values` are the sensitive fields of tables above whose values are counted in the bins of this
    one."""

    name: str
    policy: TablePolicy
    person: str | None
    above: str | None
    view: TableView
    quasi: tuple[Quasi, ...] = ()
    values: tuple[Quasi, ...] = ()
    path: tuple[Link, ...] = ()
    beside: tuple[Link, ...] = ()
    linkable: bool = True

    @property
    def own(self) -> tuple[Quasi, ...]:
        """The quasi-identifiers of this table itself."""
        return tuple(item for item in self.quasi if item.table == self.name)

    @property
    def is_person(self) -> bool:
        """Whether this is the table that has the person key."""
        return self.person is not None and self.above is None

    @property
    def is_unique(self) -> bool:
        """Whether each person has one row here; in a single table with several rows of each, nobody
        has."""
        return self.is_person and bool(self.policy.key)


def sights(policy: Policy) -> dict[str, Sight]:
    """Every table of the policy, parents first."""
    out: dict[str, Sight] = {}
    for name in order_of_tables(policy):
        out[name] = _sight(policy, name, out)
    return out


def known_in(policy: Policy, table: str) -> tuple[str, ...]:
    """The quasi fields of a table that the recipient may link on, or all where the solver protects
    the others too."""
    fields = policy.tables[table].fields
    quasi = [name for name, decided in fields.items() if decided.role is Role.QUASI]
    if holds_unlinked(policy):
        return tuple(quasi)
    return tuple(name for name in quasi if links_on(policy, table, name) > 0)


def links_on(policy: Policy, table: str, name: str) -> float:
    """P_f of a field: by TABLE.FIELD, or by its plain name in the person's table."""
    profile = policy.profile
    if f"{table}.{name}" in profile.linking:
        return profile.linking[f"{table}.{name}"]
    return profile.links_on(name) if table == person_table(policy) else profile.default_linking


def tolerates(policy: Policy, table: str, name: str) -> float:
    """How much distortion of a field the recipient tolerates, by the same names."""
    profile = policy.profile
    if f"{table}.{name}" in profile.distortion:
        return profile.distortion[f"{table}.{name}"]
    return profile.tolerates(name) if table == person_table(policy) else profile.default_distortion


def _sight(policy: Policy, name: str, before: dict[str, Sight]) -> Sight:
    table = policy.tables[name]
    own = tuple(Quasi(table=name, field=field, called=field) for field in known_in(policy, name))
    if name != person_table(policy) and not any(before[link.table].person for link in table.links):
        return Sight(
            name=name, policy=table, person=None, above=None, view=TableView(table=name), quasi=()
        )
    if name == person_table(policy):
        person = person_field(policy)
        return Sight(
            name=name,
            policy=table,
            person=person,
            above=None,
            view=TableView(table=name),
            quasi=own,
            linkable=_leaves(table, person),
        )
    link = min(table.links, key=lambda link: _preferred(table, link, before[link.table]))
    parent = before[link.table]
    values = tuple(
        Quasi(table=item.table, field=item.field, called=item.name)
        for item in (*parent.values, *_sensitive(policy, link.table))
    )
    brought = {_there(item, link.table): item.name for item in (*parent.quasi, *values)}
    assert parent.person is not None
    if parent.is_person:
        # The link itself names the person.
        person, bring = link.field, brought
    else:
        person = _called(policy)
        bring = {parent.person: person} | brought
    join = Join(field=link.field, table=link.table, key=link.key, bring=bring)
    quasi = tuple(
        Quasi(table=item.table, field=item.field, called=item.name) for item in parent.quasi
    )
    return Sight(
        name=name,
        policy=table,
        person=person,
        above=link.table,
        view=TableView(table=name, joins=(join,)),
        quasi=(*quasi, *own),
        values=values,
        path=(link, *parent.path),
        beside=tuple(
            other
            for other in table.links
            if other != link
            and before[other.table].person is not None
            and _leaves(table, other.field)
        ),
        linkable=parent.linkable and _leaves(table, link.field),
    )


def _sensitive(policy: Policy, table: str) -> tuple[Quasi, ...]:
    """The sensitive fields of a table, where something is required of such values."""
    if not any(True for _ in policy.require.looking_at(LooksAt.SENSITIVE)):
        return ()
    fields = policy.tables[table].fields.items()
    return tuple(
        Quasi(table=table, field=name, called=name)
        for name, decided in fields
        if decided.role is Role.SENSITIVE
    )


def _preferred(table: TablePolicy, link: Link, parent: Sight) -> tuple[bool, bool, int]:
    """Links to people first, then those that the release shows; of these the longest, else the
    shortest.

    Where a diagnosis names its visit and its patient, its parent is the visit, whose parent is the
    patient. Both links stay whole, and known fields of the visit are counted with it."""
    leaves = _leaves(table, link.field)
    return parent.person is None, not leaves, -len(parent.path) if leaves else len(parent.path)


def _leaves(table: TablePolicy, name: str) -> bool:
    """Whether a key or a link is released, under another name."""
    decided = table.fields[name].replace
    return decided is not None and decided.tells_rows_apart


def _there(item: Quasi, table: str) -> str:
    """The name of a quasi-identifier in the stage of the table above: own fields by their names."""
    return item.field if item.table == table else item.name


def _called(policy: Policy) -> str:
    return f"{person_table(policy)}.{person_field(policy)}"
