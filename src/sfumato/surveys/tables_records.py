"""The result of a survey of several tables: the owner of their rows, their keys and links. No
record holds a cell value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sfumato.policy import Policy, Role

from .linked_twins import LinkedDependence
from .records import FieldSurvey, Survey


class RowOwner(StrEnum):
    """The owner of the rows of a table."""

    PEOPLE = "one row for each person"
    OF_PEOPLE = "rows of people"
    REFERENCE = "rows of nobody"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLink:
    """A field whose values are those of a key in another table, and the evidence for it.

    `loose` rows have a value that is not there, `missing` rows have none, and `alone` rows one that
    no other row has. With `exact`, it is declared or has the key's name, and not only a similar
    one."""

    field: str
    table: str
    key: str
    loose: int = 0
    missing: int = 0
    alone: int = 0
    exact: bool = True
    reasons: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        return f"{self.table}.{self.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSurvey:
    """One of several tables. `key` is what others link to, empty where none does; `sets` are the
    fields of which a person has a set of values that could be protected together; `unused` are
    links that were found and not kept."""

    name: str
    survey: Survey
    standing: RowOwner
    key: str = ""
    links: tuple[FoundLink, ...] = ()
    sets: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    unused: tuple[FoundLink, ...] = ()

    @property
    def fields(self) -> tuple[FieldSurvey, ...]:
        return self.survey.fields

    @property
    def orphans(self) -> int:
        """Rows that are nobody's, because their way to the person is missing or leads nowhere."""
        if self.standing is not RowOwner.OF_PEOPLE:
            return 0
        return self.links[0].loose + self.links[0].missing


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TablesSurvey:
    """Everything a survey found about several tables: the person's first, then those that lead to
    it, then the rest.

    `reading` is how their files were read. `linked` are the fields of one table that determine a
    field of another one.
    """

    title: str
    tables: tuple[TableSurvey, ...]
    warnings: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    linked: tuple[LinkedDependence, ...] = ()

    @property
    def person(self) -> TableSurvey:
        """The table with one row for each person."""
        return self.tables[0]

    @property
    def entity(self) -> str:
        """The person key, as TABLE.FIELD."""
        return f"{self.person.name}.{self.person.key}"

    @property
    def released(self) -> tuple[TableSurvey, ...]:
        """The tables that the proposed policy names."""
        return tuple(item for item in self.tables if item.standing is not RowOwner.LEFT_OUT)

    def table(self, name: str) -> TableSurvey:
        """The table called `name`."""
        return next(item for item in self.tables if item.name == name)

    @property
    def disclosed(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """By table and field, the fields of other tables, as TABLE.FIELD, that the proposed policy
        lets a field disclose. A person has to decide about each."""
        out: dict[str, dict[str, tuple[str, ...]]] = {}
        for found in self.linked:
            if _discloses(found, self):
                own = out.setdefault(found.table, {})
                own[found.fields[0]] = (*own.get(found.fields[0], ()), found.target)
        return out

    @property
    def policy(self) -> Policy:
        """The policy that it proposes, and that a person has to confirm."""
        from .tables_policy import propose_tables_policy

        return propose_tables_policy(self)

    def __repr__(self) -> str:
        from .survey_markup import summarise_tables

        return f"<{summarise_tables(self)}>"

    def _repr_html_(self) -> str:
        from .survey_markup import tables_markup

        return tables_markup(self)


def _discloses(found: LinkedDependence, survey: TablesSurvey) -> bool:
    """Whether fields that may be released in clear determine one that is treated. Where all are
    quasi-identifiers, the bins count them."""
    table, other = survey.table(found.table), survey.table(found.other)
    roles = [table.survey.field(name).proposal.role for name in found.fields]
    twin = other.survey.field(found.twin).proposal
    if twin.role is Role.DIRECT or twin.shift is not None:
        return True
    return twin.role is Role.QUASI and any(role is not Role.QUASI for role in roles)
