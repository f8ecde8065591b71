"""Private synthesis of several tables: people first, then rows that belong to them.

How many children a row has is one of its fields, and so it is drawn with them. A child's fields are
drawn given its parent's. Keys are fresh numbers, so that every link leads to a row. A field that is
never before another is counted as the distance between the two, or drawn again where it would be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import (
    FROM_THE_POLICY,
    PrivacyAccount,
    PrivacyLimit,
    displayed_epsilon,
)
from sfumato.engines import Engine, FieldKind, TableView, WritePlan, declared_text
from sfumato.errors import Mistake, PolicyError, Problem, SourceError
from sfumato.policy import (
    DeclaredDomain,
    LinkedSynthesis,
    LinkedTable,
    earlier_domain,
    linked_synthesis_as_table,
)
from sfumato.synthesis import (
    CodedTable,
    DomainField,
    ForbiddenCells,
    ForbiddenChildren,
    draw_children,
    synthesise,
)

from ..manifest import Manifest, ReleaseShape
from .coded_stage import nobodys, row_quota
from .field_codes import (
    MOST_CELLS,
    FieldCoder,
    RangeCoder,
    ValueCoder,
    even_edges,
    kind_of,
    number_grid,
    steps_of,
)
from .people_rows import kept_rows
from .private_domain import cut_range, domain_share, finest_cells, is_long, select_values
from .table_file import TABLE, write_table
from .useful_noise import check_noise, check_selection, stated_shares, usefulness_of_tables

PEOPLE_SHARE: Final = 0.25
"""The share of the budget for the table of people; the others share the rest."""
DELTA_SHARE: Final = 0.1
STATEMENT: Final = (
    "These rows are synthetic: models that were measured with noise made them, and no row is a "
    "person's. The account bounds what can be learned about one person, with all their rows in all "
    "tables; it does not hide what is true of many."
)
Wholes = NDArray[np.int64]


@dataclass(eq=False, kw_only=True)
class _Drawn:
    """A table that was made: codes and cells by field, the key of each row, that of its parent, and
    the place of the parent's row."""

    specs: tuple[DomainField, ...]
    codes: tuple[Wholes, ...]
    maps: tuple[Wholes, ...]
    columns: dict[str, list[Any]]
    parents: Wholes
    children: dict[str, Wholes]

    @property
    def rows(self) -> int:
        return len(self.codes[0])


@dataclass(eq=False, kw_only=True)
class _Source:
    """Rows of a table that are counted: their cells, their codes, and the place of their parent."""

    cells: dict[str, list[Any]]
    keys: list[Any]
    parents: Wholes
    kinds: dict[str, FieldKind]
    codes: tuple[Wholes, ...] = ()


