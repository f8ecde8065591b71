"""The desk passes questions to the keeper, on a fixed time grid and within limits, or to the
made-up catalogue."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted, TooMany

from ..accounts import MAY_ASK, GateAccount
from ..gate_opener import Gate
from ..limits import Buckets, Limits
from ..refusal_log import Refusals
from ..response_timing import paced
from ..settings import Mode
from ..sql import Question, admit_all
from ..validation.claims import ValidationClaim
from ..worker_threads import Workers
from .cells import ResultColumn
from .claim_calls import of_forecast, of_validation
from .pg_catalog.catalogue_query import Catalogues, told_of
from .pg_catalog.functions import CatalogueContext
from .pg_catalog.rows import CatalogueFacts
from .results import Result, announced_columns, of_answer, of_offer, of_rows, said_of
from .statement_plan import Plan, plan
from .statements import split
from .variables import VERSION, Variables

DATABASE: Final = "sfumato"
TEXTS_A_MINUTE: Final = 1_200
"""Texts of statements that an account may send, whatever they do; clients send dozens when they
connect."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Desk:
    """One for all connections."""

    gate: Gate
    limits: Limits
    workers: Workers
    catalogues: Catalogues = field(default_factory=Catalogues)
    refusals: Refusals = field(init=False)
    _often: Buckets = field(default_factory=lambda: Buckets(TEXTS_A_MINUTE))
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2, "catalogue"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "refusals", Refusals(audit=self.gate.audit, workers=self.workers))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def still(self, account: GateAccount) -> GateAccount:
        """The account as it is now; `NotAdmitted` where it has changed since it logged in."""
        accounts = self.gate.accounts
        found = await self.workers.look(accounts.find, account.name)
        if (
            found is None
            or not await self.workers.look(accounts.may_come, found)
            or found.scram != account.scram
            or found.right not in MAY_ASK
        ):
            raise NotAdmitted(
                "This session has ended.", code="not-you", attempt="logging in again."
            )
        return found

    async def ask(
        self,
        account: GateAccount,
        sql: str,
        *,
        shape: str,
        mode: Mode | None,
        epsilon: float | None = None,
    ) -> Result:
        """Answer a question; with the notes beside it."""
        async with paced():
            self.limits.asks(account.name)
            found = await self.still(account)
            with self.refusals.written():
                return await self.workers.keep(self._ask, found, sql, shape, mode, epsilon)

    def _ask(
        self,
        account: GateAccount,
        sql: str,
        shape: str,
        mode: Mode | None,
        epsilon: float | None,
    ) -> Result:
        keeper, asker = self.gate.keeper, account.asker()
        chosen = shape if shape and self._is_of(shape, account, sql) else ""
        answer = keeper.ask(asker, sql, shape=chosen, mode=mode, epsilon=epsilon)
        question = admit_all(sql, keeper.catalogue(asker))[0]
        holding = keeper.table_of(question)
        notices = said_of(answer, holding)
        if shape and not chosen:
            notices = (
                *notices,
                "sfumato.shape was ignored: it does not fit the fields of this query.",
            )
        return of_answer(question, answer, holding, notices=notices)

    def _is_of(self, shape: str, account: GateAccount, sql: str) -> bool:
        """Whether a shape is about the fields of a query: a session keeps its shape when it asks
        something else."""
        try:
            question = self.question(account, sql)
        except NotAdmitted:
            return True
        return {part.partition("=")[0] for part in shape.split(",")} == set(question.known)

    async def look(self, account: GateAccount, sql: str, *, epsilon: float | None = None) -> Result:
        """In which shapes a question can be answered."""
        async with paced():
            self.limits.asks(account.name)
            found = await self.still(account)
            with self.refusals.written():
                look = self.gate.keeper.look
                offer = await self.workers.keep(look, found.asker(), sql, epsilon=epsilon)
                return of_offer(offer)

    async def validate(
        self, account: GateAccount, claim: ValidationClaim, *, forecast: bool
    ) -> Result:
        """Judge a claim, or say what that would cost."""
        async with paced():
            self.limits.asks(account.name)
            found = await self.still(account)
            validator, asker = self.gate.validator, found.asker()
            with self.refusals.written():
                if forecast:
                    return of_forecast(await self.workers.keep(validator.forecast, asker, claim))
                return of_validation(await self.workers.keep(validator.validate, asker, claim))

    def question(self, account: GateAccount, sql: str) -> Question:
        """The question that a query asks, looked at without any data."""
        return admit_all(sql, self.gate.keeper.catalogue(account.asker()))[0]

    async def announced(
        self, account: GateAccount, sql: str, *, marked: bool = True
    ) -> tuple[ResultColumn, ...]:
        """The columns that an answer will have, with the mark columns where it may differ from the
        question."""
        question = await asyncio.to_thread(self.question, account, sql)
        keeper = self.gate.keeper
        mode = keeper.settings.terms_of(account.profile).mode
        return announced_columns(question, keeper.table_of(question), mode=mode if marked else None)

    def told(self, account: GateAccount, *, database: str = DATABASE) -> CatalogueFacts:
        return told_of(self.gate.keeper, account.asker(), database=database)

    async def catalogue(
        self,
        account: GateAccount,
        tree: exp.Expr,
        *,
        variables: Variables,
        process: int,
        database: str,
    ) -> Result:
        """Answer a question about the catalogue."""
        around = CatalogueContext(
            told=self.told(account, database=database),
            user=account.name,
            process=process,
            version=f"PostgreSQL {VERSION}",
            settings=variables.all(),
        )
        loop = asyncio.get_running_loop()
        columns, rows = await loop.run_in_executor(self._pool, self.catalogues.ask, tree, around)
        return of_rows(columns, rows)

    async def planned(
        self, account: GateAccount, text: str, *, types: Sequence[int] = ()
    ) -> tuple[Plan, ...]:
        """The plan of each statement of a text. Long texts take a while to read, so others are met
        meanwhile."""
        wait = self._often.take(account.name)
        if wait:
            raise TooMany("You have sent too many statements in a short time.", seconds=wait)
        await self.still(account)
        return await asyncio.to_thread(self._planned, account, text, types)

    def _planned(self, account: GateAccount, text: str, types: Sequence[int]) -> tuple[Plan, ...]:
        told = self.told(account)
        return tuple(plan(each, told, types=types) for each in split(text))
