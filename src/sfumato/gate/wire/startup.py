"""The start of a connection over the wire: encryption, versions, and authentication. Nothing is
disclosed before that is settled.

Passwords are not sent: clients prove that they know them (SCRAM). A client may ask to send a
password or a program's token as it is (`options=-c sfumato.login=password`). The gate allows this
only over an encrypted line."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import shlex
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from pygwire.messages import (
    AuthenticationCleartextPassword,
    AuthenticationOk,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
    BackendKeyData,
    CancelRequest,
    GSSEncRequest,
    GSSResponse,
    NegotiateProtocolVersion,
    ParameterStatus,
    PasswordMessage,
    SASLInitialResponse,
    SASLResponse,
    SSLRequest,
    SSLResponse,
    StartupMessage,
)

from sfumato.errors import NotAdmitted

from ..accounts import MAY_ASK, GateAccount
from ..refusal_log import NOBODY
from ..response_timing import paced
from .execute import Doer
from .message_stream import LONGEST_START, Conversation, MalformedMessage
from .question_desk import DATABASE, Desk
from .scram import MECHANISM, Exchange
from .variables import LOG_IN, REPORTED, Variables

SECONDS: Final = 30.0
"""In which somebody has to have logged in."""
V3_0, V3_2 = 0x0003_0000, 0x0003_0002
_REQUESTS: Final = 3
"""Requests for encryption before a client has to name its user."""
_WORDS: Final = ("user", "database", "options", "replication")
_BEGINNINGS: Final = "_pq_."


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The first message of a client."""

    user: str
    database: str
    settings: dict[str, str]
    version: int


async def come_in(
    conversation: Conversation,
    desk: Desk,
    *,
    context: ssl.SSLContext | None,
    cancel: Callable[[int, bytes], None],
) -> Doer | None:
    """Authenticate a client, or raise `NotAdmitted`, which is recorded; None where the connection
    only cancels a query."""
    async with asyncio.timeout(SECONDS):
        first = await _first(conversation, context)
        if isinstance(first, CancelRequest):
            cancel(first.process_id, first.secret_key)
            return None
        try:
            start = _started(conversation, first)
            _check_encrypted(conversation, context)
            async with paced():
                asks_plainly = (
                    start.settings.pop(LOG_IN, "") == "password" and conversation.line.encrypted
                )
                account = await (_plainly if asks_plainly else _proved)(
                    conversation, desk, start.user
                )
            return _welcome(conversation, desk, account, start)
        except NotAdmitted as error:
            known = await desk.workers.look(desk.gate.accounts.find, first.params.get("user", ""))
            who, address = known.name if known else NOBODY, conversation.line.address
            await desk.refusals.note(error, who=who, address=address, kind="log-in failed")
            raise


async def _first(
    conversation: Conversation, context: ssl.SSLContext | None
) -> StartupMessage | CancelRequest:
    for _ in range(_REQUESTS):
        message = await conversation.start(seconds=SECONDS)
        match message:
            case SSLRequest():
                wanted = context is not None and not conversation.line.encrypted
                conversation.say(SSLResponse(accepted=wanted))
                await conversation.flush()
                if wanted and context is not None:
                    await conversation.line.encrypt(context, seconds=SECONDS)
            case GSSEncRequest():
                conversation.say(GSSResponse(accepted=False))
                await conversation.flush()
            case _:
                return message
    raise MalformedMessage


def _started(conversation: Conversation, message: StartupMessage) -> Start:
    version = message.protocol_version
    if version >> 16 != 3:
        raise NotAdmitted(
            "The gate speaks versions 3.0 to 3.2 of PostgreSQL's protocol.", code="not-listed"
        )
    strange = [name for name in message.params if name.startswith(_BEGINNINGS)]
    spoken = V3_0 if version < V3_2 else V3_2
    if version != spoken or strange:
        conversation.say(NegotiateProtocolVersion(newest_minor=spoken, unrecognized=strange))
    user = message.params.get("user", "")
    if not user or message.params.get("replication", "false") not in ("false", "off", "0", "no"):
        raise NotAdmitted(
            "A user name is required.", code="nobody", attempt="a user name; no replication."
        )
    settings = {n: v for n, v in message.params.items() if n not in _WORDS and n not in strange}
    settings |= dict(_options(message.params.get("options", "")))
    return Start(
        user=user, database=message.params.get("database", user), settings=settings, version=spoken
    )


