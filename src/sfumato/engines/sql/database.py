"""A database over SQL: tables of one session, joined along their links."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import ClassVar, Self

from sqlglot import exp

from sfumato.errors import Bug, SourceError
from sfumato.policy import NullWords

from ..asked_names import no_field
from ..database import Join, TableView
from ..engine import Abilities, Engine, FieldInfo, FieldKind, Snapshot
from ..file_snapshot import blame_change
from .cells import every_row
from .engine import SqlEngine
from .queries import SOURCE, Queries, column, count_all, is_there, named
from .session import SqlSession

LIKE_THEMSELVES = (FieldKind.TEXT, FieldKind.INTEGER)


class SqlDatabase:
    """Tables of one session. `tables` maps their names to the expressions for them in a FROM."""

    name: ClassVar[str] = "sql"
    abilities: ClassVar[Abilities]
    engine: ClassVar[type[SqlEngine]] = SqlEngine

    def __init__(self, session: SqlSession, tables: Mapping[str, exp.Expr], *, title: str) -> None:
        self.title = title
        self._session = session
        self._tables = dict(sorted(tables.items()))
        self._queries: Queries = session.queries()
        self._infos: dict[str, dict[str, FieldInfo]] = {}
        self._tidy = contextlib.ExitStack()
        self._substituted: set[str] = set()

    @property
    def session(self) -> SqlSession:
        """The session, for targets that write where the rows are."""
        return self._session

    def tables(self) -> tuple[str, ...]:
        return tuple(self._tables)

    def _from(self, name: str, alias: str) -> exp.Expr:
        if name not in self._tables:
            raise SourceError(
                f"{self.title} has no table called {name!r}.",
                attempt=f"one of {', '.join(self._tables)}.",
            )
        return exp.alias_(
            self._tables[name].copy(), exp.to_identifier(alias, quoted=True), table=True
        )

    def _fields(self, name: str) -> dict[str, FieldInfo]:
        if name not in self._infos:
            with self._session.reading(self._title(name)):
                found = self._session.describe(self._from(name, SOURCE))
            self._infos[name] = {info.name: info for info in found}
        return self._infos[name]

    def _field(self, name: str, field: str) -> FieldInfo:
        if field not in self._fields(name):
            raise no_field(self._title(name), field, list(self._fields(name)))
        return self._fields(name)[field]

    def _title(self, name: str) -> str:
        return f"table {name} of {self.title}"

    def read_as_null(self, words: Mapping[str, NullWords]) -> None:
        for name, chosen in words.items():
            if chosen and name in self._tables:
                fields = tuple(self._fields(name).values())
                source = exp.alias_(self._tables[name].copy(), SOURCE, table=True)
                self._tables[name] = self._session.queries(source).with_nulls(fields, chosen)
                self._infos.pop(name)

    def join_fields(self, joined: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        for name, made in joined.items():
            if made:
                fields = tuple(self._fields(name).values())
                source = exp.alias_(self._tables[name].copy(), SOURCE, table=True)
                self._tables[name] = self._session.queries(source).with_joined(fields, made)
                self._infos.pop(name)

    def substitute(self, stages: Mapping[str, Engine]) -> None:
        for name, stage in stages.items():
            if not isinstance(stage, SqlEngine):
                raise Bug("a stage of another engine was given.")
            self._tables[name] = stage.source()
            self._infos.pop(name, None)
            self._substituted.add(name)

    def view(self, view: TableView, *, stages: Mapping[str, Engine] | None = None) -> Engine:
        seen = _Seen(self, dict(stages or {}))
        source = seen.query(view).subquery(SOURCE)
        engine = type(self).engine.over(self._session, source, title=self._title(view.table))
        stage = (stages or {}).get(view.joins[0].table) if len(view.joins) == 1 else None
        if isinstance(stage, SqlEngine) and view.table not in (stages or {}):
            engine.hangs_on = view.joins[0], stage
        self._tidy.callback(engine.close)
        if view.table not in (stages or {}):
            engine.table_alone = self._from(view.table, SOURCE), frozenset(self._fields(view.table))
        if view.joins:
            engine.spread_source = lambda step: seen.query(view, step=step).subquery(SOURCE)
        return engine

    def _same(self, mine: FieldInfo, mine_in: str, theirs: FieldInfo, theirs_in: str) -> exp.Expr:
        """Whether a link has the value of a key: as they are stored where they are of one kind,
        else as text."""
        if (
            mine.kind is theirs.kind
            and mine.kind in LIKE_THEMSELVES
            and mine.declared == theirs.declared
        ):
            return exp.EQ(
                this=column(mine.name, mine_in), expression=column(theirs.name, theirs_in)
            )
        as_text = self._queries.as_text
        return exp.EQ(this=as_text(mine, mine_in), expression=as_text(theirs, theirs_in))

    def loose(self, table: str, field: str, *, to: str, key: str, nulls: bool = False) -> int:
        same = self._same(self._field(table, field), "t", self._field(to, key), "k")
        found = exp.select("1").from_(self._from(to, "k")).where(same)
        query = exp.select(named(count_all(), "n")).from_(self._from(table, "t"))
        query = query.where(exp.Not(this=exp.Exists(this=found)))
        query = query if nulls else query.where(is_there(column(field, "t")))
        return self._number(table, query)

    def repeated(self, table: str, key: str) -> int:
        info = self._field(table, key)
        plain = self._queries.groups_plainly(info)
        value = column(key) if plain else self._queries.as_text(info)
        each = exp.select(named(value, "v"), named(count_all(), "n")).from_(
            self._from(table, SOURCE)
        )
        each = each.where(is_there(column(key))).group_by(exp.Literal.number(1))
        query = exp.select(named(count_all(), "n")).from_(each.subquery("each"))
        return self._number(
            table, query.where(exp.GT(this=column("n"), expression=exp.Literal.number(1)))
        )

    def _number(self, table: str, query: exp.Expr) -> int:
        with self._session.reading(self._title(table)):
            return int(self._session.rows(query)[0][0])

    def snapshot(self) -> Snapshot:
        return self._session.snapshot()

    def close(self) -> None:
        self._tidy.close()
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            blame_change(self, error)
        finally:
            self.close()


class _Seen:
    """A view being put together: where each of its fields is found."""

    def __init__(self, database: SqlDatabase, stages: dict[str, Engine]) -> None:
        self._database, self._stages = database, stages

    def query(self, view: TableView, *, step: int = 1) -> exp.Select:
        """The rows of the view; with `step`, of every so many-th row of the table itself, chosen
        before anything is joined."""
        own = self._infos(view.table)
        missing = [name for name in view.fields or () if name not in own]
        if missing:
            raise no_field(view.table, missing[0], list(own))
        found = {
            name: (info, "t")
            for name, info in own.items()
            if view.fields is None or name in view.fields
        }
        reachable = {name: (info, "t") for name, info in own.items()} | found
        query = exp.select().from_(every_row(self._table(view.table, "t"), "t", own, step=step))
        for number, join in enumerate(view.joins):
            alias = f"j{number}"
            query = self._joined(query, join, alias, reachable)
            brought = self._infos(join.table)
            for name, called in join.bring.items():
                if called in found:
                    raise Bug("two fields of a view have one name.")
                found[called] = reachable[called] = (brought[name], alias)
        return query.select(
            *(named(column(info.name, at), name) for name, (info, at) in found.items())
        )

    def _joined(
        self,
        query: exp.Select,
        join: Join,
        alias: str,
        reachable: Mapping[str, tuple[FieldInfo, str]],
    ) -> exp.Select:
        mine, mine_in = reachable[join.field]
        same = self._database._same(mine, mine_in, self._infos(join.table)[join.key], alias)
        how = "inner" if join.table in self._stages else "left"
        return query.join(self._table(join.table, alias), on=same, join_type=how)

    def _infos(self, name: str) -> dict[str, FieldInfo]:
        if name in self._stages:
            return {info.name: info for info in self._stages[name].fields()}
        return self._database._fields(name)

    def _table(self, name: str, alias: str) -> exp.Expr:
        stage = self._stages.get(name)
        if stage is None:
            return self._database._from(name, alias)
        if not isinstance(stage, SqlEngine):
            raise Bug("a stage of another engine was given.")
        return exp.alias_(stage.source(), exp.to_identifier(alias, quoted=True), table=True)
