"""Doing one statement in a session: a question is asked, a setting kept, a transaction believed in.

Nothing at a gate is ever changed by a client, so transactions hold nothing together. Clients count
on them all the same: that BEGIN is followed by COMMIT, and that after an error nothing is answered
until ROLLBACK."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pygwire import TransactionStatus
from sqlglot import exp

from sfumato.errors import NotAdmitted

from ..accounts import GateAccount
from ..sql.condition_reader import conjuncts
from .cells import ResultColumn
from .claim_calls import COLUMNS, is_claim_call, read_claim
from .parameters import written
from .question_desk import Desk
from .results import Result, of_rows
from .statement_plan import Plan
from .statements import Sort, Statement, setting_of
from .variables import REPORTED, SHAPE, Variables

SHAPES: Final = "sfumato.shapes"
_ENDS: Final = (Sort.COMMIT, Sort.ROLLBACK, Sort.BACK_TO)


@dataclass(eq=False, kw_only=True)
class Doer:
    """The knowledge of one session: its account, its variables, whether it believes in a
    transaction, and its last question."""

    desk: Desk
    account: GateAccount
    variables: Variables
    process: int
    database: str
    status: TransactionStatus = TransactionStatus.IDLE
    forget: Callable[[str], None] = field(default=lambda _: None)
    """Forgets a prepared statement by its name; all of them where it is empty."""
    last: str = ""
    key: bytes = field(default=b"", repr=False)
    """With which a query of this session can be cancelled."""

    async def do(self, plan: Plan) -> Result:
        """Do a statement. Clients rely on this after an error: nothing but the end of it is
        done."""
        sort = plan.statement.sort
        if self.status is TransactionStatus.ERROR_TRANSACTION and sort not in _ENDS:
            raise NotAdmitted(
                "The transaction has failed; nothing is answered until it ends.",
                code="failed-transaction",
                attempt="ROLLBACK.",
            )
        if plan.types and not plan.is_bound:
            raise NotAdmitted("There is no parameter $1.", code="no-parameter")
        if sort in (Sort.QUERY, Sort.EXPLAIN, Sort.OTHER):
            return await self._query(plan)
        if sort is Sort.SHOW and plan.statement.name.lower() == SHAPES:
            return await self._shapes()
        return _DOES[sort](self, plan.statement)

    def failed(self) -> None:
        """An error: a transaction has failed with it."""
        if self.status is TransactionStatus.IN_TRANSACTION:
            self.status = TransactionStatus.ERROR_TRANSACTION

    async def _query(self, plan: Plan) -> Result:
        if plan.of_catalogue and plan.tree is not None and plan.statement.sort is Sort.QUERY:
            changed = self._configured(plan.tree)
            found = await self.desk.catalogue(
                self.account,
                plan.tree,
                variables=self.variables,
                process=self.process,
                database=self.database,
            )
            return Result(tag=found.tag, columns=found.columns, rows=found.rows, changed=changed)
        if plan.tree is not None and is_claim_call(plan.tree):
            claim = read_claim(plan.tree, epsilon=self.variables.epsilon)
            explained = plan.statement.sort is Sort.EXPLAIN
            return await self.desk.validate(self.account, claim, forecast=explained)
        if plan.statement.sort is Sort.QUERY and only_columns(plan.tree) is not None:
            return of_rows(await self.announced(plan), ())
        sql = plan.sql
        if plan.statement.sort is Sort.EXPLAIN:
            self.last = sql
            return await self.desk.look(self.account, sql, epsilon=self.variables.epsilon)
        result = await self.desk.ask(
            self.account,
            sql,
            shape=self.variables[SHAPE],
            mode=self.variables.mode,
            epsilon=self.variables.epsilon,
        )
        self.last = sql
        return result

    async def announced(self, plan: Plan) -> tuple[ResultColumn, ...]:
        """The columns that a question's answer will have, without asking it; its own where it asks
        for no rows."""
        if is_claim_call(plan.tree):
            return COLUMNS
        blank = only_columns(plan.tree)
        sql = plan.sql if blank is None else written(blank)
        return await self.desk.announced(self.account, sql, marked=blank is None)

    def _configured(self, tree: exp.Expr) -> dict[str, str]:
        """`SELECT set_config(name, value, false)`, which some clients use in place of SET."""
        changed: dict[str, str] = {}
        for call in tree.find_all(exp.Anonymous):
            words = [each.name for each in call.expressions[:2] if isinstance(each, exp.Literal)]
            if call.name.lower() == "set_config" and len(words) == 2:
                changed |= self._changed(self.variables.set(words[0], words[1]))
        return changed

    async def _shapes(self) -> Result:
        if not self.last:
            raise NotAdmitted(
                "Nothing was asked yet.", code="not-this-value", attempt="EXPLAIN and a query."
            )
        return await self.desk.look(self.account, self.last, epsilon=self.variables.epsilon)

    def _changed(self, name: str) -> dict[str, str]:
        return {REPORTED[name]: self.variables[name]} if name in REPORTED else {}

    # ---------------------------------------------------------------- habits of clients

    def _begin(self, statement: Statement) -> Result:
        already = self.status is not TransactionStatus.IDLE
        self.status = TransactionStatus.IN_TRANSACTION
        return Result(tag="BEGIN", notices=("There is a transaction already.",) if already else ())

    def _end(self, statement: Statement) -> Result:
        failed = self.status is TransactionStatus.ERROR_TRANSACTION
        nothing = self.status is TransactionStatus.IDLE
        self.status = TransactionStatus.IDLE
        word = "ROLLBACK" if failed or statement.sort is Sort.ROLLBACK else "COMMIT"
        return Result(tag=word, notices=("There is no transaction.",) if nothing else ())

    def _back(self, statement: Statement) -> Result:
        self._inside(statement)
        self.status = TransactionStatus.IN_TRANSACTION
        return Result(tag="ROLLBACK")

    def _inside(self, statement: Statement) -> Result:
        if self.status is TransactionStatus.IDLE:
            raise NotAdmitted(
                "Savepoints are allowed in transactions only.", code="syntax", attempt="BEGIN."
            )
        return Result(tag=statement.sort.value)

    def _set(self, statement: Statement) -> Result:
        found = setting_of(statement.text)
        if found is None:
            return Result(tag="SET")
        if found.value is None:
            self.variables.reset(found.name)
            return Result(tag="SET", changed=self._changed(found.name.lower()))
        return Result(tag="SET", changed=self._changed(self.variables.set(found.name, found.value)))

    def _reset(self, statement: Statement) -> Result:
        everything = statement.name.upper() == "ALL"
        self.variables.reset("" if everything else statement.name)
        names = REPORTED if everything else (statement.name.lower(),)
        return Result(
            tag="RESET", changed={k: v for name in names for k, v in self._changed(name).items()}
        )

    def _show(self, statement: Statement) -> Result:
        words = " ".join(statement.name.lower().split())
        name = {
            "transaction isolation level": "transaction_isolation",
            "time zone": "timezone",
        }.get(words, words)
        if name == "all":
            rows = [(key, value, "") for key, value in sorted(self.variables.all().items())]
            return of_rows(
                (ResultColumn("name"), ResultColumn("setting"), ResultColumn("description")),
                rows,
                word="SHOW",
            )
        return of_rows(
            (ResultColumn(REPORTED.get(name, name)),), [(self.variables[name],)], word="SHOW"
        )

    def _discard(self, statement: Statement) -> Result:
        if statement.text.split()[-1].upper() == "ALL":
            self.variables.reset()
            self.forget("")
        return Result(tag="DISCARD ALL")

    def _deallocate(self, statement: Statement) -> Result:
        everything = statement.name.upper() == "ALL"
        self.forget("" if everything else statement.name.strip('"'))
        return Result(tag="DEALLOCATE ALL" if everything else "DEALLOCATE")

    def _nothing(self, statement: Statement) -> Result:
        return Result(tag=statement.sort.value)


_DOES: Final[dict[Sort, Callable[[Doer, Statement], Result]]] = {
    Sort.BEGIN: Doer._begin,
    Sort.COMMIT: Doer._end,
    Sort.ROLLBACK: Doer._end,
    Sort.BACK_TO: Doer._back,
    Sort.SAVEPOINT: Doer._inside,
    Sort.RELEASE: Doer._inside,
    Sort.SET: Doer._set,
    Sort.RESET: Doer._reset,
    Sort.SHOW: Doer._show,
    Sort.DISCARD: Doer._discard,
    Sort.DEALLOCATE: Doer._deallocate,
    Sort.CLOSE: Doer._nothing,
    Sort.UNLISTEN: Doer._nothing,
}


# Questions for no rows, as clients ask them to learn what columns a query has: `WHERE 0 = 1`,
# `LIMIT 0`.
# They are answered with the columns alone, from the policy: nobody is looked at, nothing is
# shown, nothing is spent.

_HOLDS: Final[Mapping[type[exp.Expr], Callable[[int, int], bool]]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.GT: operator.gt,
    exp.LT: operator.lt,
}


def only_columns(tree: exp.Expr | None) -> exp.Expr | None:
    """The query without what keeps every row out; None where it asks for rows.

    A number over no rows is a row all the same, unless rows are limited to none.

    Example:
        >>> import sqlglot
        >>> for end in ("WHERE (0 = 1) AND a > 2", "LIMIT 0", "LIMIT 1"):
        ...     found = only_columns(sqlglot.parse_one(f"SELECT a FROM t {end}", read="postgres"))
        ...     print(found and found.sql())
        SELECT a FROM t WHERE a > 2
        SELECT a FROM t
        None
    """
    if not isinstance(tree, exp.Select):
        return None
    limit = tree.args.get("limit")
    if isinstance(limit, exp.Limit) and limit.expression.is_number and limit.expression.name == "0":
        out = tree.copy()
        out.set("limit", None)
        return out
    where = tree.args.get("where")
    parts = list(conjuncts(where.this)) if where else []
    kept = [part for part in parts if not _never(part)]
    if len(kept) == len(parts) or any(each.find(exp.AggFunc) for each in tree.expressions):
        return None
    out = tree.copy()
    out.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    return out


def _never(condition: exp.Expr) -> bool:
    """Whether a condition compares whole numbers that are written out, and does not hold; or is
    FALSE."""
    if isinstance(condition, exp.Boolean):
        return not condition.this
    holds = _HOLDS.get(type(condition))
    left, right = _whole(condition.args.get("this")), _whole(condition.args.get("expression"))
    return holds is not None and left is not None and right is not None and not holds(left, right)


def _whole(side: object) -> int | None:
    return int(side.name) if isinstance(side, exp.Literal) and side.is_int else None