def _options(text: str) -> Iterator[tuple[str, str]]:
    """`-c name=value` and `--name=value`, as on a server's command line."""
    try:
        words = iter(shlex.split(text))
    except ValueError:
        raise MalformedMessage from None
    for word in words:
        said = next(words, "") if word == "-c" else word.removeprefix("-c").removeprefix("--")
        name, found, value = said.partition("=")
        if not found:
            raise MalformedMessage
        yield name.replace("-", "_"), value


def _check_encrypted(conversation: Conversation, context: ssl.SSLContext | None) -> None:
    """Where there is a certificate, only this machine may connect without encryption."""
    if context is None or conversation.line.encrypted:
        return
    try:
        here = ipaddress.ip_address(conversation.line.address).is_loopback
    except ValueError:
        here = False
    if not here:
        raise NotAdmitted(
            "The gate requires TLS.", code="not-encrypted", attempt="sslmode=require."
        )


async def _proved(conversation: Conversation, desk: Desk, user: str) -> GateAccount:
    """By SCRAM-SHA-256. A name that nobody has takes the same way to the same refusal.

    Attempts are counted where the proof is looked at, with nothing in between: guessing on many
    lines at once is no faster than on one."""
    conversation.say(AuthenticationSASL(mechanisms=[MECHANISM]))
    await conversation.flush()
    first = await conversation.next(seconds=SECONDS, most=LONGEST_START)
    if not isinstance(first, SASLInitialResponse) or first.mechanism != MECHANISM:
        raise MalformedMessage
    verifier = await desk.workers.look(desk.gate.accounts.verifier, user)
    exchange = Exchange(verifier)
    conversation.say(AuthenticationSASLContinue(data=exchange.first(first.data)))
    await conversation.flush()
    last = await conversation.next(seconds=SECONDS, most=LONGEST_START)
    if not isinstance(last, SASLResponse):
        raise MalformedMessage
    address = conversation.line.address
    desk.limits.logs_in(user, address)
    ours = exchange.last(last.data)
    if ours is not None:
        desk.limits.logged_in(user, address)
    account = await desk.workers.look(desk.gate.accounts.find, user)
    if ours is None or account is None:
        raise _not_you()
    await _noted(conversation, desk, account)
    conversation.say(AuthenticationSASLFinal(data=ours))
    return account


async def _plainly(conversation: Conversation, desk: Desk, user: str) -> GateAccount:
    """By a password or a token that is sent as it is; the line is encrypted."""
    conversation.say(AuthenticationCleartextPassword())
    await conversation.flush()
    message = await conversation.next(seconds=SECONDS, most=LONGEST_START)
    if not isinstance(message, PasswordMessage) or not isinstance(message.password, str):
        raise MalformedMessage
    accounts = desk.gate.accounts
    desk.limits.logs_in(user, conversation.line.address)
    try:
        account = await desk.workers.look(accounts.by_token, message.password)
        if account.name != user:
            raise _not_you()
    except NotAdmitted:
        try:
            account = await desk.workers.check(accounts.check, user, message.password)
        except NotAdmitted:
            raise _not_you() from None
    desk.limits.logged_in(user, conversation.line.address)
    await _noted(conversation, desk, account)
    return account


async def _noted(conversation: Conversation, desk: Desk, account: GateAccount) -> None:
    """Into the audit, before anything is sent."""
    facts = {"who": account.name, "from": conversation.line.address, "through": "wire"}
    await desk.workers.look(desk.gate.audit.append, "logged in", facts)


def _welcome(conversation: Conversation, desk: Desk, account: GateAccount, start: Start) -> Doer:
    """Confirm the log-in to the client, and open its session."""
    conversation.say(AuthenticationOk())
    if account.right not in MAY_ASK:
        raise NotAdmitted(
            "Your account may not ask.",
            code="not-allowed",
            found=f"It has the right '{account.right.value}'.",
            attempt="the pages, or an account with the right recipient.",
        )
    if start.database not in (DATABASE, "postgres", start.user):
        raise NotAdmitted(
            "There is no database of this name.", code="no-database", attempt=f"{DATABASE}."
        )
    variables = Variables(user=account.name)
    for name, value in start.settings.items():
        variables.set(name, value.strip("'"))
    process, key = (
        secrets.randbelow(2**31 - 1) + 1,
        secrets.token_bytes(32 if start.version >= V3_2 else 4),
    )
    for name, said in REPORTED.items():
        conversation.say(ParameterStatus(name=said, value=variables[name]))
    conversation.say(BackendKeyData(process_id=process, secret_key=key))
    return Doer(
        desk=desk,
        account=account,
        variables=variables,
        process=process,
        database=start.database,
        key=key,
    )


def _not_you() -> NotAdmitted:
    return NotAdmitted("The log-in failed.", code="not-you", attempt="your name and password.")
