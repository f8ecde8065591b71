"""A session: somebody has logged in, and now asks, simply or in the parts of the extended
protocol."""

from __future__ import annotations

import asyncio

from pygwire.messages import (
    EmptyQueryResponse,
    Flush,
    FunctionCall,
    PGMessage,
    Query,
    ReadyForQuery,
    Sync,
    Terminate,
)

from sfumato.errors import NotAdmitted

from .cancellation import Cancellable
from .execute import Doer
from .extended_protocol import ExtendedProtocol
from .message_stream import Conversation, MalformedMessage
from .refusals import StatementPlace, broken, refusal
from .result_writer import Teller
from .statement_plan import check_one
from .statements import Sort, Statement
from .transport import HungUp


class WireSession:
    """One client, from its first question to its last."""

    def __init__(self, conversation: Conversation, doer: Doer, *, idle: float) -> None:
        self._conversation, self._doer, self._idle = conversation, doer, idle
        self._cancellable = Cancellable()
        self._teller = Teller(conversation, doer.variables)
        self._extended = ExtendedProtocol(
            conversation, doer, teller=self._teller, cancellable=self._cancellable
        )
        self._skips = False

    def cancel(self) -> None:
        """Somebody asked, with the session's key, to end what it is doing."""
        self._cancellable.cancel()

    async def run(self) -> None:
        """Until the client disconnects."""
        self._ready()
        while True:
            await self._conversation.flush()
            try:
                message = await self._conversation.next(seconds=self._idle)
            except MalformedMessage as error:
                await self._note(error)
                self._conversation.say(broken(error.told))
                await self._conversation.flush()
                return
            if isinstance(message, Terminate):
                return
            await self._met(message)

    async def _met(self, message: PGMessage) -> None:
        match message:
            case Query():
                await self._simple(message.query_string)
            case Sync():
                self._skips = False
                self._ready()
            case FunctionCall():
                await self._refuse(
                    NotAdmitted("Functions are not called at a gate.", code="not-listed")
                )
                self._ready()
            case Flush():
                pass
            case _ if not self._skips:
                try:
                    await self._extended.met(message)
                except (HungUp, asyncio.CancelledError):
                    raise
                except Exception as error:
                    await self._refuse(
                        error, self._extended.place(message), text=self._extended.text_of(message)
                    )
                    self._skips = True

    async def _simple(self, text: str) -> None:
        self._extended.begin_simple()
        statement: Statement | None = None
        try:
            plans = await self._cancellable.do(self._doer.desk.planned(self._doer.account, text))
            check_one(plans)
            for each in plans:
                statement = each.statement
                await self._teller.tell(await self._cancellable.do(self._doer.do(each)))
            if not plans:
                self._conversation.say(EmptyQueryResponse())
        except (HungUp, asyncio.CancelledError):
            raise
        except Exception as error:
            place = (
                StatementPlace(start=_start_of(statement), text=_text_of(statement))
                if statement
                else None
            )
            await self._refuse(error, place, text=text)
        self._ready()

    def _ready(self) -> None:
        self._conversation.say(ReadyForQuery(status=self._doer.status))

    async def _refuse(
        self, error: Exception, place: StatementPlace | None = None, *, text: str = ""
    ) -> None:
        """Recorded before it is sent."""
        self._doer.failed()
        await self._note(error, text=text)
        self._conversation.say(refusal(error, place))

    async def _note(self, error: Exception, *, text: str = "") -> None:
        who, address = self._doer.account.name, self._conversation.line.address
        await self._doer.desk.refusals.note(error, who=who, address=address, text=text)


def _start_of(statement: Statement) -> int:
    """Where the query of a statement begins in the request body."""
    return statement.start + (
        statement.text.find(statement.name) if statement.sort is Sort.EXPLAIN else 0
    )


def _text_of(statement: Statement) -> str:
    return statement.name if statement.sort is Sort.EXPLAIN else statement.text
