"""The extended protocol: a statement is parsed, values are bound, it is described and executed,
each in a message.

After an error everything is skipped until the client sends Sync; that is the session's to know.
"""

from __future__ import annotations

from typing import Final, TypeVar

from pygwire.messages import (
    Bind,
    BindComplete,
    Close,
    CloseComplete,
    Describe,
    EmptyQueryResponse,
    Execute,
    NoData,
    ParameterDescription,
    Parse,
    ParseComplete,
    PGMessage,
    PortalSuspended,
)
from sqlglot import exp

from sfumato.errors import NotAdmitted

from .cancellation import Cancellable
from .cells import ResultColumn
from .execute import Doer
from .message_stream import Conversation
from .parameters import constant
from .portals import Portal, PreparedStatement, as_announced, described, form_of, forms
from .refusals import StatementPlace
from .result_writer import Teller
from .results import Result
from .statement_plan import Plan
from .statements import Sort

T = TypeVar("T")
MOST_KEPT: Final = 200
"""Prepared statements, and portals, of one session."""


class ExtendedProtocol:
    """The prepared statements and portals of one session, and what is done with them."""

    def __init__(
        self, conversation: Conversation, doer: Doer, *, teller: Teller, cancellable: Cancellable
    ) -> None:
        self._conversation, self._doer = conversation, doer
        self._teller, self._cancellable = teller, cancellable
        self._prepared: dict[str, PreparedStatement] = {}
        self._portals: dict[str, Portal] = {}
        doer.forget = self._forget

    async def met(self, message: PGMessage) -> None:
        """Do what one message asks for."""
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
                raise NotAdmitted("This message is not allowed now.", code="syntax")

    def begin_simple(self) -> None:
        """A simple query ends the portal that has no name."""
        self._portals.pop("", None)

    def place(self, message: PGMessage) -> StatementPlace | None:
        """The place of a statement of the extended protocol; after its values are put in, places
        are others."""
        portal = self._portals.get(getattr(message, "portal", getattr(message, "name", "")))
        if portal is None or portal.plan is None:
            return None
        statement = portal.plan.statement
        return StatementPlace(
            start=statement.start, text=statement.text, bound=portal.plan.is_bound
        )

    def text_of(self, message: PGMessage) -> str:
        """The text of the statement that a message is about, without its values."""
        if isinstance(message, Parse):
            return message.query
        portal = self._portals.get(getattr(message, "portal", getattr(message, "name", "")))
        prepared = (
            portal.prepared
            if portal
            else self._prepared.get(getattr(message, "statement", getattr(message, "name", "")))
        )
        return prepared.plan.statement.text if prepared and prepared.plan else ""

    async def _parse(self, message: Parse) -> None:
        if message.statement and message.statement in self._prepared:
            raise NotAdmitted("There is a prepared statement of this name.", code="already-there")
        if len(self._prepared) >= MOST_KEPT:
            raise NotAdmitted(
                "There are too many prepared statements.",
                code="too-long",
                attempt="DEALLOCATE ALL.",
            )
        planned = self._doer.desk.planned(
            self._doer.account, message.query, types=message.param_types
        )
        plans = await self._cancellable.do(planned)
        if len(plans) > 1:
            raise NotAdmitted(
                "One query is asked at a time.", code="several", attempt="one statement."
            )
        self._prepared[message.statement] = PreparedStatement(plan=plans[0] if plans else None)
        self._conversation.say(ParseComplete())

    def _bind(self, message: Bind) -> None:
        prepared = self._found(self._prepared, message.statement, "no-statement")
        if len(self._portals) >= MOST_KEPT:
            raise NotAdmitted(
                "There are too many portals.", code="too-long", attempt="closing some."
            )
        types = prepared.plan.types if prepared.plan else ()
        if len(message.param_values) != len(types):
            raise NotAdmitted(f"The query has {len(types)} parameters.", code="parameter")
        constants = [
            constant(value, oid, form=form_of(message.param_formats, number, len(types)))
            for number, (value, oid) in enumerate(zip(message.param_values, types, strict=True))
        ]
        bound = prepared.plan.bound(constants) if prepared.plan else None
        self._portals[message.portal] = Portal(
            prepared=prepared, plan=bound, formats=tuple(message.result_formats)
        )
        self._conversation.say(BindComplete())

    async def _describe(self, message: Describe) -> None:
        if message.kind == "S":
            await self._describe_statement(
                self._found(self._prepared, message.name, "no-statement")
            )
            return
        portal = self._found(self._portals, message.name, "no-portal")
        result = await self._done(portal)
        columns = result.columns if result else None
        self._conversation.say(
            described(columns, forms(portal.formats, columns)) if columns else NoData()
        )

    async def _describe_statement(self, prepared: PreparedStatement) -> None:
        self._conversation.say(
            ParameterDescription(type_oids=list(prepared.plan.types if prepared.plan else ()))
        )
        columns = await self._announced(prepared.plan) if prepared.plan else None
        prepared.announced = columns
        self._conversation.say(described(columns, [0] * len(columns)) if columns else NoData())

    async def _announced(self, plan: Plan) -> tuple[ResultColumn, ...] | None:
        """The columns of a statement that has no values yet."""
        sort = plan.statement.sort
        if sort is Sort.QUERY and plan.of_catalogue:
            blank = plan.bound([exp.Null()] * len(plan.types))
            return (await self._cancellable.do(self._doer.do(blank))).columns
        if sort is Sort.QUERY or sort is Sort.OTHER:
            blank = plan.bound([exp.Literal.number(0)] * len(plan.types))
            return await self._doer.announced(blank)
        if sort is Sort.SHOW:
            return (ResultColumn(plan.statement.name),)
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
            await self._teller.rows(rows, result.columns, forms(portal.formats, result.columns))
            portal.sent += len(rows)
            if message.max_rows and portal.sent < len(result.rows):
                self._conversation.say(PortalSuspended())
                return
        self._teller.end(result)

    async def _done(self, portal: Portal) -> Result | None:
        """The result of a portal: it is asked once, when it is first described or executed."""
        if portal.plan is None:
            return None
        if portal.result is None:
            result = await self._cancellable.do(self._doer.do(portal.plan))
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
            raise NotAdmitted("There is no statement or portal of this name.", code=code)
        return kept[name]
