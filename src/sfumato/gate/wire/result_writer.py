"""Sending a client the result of a statement: rows, so many at a time, and the notes beside
them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from pygwire.messages import CommandComplete, ParameterStatus

from .cells import ResultColumn, data_rows
from .message_stream import Conversation
from .portals import described
from .refusals import notice
from .results import Result
from .variables import Variables

AT_ONCE: Final = 500
"""Rows that are written before others have their turn."""
QUIET: Final = ("warning", "error", "log", "fatal", "panic")


class Teller:
    """The messages of one session about results."""

    def __init__(self, conversation: Conversation, variables: Variables) -> None:
        self._conversation, self._variables = conversation, variables

    async def tell(self, result: Result) -> None:
        """All of a result, as text."""
        if result.columns is not None:
            formats = [0] * len(result.columns)
            self._conversation.say(described(result.columns, formats))
            await self.rows(result.rows, result.columns, formats)
        self.end(result)

    async def rows(
        self, rows: Sequence[Sequence[Any]], columns: Sequence[ResultColumn], formats: Sequence[int]
    ) -> None:
        for start in range(0, len(rows), AT_ONCE):
            self._conversation.say_rows(data_rows(rows[start : start + AT_ONCE], columns, formats))
            await self._conversation.flush()
            await asyncio.sleep(0)

    def end(self, result: Result) -> None:
        """The messages behind the rows: notices, variables that have changed, and the command
        tag."""
        if self._variables["client_min_messages"].lower() not in QUIET:
            self._conversation.say(*(notice(each) for each in result.notices))
        self._conversation.say(
            *(ParameterStatus(name=name, value=value) for name, value in result.changed.items())
        )
        self._conversation.say(CommandComplete(tag=result.tag))
