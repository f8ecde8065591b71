"""A session: somebody has logged in, and now asks, simply or in the parts of the extended protocol.

In the extended protocol a statement is parsed, values are bound to it, it is described and executed, each in a message;
after an error everything is passed over until the client says Sync.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, Final, TypeVar

from pygwire.messages import (
    Bind,
    BindComplete,
    Close,
    CloseComplete,
    CommandComplete,
    Describe,
    EmptyQueryResponse,
    Execute,
    Flush,
    FunctionCall,
    NoData,
    ParameterDescription,
    ParameterStatus,
    Parse,
    ParseComplete,
    PGMessage,
    PortalSuspended,
    Query,
    ReadyForQuery,
    Sync,
    Terminate,
)
from sqlglot import exp

from sfumato.errors import NotAdmitted

from .cells import Column, data_rows
from .conversation import Conversation, Malformed
from .doing import Doer
from .line import HungUp
from .parameters import constant
from .planning import Plan, check_one
from .portals import Portal, Prepared, as_announced, described, form_of, forms
from .refusals import Place, broken, notice, refusal
from .results import Result
from .statements import Sort, Statement

T = TypeVar("T")
AT_ONCE: Final = 500
"""Rows that are written before others have their turn."""
MOST_KEPT: Final = 200
"""Prepared statements, and portals, of one session."""
QUIET: Final = ("warning", "error", "log", "fatal", "panic")


class Session:
    """One client, from its first question to its last."""

    def __init__(self, conversation: Conversation, doer: Doer, *, idle: float) -> None:
        self._conversation, self._doer, self._idle = conversation, doer, idle
        self._prepared: dict[str, Prepared] = {}
        self._portals: dict[str, Portal] = {}
        self._skips = False
        self._doing: asyncio.Future[Any] | None = None
        self._cancelled = False
        doer.forget = self._forget

    def cancel(self) -> None:
        """Somebody asked, with the session's key, to end what it is doing."""
        if self._doing is not None:
            self._cancelled = True
            self._doing.cancel()

    async def run(self) -> None:
        """Until the client leaves."""
        self._ready()
        while True:
            await self._conversation.flush()
            try:
                message = await self._conversation.next(seconds=self._idle)
            except Malformed as error:
                await self._end(error.told)
                return
            if isinstance(message, Terminate):
                return
            await self._met(message)

    async def _end(self, told: str) -> None:
        self._conversation.say(broken(told))
        await self._conversation.flush()

    async def _met(self, message: PGMessage) -> None:
        match message:
            case Query():
                await self._simple(message.query_string)
            case Sync():
                self._skips = False
                self._ready()
            case FunctionCall():
                error = NotAdmitted("Functions are not called at a gate.", code="not-listed")
                self._refuse(error)
                self._ready()
            case Flush():
                pass
            case _ if not self._skips:
                try:
                    await self._extended(message)
                except (HungUp, asyncio.CancelledError):
                    raise
                except Exception as error:
                    self._refuse(error, self._place(message))
                    self._skips = True

    def _ready(self) -> None:
        self._conversation.say(ReadyForQuery(status=self._doer.status))

    def _refuse(self, error: Exception, place: Place | None = None) -> None:
        self._doer.failed()
        self._conversation.say(refusal(error, place))

    # ---------------------------------------------------------------- simple

    async def _simple(self, text: str) -> None:
        self._portals.pop("", None)
        statement: Statement | None = None
        try:
            plans = await self._planned(text)
            check_one(plans)
            for each in plans:
                statement = each.statement
                result = await self._cancellable(self._doer.do(each))
                await self._tell(result, [0] * len(result.columns or ()))
            if not plans:
                self._conversation.say(EmptyQueryResponse())
        except (HungUp, asyncio.CancelledError):
            raise
        except Exception as error:
            place = Place(start=_start_of(statement), text=_text_of(statement)) if statement else None
            self._refuse(error, place)
        self._ready()

    async def _planned(self, text: str, types: Sequence[int] = ()) -> tuple[Plan, ...]:
        return await self._cancellable(self._doer.desk.planned(self._doer.account, text, types=types))

    async def _tell(self, result: Result, formats: Sequence[int]) -> None:
        if result.columns is not None:
            self._conversation.say(described(result.columns, formats))
            await self._rows(result.rows, result.columns, formats)
        self._beside(result)
        self._conversation.say(CommandComplete(tag=result.tag))

    async def _rows(self, rows: Sequence[Sequence[Any]], columns: Sequence[Column], formats: Sequence[int]) -> None:
        for start in range(0, len(rows), AT_ONCE):
            self._conversation.say_rows(data_rows(rows[start : start + AT_ONCE], columns, formats))
            await self._conversation.flush()
            await asyncio.sleep(0)

    def _beside(self, result: Result) -> None:
        if self._doer.variables["client_min_messages"].lower() not in QUIET:
            self._conversation.say(*(notice(each) for each in result.notices))
        self._conversation.say(*(ParameterStatus(name=name, value=value) for name, value in result.changed.items()))

    async def _cancellable(self, doing: Awaitable[T]) -> T:
        """Do something that a request to cancel can end. What the keeper has begun it ends, but nobody is told."""
        self._cancelled = False
        task: asyncio.Future[T] = asyncio.ensure_future(doing)
        self._doing = task
        try:
            return await task
        except asyncio.CancelledError:
            if not self._cancelled:
                task.cancel()
                raise
            raise NotAdmitted("The query was cancelled, as was asked.", code="cancelled") from None
        finally:
            self._doing = None

    # ---------------------------------------------------------------- extended

    async def _extended(self, message: PGMessage) -> None:
        match message:
            case Parse():
                await self._parse(message)
            case Bind():
                self._bind(message)
            case Describe():
                await self._describe(message)
            case Execute():
                await self._execute(message)
            case Close():
                self._close(message)
            case _:
                raise NotAdmitted("This message may not come now.", code="syntax")

    async def _parse(self, message: Parse) -> None:
        if message.statement and message.statement in self._prepared:
            raise NotAdmitted("There is a prepared statement of this name.", code="already-there")
        if len(self._prepared) >= MOST_KEPT:
            raise NotAdmitted("There are too many prepared statements.", code="too-long", attempt="DEALLOCATE ALL.")
        plans = await self._planned(message.query, message.param_types)
        if len(plans) > 1:
            raise NotAdmitted("One query is asked at a time.", code="several", attempt="one statement.")
        self._prepared[message.statement] = Prepared(plan=plans[0] if plans else None)
        self._conversation.say(ParseComplete())

    def _bind(self, message: Bind) -> None:
        prepared = self._found(self._prepared, message.statement, "no-statement")
        if len(self._portals) >= MOST_KEPT:
            raise NotAdmitted("There are too many portals.", code="too-long", attempt="closing some.")
        types = prepared.plan.types if prepared.plan else ()
        if len(message.param_values) != len(types):
            raise NotAdmitted(f"The query has {len(types)} parameters.", code="parameter")
        constants = [
            constant(value, oid, form=form_of(message.param_formats, number, len(types)))
            for number, (value, oid) in enumerate(zip(message.param_values, types, strict=True))
        ]
        bound = prepared.plan.bound(constants) if prepared.plan else None
        self._portals[message.portal] = Portal(prepared=prepared, plan=bound, formats=tuple(message.result_formats))
        self._conversation.say(BindComplete())

    async def _describe(self, message: Describe) -> None:
        if message.kind == "S":
            await self._describe_statement(self._found(self._prepared, message.name, "no-statement"))
            return
        portal = self._found(self._portals, message.name, "no-portal")
        result = await self._done(portal)
        columns = result.columns if result else None
        self._conversation.say(described(columns, forms(portal.formats, columns)) if columns else NoData())

    async def _describe_statement(self, prepared: Prepared) -> None:
        self._conversation.say(ParameterDescription(type_oids=list(prepared.plan.types if prepared.plan else ())))
        columns = await self._announced(prepared.plan) if prepared.plan else None
        prepared.announced = columns
        self._conversation.say(described(columns, [0] * len(columns)) if columns else NoData())

    async def _announced(self, plan: Plan) -> tuple[Column, ...] | None:
        """The columns of a statement that has no values yet."""
        sort = plan.statement.sort
        if sort is Sort.QUERY and plan.of_catalogue:
            blank = plan.bound([exp.Null()] * len(plan.types))
            return (await self._cancellable(self._doer.do(blank))).columns
        if sort is Sort.QUERY or sort is Sort.OTHER:
            blank = plan.bound([exp.Literal.number(0)] * len(plan.types))
            return await self._doer.desk.announced(self._doer.account, blank.sql)
        if sort is Sort.SHOW:
            return (Column(plan.statement.name),)
        return None

    async def _execute(self, message: Execute) -> None:
        portal = self._found(self._portals, message.portal, "no-portal")
        result = await self._done(portal)
        if result is None:
            self._conversation.say(EmptyQueryResponse())
            return
        if result.columns is not None:
            most = message.max_rows or len(result.rows)
            rows = result.rows[portal.sent : portal.sent + most]
            await self._rows(rows, result.columns, forms(portal.formats, result.columns))
            portal.sent += len(rows)
            if message.max_rows and portal.sent < len(result.rows):
                self._conversation.say(PortalSuspended())
                return
        self._beside(result)
        self._conversation.say(CommandComplete(tag=result.tag))

    async def _done(self, portal: Portal) -> Result | None:
        """What a portal gives: it is asked once, when it is first described or executed."""
        if portal.plan is None:
            return None
        if portal.result is None:
            result = await self._cancellable(self._doer.do(portal.plan))
            portal.result = as_announced(result, portal.prepared.announced)
        return portal.result

    def _close(self, message: Close) -> None:
        if message.kind == "S":
            self._prepared.pop(message.name, None)
        else:
            self._portals.pop(message.name, None)
        self._conversation.say(CloseComplete())

    def _forget(self, name: str) -> None:
        if not name:
            self._prepared.clear()
        elif self._prepared.pop(name, None) is None:
            raise NotAdmitted("There is no prepared statement of this name.", code="no-statement")

    def _found(self, kept: dict[str, T], name: str, code: str) -> T:
        if name not in kept:
            raise NotAdmitted("There is nothing of this name.", code=code)
        return kept[name]

    def _place(self, message: PGMessage) -> Place | None:
        """Where a statement of the extended protocol stands; after its values are put in, places are others."""
        portal = self._portals.get(getattr(message, "portal", getattr(message, "name", "")))
        if portal is None or portal.plan is None:
            return None
        statement = portal.plan.statement
        return Place(start=statement.start, text=statement.text, bound=portal.plan.is_bound)


def _start_of(statement: Statement) -> int:
    """Where the query of a statement begins in what was sent."""
    return statement.start + (statement.text.find(statement.name) if statement.sort is Sort.EXPLAIN else 0)


def _text_of(statement: Statement) -> str:
    return statement.name if statement.sort is Sort.EXPLAIN else statement.text