@dataclass(eq=False, kw_only=True)
class LinkedRun:
    """One run of a policy of several tables."""

    policy: LinkedSynthesis
    progress: Callable[[str], None]
    chance: np.random.Generator
    sources: dict[str, _Source] = field(default_factory=dict)
    coders: dict[str, list[FieldCoder]] = field(default_factory=dict)
    drawn: dict[str, _Drawn] = field(default_factory=dict)
    determinants: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    outside: dict[str, float] = field(default_factory=dict)
    """The share of drawn cells outside of a field's values or range, by TABLE.FIELD."""

    def __post_init__(self) -> None:
        policy = self.policy
        self.limit = PrivacyLimit(epsilon=policy.epsilon, delta=policy.delta)
        self.account = PrivacyAccount.of_run(
            epsilon=policy.epsilon,
            delta=policy.delta,
            limit=policy.limit,
            file=policy.folder / policy.account if policy.account else None,
        )
        self.account.note_outside(
            f"names, links and declared domains of the tables{FROM_THE_POLICY}"
        )

    def read(self, database: Any) -> None:
        """The rows that are counted: of each parent at most so many, and none without a parent."""
        engines = {}
        known = database.tables()
        missing = [each.name for each in self.policy.tables if each.name not in known]
        if missing:
            raise PolicyError(
                [
                    Problem(where="synthesis.tables", found=f"The source has no table {name}.")
                    for name in missing
                ],
                name=f"Policy {self.policy.name}",
            )
        problems: list[Problem] = []
        for each in self.policy.tables:
            engines[each.name] = database.view(TableView(table=each.name))
            names = [info.name for info in engines[each.name].fields()]
            problems += _field_problems(each, names)
        if problems:
            raise PolicyError(problems, name=f"Policy {self.policy.name}")
        for each in self.policy.tables:
            self.progress(f"reading {each.name}")
            self.sources[each.name] = self._read(engines[each.name], each)

    def _read(self, engine: Engine, table: LinkedTable) -> _Source:
        asked = list(dict.fromkeys([*table.fields, *filter(None, (table.key, table.link))]))
        if table.parent and table.key:
            _check_key(engine, table)
        cells: dict[str, list[Any]] = {name: [] for name in asked}
        kinds = {info.name: info.kind for info in engine.fields()}
        # The engine cuts the rows of each parent, so that no more are read than are counted.
        person, most = (table.link, table.most) if table.parent else (table.key, 1)
        plan = WritePlan(
            fields=tuple(asked), drop=nobodys(person), quota=row_quota(engine, person, most)
        )
        with engine.staged(plan) as stage:
            for batch in stage.cells(asked):
                for name in asked:
                    found = batch[f"cell:{name}"].tolist()
                    cells[name].extend(declared_text(cell, kinds[name]) for cell in found)
        if table.parent:
            places = {key: n for n, key in enumerate(self.sources[table.parent].keys)}
            links = [places.get(each) for each in cells[table.link]]
            kept = kept_rows(links, table.most, self.chance)
            parents = np.array([links[n] for n in kept.tolist()], np.int64)
        else:
            # A person with two rows is counted once.
            kept = kept_rows(cells[table.key], 1, self.chance)
            parents = np.zeros(len(kept), np.int64)
        rows = kept.tolist()
        held = {name: [cells[name][n] for n in rows] for name in table.fields}
        keys = [cells[table.key][n] for n in rows] if table.key else []
        return _Source(cells=held, keys=keys, parents=parents, kinds=kinds)

    def measure(self) -> None:
        """Everything private, table by table."""
        selects = sum(len(each.select) for each in self.policy.tables)
        delta = DELTA_SHARE * self.policy.delta / max(1, selects)
        whole = self.limit.rho(Fraction(delta) * selects)
        for table in self.policy.tables:
            self._check_noise(table, whole, delta)
        self.account.check_left(
            whole, f"Synthetic tables of epsilon {self.policy.epsilon:g} were asked for."
        )
        for table in self.policy.tables:
            share = self._share(table)
            self.progress(f"measuring {table.name}")
            before = self.account.rho
            self._code(table, share * whole, delta)
            left = share * whole - (self.account.rho - before)
            if table.parent:
                self._draw_children(table, left)
            else:
                self._draw_people(table, left)

    def _share(self, table: LinkedTable) -> Fraction:
        """The share of the budget of a table."""
        others = len(self.policy.tables) - 1
        if not others:
            return Fraction(1)
        return Fraction(PEOPLE_SHARE if not table.parent else (1 - PEOPLE_SHARE) / others)

    def _check_noise(self, table: LinkedTable, rho: Fraction, delta: float) -> None:
        """Refuse a budget that nothing can be done with in a table. Rows of children are counted
        beside the fields of their parent."""
        policy = self.policy
        parts = [table] if not table.parent else [table, policy.table(table.parent)]
        fields = sum(len(each.fields) + len(policy.children(each)) for each in parts)
        rows = policy.rows_per_person(table)
        share = rho * self._share(table)
        try:
            check_noise(
                epsilon=policy.epsilon,
                rho=share,
                fields=fields,
                rows_per_person=rows,
                people=None if policy.people is None else policy.people * rows,
            )
            check_selection(
                epsilon=policy.epsilon,
                rho=domain_share(len(self._costly(table))) * share,
                delta=delta,
                select=table.select,
                rows_per_person=rows,
                people=policy.people,
            )
        except Mistake as refused:
            raise Mistake(
                f"Synthetic tables of epsilon {policy.epsilon:g} were asked for.",
                found=f"Table {table.name}: {refused.found}",
                attempt="a higher epsilon, fewer fields, lists in place of select, or a lower most.",
            ) from None

    def _costly(self, table: LinkedTable) -> list[str]:
        """The fields whose domains cost something."""
        return [
            name
            for name in table.fields
            if name in table.select or is_long(self._domain(table, name))
        ]

    def _code(self, table: LinkedTable, rho: Fraction, delta: float) -> None:
        source, most = self.sources[table.name], self.policy.rows_per_person(table)
        shapes = {name: self._domain(table, name) for name in table.domains}
        costly = self._costly(table)
        each = domain_share(len(costly)) * rho
        coders: list[FieldCoder] = []
        codes: list[Wholes] = []
        for name in table.fields:
            cells, label = self._cells(table, name), f"{table.name}.{name}"
            if name in table.select:
                held, counts = _counted(cells)
                coder: FieldCoder = select_values(
                    label, held, counts, self.account, rho=each, delta=delta, rows_per_person=most
                )
            elif name in costly:
                fine = _fine_counts(cells, shapes[name])
                coder = cut_range(
                    label, shapes[name], fine, self.account, rho=each, rows_per_person=most
                )
            elif shapes[name].is_range:
                edges = even_edges(steps_of(shapes[name]), MOST_CELLS)
                coder = RangeCoder(name=label, domain=shapes[name], edges=edges)
            else:
                values = shapes[name].values
                coder = ValueCoder(name=label, values=values, kind=source.kinds[name])
            coders.append(coder)
            codes.append(coder.encode(cells))
        self.coders[table.name] = coders
        source.codes = tuple(codes)

    def _gap(self, table: LinkedTable, name: str) -> str:
        """The field of the same table that this one is never before, which it is counted from."""
        earlier = table.after.get(name, "")
        return earlier if earlier in table.domains else ""

    def _domain(self, table: LinkedTable, name: str) -> DeclaredDomain:
        own, earlier = table.domains[name], self._gap(table, name)
        if not earlier:
            return own
        most = max(own.most - table.domains[earlier].least, own.step)
        return DeclaredDomain(least=0.0, most=most, step=own.step)

    def _cells(self, table: LinkedTable, name: str) -> list[Any]:
        cells, earlier = self.sources[table.name].cells, self._gap(table, name)
        if not earlier:
            return cells[name]
        later, first = (numbers_of(cells[each], table.domains[each]) for each in (name, earlier))
        gaps = np.maximum(later - first, 0.0)
        return [None if np.isnan(gap) else gap for gap in gaps.tolist()]

    def _table(self, table: LinkedTable) -> CodedTable:
        """Own fields, then how many rows each table of children has for a row."""
        source = self.sources[table.name]
        rules = [self._own_codes(table, rule) for rule in table.never]
        fields = [
            coder.spec([codes[n] for codes in rules if n in codes])
            for n, coder in enumerate(self.coders[table.name])
        ]
        codes = list(source.codes)
        for child in self.policy.children(table):
            fields.append(
                DomainField(
                    name=f"{table.name}.rows of {child.name}", size=child.most + 1, ordered=True
                )
            )
            counted = np.bincount(self.sources[child.name].parents, minlength=len(source.keys))
            codes.append(counted.astype(np.int64))
        return CodedTable(
            fields=tuple(fields),
            codes=tuple(codes),
            rows_per_person=self.policy.rows_per_person(table),
            # Rules of a table of children also name fields above it, and are kept as rows are drawn.
            forbidden=()
            if table.parent
            else tuple(
                ForbiddenCells(
                    fields=tuple(sorted(each)), codes=tuple(each[n] for n in sorted(each))
                )
                for each in rules
            ),
        )

    def _own_codes(
        self, table: LinkedTable, rule: Mapping[str, tuple[str, ...]]
    ) -> dict[int, frozenset[int]]:
        """The codes that a rule names, by the place of each field that is the table's own."""
        out = {}
        for name, values in rule.items():
            if name in table.domains:
                place = table.fields.index(name)
                coder = self.coders[table.name][place]
                assert isinstance(coder, ValueCoder)
                out[place] = coder.codes_of(values)
        return out

    def _forbidden(self, table: LinkedTable, slots: Wholes) -> list[ForbiddenChildren]:
        """The rules of a table of children, for the drawn rows of its parent at `slots`."""
        out = []
        for rule in table.never:
            own = self._own_codes(table, rule)
            rows = np.ones(len(slots), bool)
            for name, values in rule.items():
                if name not in table.domains:
                    rows &= self._has_values_above(table, name, values, slots)
            out.append(ForbiddenChildren(fields=tuple(own), codes=tuple(own.values()), rows=rows))
        return out

    def _has_values_above(
        self, table: LinkedTable, name: str, values: Sequence[str], rows: Wholes
    ) -> NDArray[np.bool_]:
        """Whether the row above that has a field has one of some values, for each row of a table."""
        place, _, _ = earlier_domain(self.policy, table, name)
        here = self.policy.table(table.parent)
        while here.name != place:
            rows = self.drawn[here.name].parents[rows]
            here = self.policy.table(here.parent)
        cells = np.isin(np.array(self.drawn[place].columns[name], object), list(values))
        return cells[rows]

    def _draw_people(self, table: LinkedTable, rho: Fraction) -> None:
        coded = self._table(table)
        made = synthesise(coded, self.account, rho=rho)
        self.determinants[table.name] = {
            "measured together": [
                " with ".join(coded.fields[n].name.split(".", 1)[1] for n in group)
                for group in made.groups
            ]
        }
        self._keep(table, coded, made.codes, made.maps, np.zeros(made.rows, np.int64))

    def _draw_children(self, table: LinkedTable, rho: Fraction) -> None:
        above, own = self.drawn[table.parent], self._table(table)
        real = self.sources[table.name].parents
        parents = self._parent_codes(table)
        joint = CodedTable(
            fields=(
                *own.fields,
                *(
                    DomainField(
                        name=f"{table.name}.{spec.name}",
                        size=int(bins.max()) + 1,
                        ordered=spec.ordered,
                    )
                    for spec, bins in zip(above.specs, above.maps, strict=True)
                ),
            ),
            codes=(
                *own.codes,
                *(bins[codes[real]] for bins, codes in zip(above.maps, parents, strict=True)),
            ),
            rows_per_person=own.rows_per_person,
        )
        slots = np.repeat(np.arange(above.rows), above.children[table.name])
        made = draw_children(
            joint,
            len(own.fields),
            [bins[codes[slots]] for bins, codes in zip(above.maps, above.codes, strict=True)],
            self.account,
            rho=rho,
            chance=self.chance,
            forbidden=self._forbidden(table, slots),
        )
        self.determinants[table.name] = {
            own.fields[n].name.split(".", 1)[1]: [
                joint.fields[m].name.split(".", 1)[1] for m in before
            ]
            for n, before in made.determinants.items()
        }
        self._keep(table, own, made.codes, made.maps, slots)

    def _parent_codes(self, table: LinkedTable) -> tuple[Wholes, ...]:
        return self._table(self.policy.table(table.parent)).codes

    def _keep(
        self,
        table: LinkedTable,
        coded: CodedTable,
        codes: Sequence[Wholes],
        maps: Sequence[Wholes],
        parents: Wholes,
    ) -> None:
        children = self.policy.children(table)
        fields = len(coded.fields) - len(children)
        drawn = _Drawn(
            specs=coded.fields,
            codes=tuple(codes),
            maps=tuple(maps),
            columns={},
            parents=parents,
            children={child.name: codes[fields + n] for n, child in enumerate(children)},
        )
        self.drawn[table.name] = drawn
        waiting = list(zip(table.fields, self.coders[table.name], codes[:fields], strict=True))
        # A field that is counted from another one is decoded after it.
        waiting.sort(key=lambda each: _depth(table, each[0]))
        for name, coder, column in waiting:
            shares = np.isin(column, coder.outside)
            self.outside[coder.name] = float(shares.mean()) if len(shares) else 0.0
            drawn.columns[name] = self._decoded(table, name, coder, column)
        drawn.columns = {name: drawn.columns[name] for name in table.fields}

    def _decoded(
        self, table: LinkedTable, name: str, coder: FieldCoder, codes: Wholes
    ) -> list[Any]:
        cells: list[Any] = coder.decode(codes, self.chance)
        if name not in table.after:
            return cells
        domain = table.domains[name]
        first = self._earlier(table, table.after[name])
        if self._gap(table, name):
            gaps = np.array([np.nan if cell is None else float(cell) for cell in cells], float)
            numbers = np.maximum(np.minimum(first + gaps, domain.most), first)
            # Without the earlier one, nothing is known of the later one either.
            return _texts(numbers, domain)
        numbers = numbers_of(cells, domain)
        return _texts(_moved(numbers, first, self.chance), domain)

    def _earlier(self, table: LinkedTable, name: str) -> NDArray[np.float64]:
        """The numbers of a field of this table, or of one above it, for each row."""
        place, _, domain = earlier_domain(self.policy, table, name)
        assert domain is not None
        here, rows = table, np.arange(self.drawn[table.name].rows)
        while here.name != place:
            rows = self.drawn[here.name].parents[rows]
            here = self.policy.table(here.parent)
        return numbers_of(self.drawn[place].columns[name], domain)[rows]

    def write(self, folder: Path, file_format: str, created: str) -> dict[str, Any]:
        """Write every table and the manifest's facts."""
        entries = {}
        for table in self.policy.tables:
            self.progress(f"writing {table.name}")
            drawn = self.drawn[table.name]
            columns: dict[str, Sequence[Any]] = {}
            kinds: dict[str, FieldKind] = {}
            if table.key:
                columns[table.key] = list(range(1, drawn.rows + 1))
                kinds[table.key] = FieldKind.INTEGER
            if table.parent and table.link != table.key:
                columns[table.link] = (drawn.parents + 1).tolist()
                kinds[table.link] = FieldKind.INTEGER
            columns |= drawn.columns
            for name, coder in zip(table.fields, self.coders[table.name], strict=True):
                kind = kind_of(coder)
                if kind is not None and not table.domains[name].days:
                    kinds[name] = kind
            entries[table.name] = write_table(
                folder, f"{TABLE}_{table.name}", columns, kinds=kinds, file_format=file_format
            )
        account = self.account.as_dict()
        rows = {name: int(entry["rows"]) for name, entry in entries.items()}
        ranges = [
            coder.name
            for coders in self.coders.values()
            for coder in coders
            if isinstance(coder, RangeCoder)
        ]
        beyond = stated_shares(self.outside, ranges)
        listed = stated_shares(self.outside, [n for n in self.outside if n not in ranges])
        outcome, reason = usefulness_of_tables(
            account["measurements"], rows, {**self.outside, **beyond}
        )
        facts = {
            "tables": {
                each.name: {
                    "rows_per_person": self.policy.rows_per_person(each),
                    "drawn_given": self.determinants[each.name],
                }
                for each in self.policy.tables
            },
            "account_is_kept": bool(self.policy.account),
            **({"beyond_range": beyond} if beyond else {}),
            **({"other_values": listed} if listed else {}),
            **({"reason": reason} if reason else {}),
        }
        return Manifest(
            shape=ReleaseShape.SYNTHETIC,
            created=created,
            outcome=outcome,
            sections={
                "statement": STATEMENT,
                "tables": entries,
                "synthesis": facts,
                "account": account,
                "policy": linked_synthesis_as_table(self.policy),
            },
        ).as_dict()

    def result(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        first = self.policy.tables[0].name
        return {
            "manifest": facts,
            "rows": facts["tables"][first]["rows"],
            "epsilon": self.account.epsilon,
            "delta": self.policy.delta,
            "epsilon_of_all": displayed_epsilon(self.account.spent(), self.policy.delta),
            "outcome": facts["outcome"],
        }


def _check_key(engine: Engine, table: LinkedTable) -> None:
    """Refuse a key that two rows share: the rows of one person would be linked to another."""
    if table.key not in engine.fields_without_repeats((table.key,)):
        raise SourceError(
            f"The key {table.key} of {table.name} is in more than one row.",
            attempt="a field that numbers each row once.",
        )


def _counted(cells: Sequence[Any]) -> tuple[list[str], Wholes]:
    """The values that occur, and how often."""
    counted = Counter(cell for cell in cells if cell is not None)
    values = sorted(counted)
    return values, np.array([counted[value] for value in values], np.int64)


def _fine_counts(cells: Sequence[Any], domain: DeclaredDomain) -> Wholes:
    """Counts of the finest cells of a range."""
    grid = number_grid(domain, finest_cells(domain))
    places = grid.places(numbers_of(cells, domain))
    return np.bincount(places, minlength=grid.size)[: grid.cells]


def _depth(table: LinkedTable, name: str) -> int:
    depth = 0
    while name in table.after:
        name, depth = table.after[name], depth + 1
    return depth


def numbers_of(cells: Sequence[Any], domain: DeclaredDomain) -> NDArray[np.float64]:
    coder = RangeCoder(name="", domain=domain, edges=np.array([0, 1]))
    return coder.numbers(cells)


def _texts(numbers: NDArray[np.float64], domain: DeclaredDomain) -> list[Any]:
    coder = RangeCoder(name="", domain=domain, edges=np.array([0, 1]))
    return [None if np.isnan(each) else coder.text(each) for each in numbers.tolist()]


def _moved(
    numbers: NDArray[np.float64], first: NDArray[np.float64], chance: np.random.Generator
) -> NDArray[np.float64]:
    """Numbers that are before their bound are drawn again from those that are not; where none is
    left, the bound itself is taken."""
    early = np.flatnonzero(numbers < first)
    if not len(early):
        return numbers
    held = np.sort(numbers[np.isfinite(numbers)])
    least = np.searchsorted(held, first[early], side="left")
    left = len(held) - least
    places = np.minimum(least + (chance.random(len(early)) * left).astype(np.int64), len(held) - 1)
    out = numbers.copy()
    out[early] = np.where(left > 0, held[places], first[early])
    return out


def _field_problems(table: LinkedTable, names: Sequence[str]) -> list[Problem]:
    if TABLE in names:
        raise SourceError(
            f"The table {table.name} has a field {TABLE}, which would mark synthetic rows.",
            attempt="another name for it.",
        )
    decided = {*table.fields, *table.leave_out, *filter(None, (table.key, table.link))}
    where = f"synthesis.tables.{table.name}"
    out = [
        Problem(
            where=f"{where}.domains.{name}",
            found=f"Nobody has said which values {name} may have.",
            attempt=f'a list or a range, select = ["{name}"], or leave_out.',
        )
        for name in names
        if name not in decided
    ]
    return out + [
        Problem(where=where, found=f"The table has no field {name}.")
        for name in sorted(decided - set(names))
    ]
