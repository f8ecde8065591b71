"""Accounts: who may use the gate, with which right, and how they prove it.

Passwords are kept as Argon2id hashes, and beside them as SCRAM-SHA-256 verifiers (RFC 5802) for
clients of PostgreSQL. These prove that they know the password without sending it. Tokens for
programs and sessions of browsers are random and kept as digests only. No password can be read back
from any of them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeGuard

from sfumato.errors import MissingExtra, Mistake, NotAdmitted

from .saslprep import saslprep
from .settings import Asker
from .state import GateState

SHORTEST: Final = 12
"""Characters of a password."""
SCRAM_ROUNDS: Final = 16_384


class Right(StrEnum):
    """The right of an account: recipients ask, stewards explain, the board approves, administrators
    administer."""

    RECIPIENT = "recipient"
    STEWARD = "steward"
    BOARD = "board"
    ADMINISTRATOR = "administrator"


MAY_ASK: Final = frozenset((Right.RECIPIENT, Right.STEWARD))
"""An account that administers or approves does not ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAccount:
    """One person or program."""

    name: str
    right: Right
    profile: str = "public"
    groups: tuple[str, ...] = ()
    disabled: bool = False
    argon: str = field(default="", repr=False)
    scram: str = field(default="", repr=False)
    since: float = 0.0
    """When it was made, or last given a right or a password, or enabled; by somebody else, as far
    as the gate knows."""
    until: str = ""
    """The last day of the account, where it has one."""

    def asker(self) -> Asker:
        return Asker(name=self.name, profile=self.profile, groups=self.groups)


@dataclass(frozen=True, slots=True)
class Verifier:
    """The server's data for checking a SCRAM proof; it does not disclose the password."""

    salt: bytes = field(repr=False)
    rounds: int
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Token:
    """A program's token as its owner may see it: a number to end it by, the name it was given, when
    it ends."""

    number: str
    name: str
    ends: float


class GateAccounts:
    """All accounts of a gate. `now` is the clock, for tests."""

    def __init__(
        self, state: GateState, *, session_minutes: int = 60, now: Callable[[], float] = time.time
    ) -> None:
        self._state, self._seconds, self._now = state, 60.0 * session_minutes, now
        self._agreed: Callable[[Iterable[str]], str | None] = lambda groups: None
        self._day: Callable[[], str] = lambda: ""

    def end_with(
        self, agreed: Callable[[Iterable[str]], str | None], day: Callable[[], str]
    ) -> None:
        """End accounts with the agreements of their groups. `agreed` gives the last day of some
        groups; `day` is a clock that is never before a register's newest entry."""
        self._agreed, self._day = agreed, day

    def last_day(self, account: GateAccount) -> str | None:
        """The last day of an account; None where it has no end. The right to look after the gate
        ends with the account alone."""
        asks = account.right in MAY_ASK and account.groups
        agreed = self._agreed(account.groups) if asks else None
        ends = [each for each in (account.until or None, agreed) if each is not None]
        return min(ends, default=None)

    def may_come(self, account: GateAccount | None) -> TypeGuard[GateAccount]:
        """Whether there is such an account, and it is neither disabled nor ended."""
        if account is None or account.disabled:
            return False
        last = self.last_day(account)
        return last is None or self.today() <= last

    def today(self) -> str:
        own = datetime.fromtimestamp(self._now(), UTC).date().isoformat()
        return max(own, self._day())

    def names(self) -> tuple[str, ...]:
        return tuple(row[0] for row in self._state.all("SELECT name FROM accounts ORDER BY name"))

    def all(self) -> tuple[GateAccount, ...]:
        """Those that are not disabled."""
        rows = self._state.all("SELECT content FROM accounts ORDER BY name")
        return tuple(found for row in rows if not (found := _account(json.loads(row[0]))).disabled)

    def find(self, name: str) -> GateAccount | None:
        found = self._state.all("SELECT content FROM accounts WHERE name = ?", name)
        return None if not found else _account(json.loads(found[0][0]))

    def add(
        self,
        name: str,
        password: str,
        *,
        right: Right,
        profile: str = "public",
        groups: tuple[str, ...] = (),
        until: str = "",
    ) -> GateAccount:
        """A new account; one that exists already is refused."""
        if not name or len(name) > 100 or not name.isprintable():
            raise Mistake("An account needs a name.", attempt="up to 100 printable characters.")
        if name == "everyone" or name.startswith(("person ", "group ")):
            raise Mistake(
                f"An account cannot be called {name!r}.",
                found="The history of disclosures to audiences is kept under such names.",
                attempt="another name.",
            )
        if self.find(name) is not None:
            raise Mistake(f"There is an account {name!r} already.", attempt="another name.")
        account = GateAccount(
            name=name, right=right, profile=profile, groups=groups, argon=_argon(password), scram=_scram(password),
            since=self._now(), until=until,
        )  # fmt: skip
        self._put(account)
        return account

    def change(self, account: GateAccount) -> None:
        """Another right, profile, groups, or disabled; its sessions and tokens end.

        With another right or password, or where it is enabled again, it is as good as new.
        """
        before = self.find(account.name)
        same = before is not None and (before.right, before.argon) == (account.right, account.argon)
        enabled = before is not None and before.disabled and not account.disabled
        since = before.since if before is not None and same and not enabled else self._now()
        with self._state.changing():
            self._put(_with(account, since=since))
            self._state.all("DELETE FROM tokens WHERE account = ?", account.name)

    def set_password(self, name: str, password: str) -> None:
        account = self._needed(name)
        self.change(_with(account, argon=_argon(password), scram=_scram(password)))

    def check(self, name: str, password: str) -> GateAccount:
        """The account, where the password is right; the refusal and its time are the same for a
        name nobody has."""
        account = self.find(name)
        hashed = account.argon if account else _nobody()
        right = _is_right(hashed, password)
        if not right or not self.may_come(account):
            raise _not_you()
        return account

    def verifier(self, name: str) -> Verifier:
        """For SCRAM; a name that nobody has gets a verifier that nothing fits, always the same
        one."""
        account = self.find(name)
        if not self.may_come(account):
            salt = hashlib.blake2b(name.encode(), key=self._pepper(), digest_size=16).digest()
            return Verifier(salt, SCRAM_ROUNDS, secrets.token_bytes(32), secrets.token_bytes(32))
        told, rounds, stored, server = account.scram.split("$")
        return Verifier(
            base64.b64decode(told), int(rounds), base64.b64decode(stored), base64.b64decode(server)
        )

    def open_session(self, account: GateAccount) -> str:
        """A token that ends by itself."""
        return self._token(account, "session", self._now() + self._seconds)

    def new_token(self, account: GateAccount, *, days: float, name: str = "") -> str:
        """A token for a program. It is shown once and kept as a digest."""
        return self._token(account, "token", self._now() + days * 86_400, name=name)

    def tokens(self, account: GateAccount) -> tuple[Token, ...]:
        """The tokens of an account's programs that have not ended, as far as they may be shown."""
        rows = self._state.all(
            "SELECT digest, name, ends FROM tokens WHERE account = ? AND kind = 'token' "
            "AND ends > ? ORDER BY ends",
            account.name,
            self._now(),
        )
        return tuple(Token(digest[:16], name, ends) for digest, name, ends in rows)

    def token_of(self, token: str) -> Token:
        """The facts of a token that its owner may see."""
        digest = _digest(token)
        name, ends = self._state.all("SELECT name, ends FROM tokens WHERE digest = ?", digest)[0]
        return Token(digest[:16], name, ends)

    def end_token(self, account: GateAccount, number: str) -> bool:
        """End one of an account's tokens; whether there was one."""
        found = self._state.all(
            "DELETE FROM tokens WHERE account = ? AND kind = 'token' AND substr(digest, 1, "
            "16) = ? RETURNING digest",
            account.name,
            number,
        )
        return bool(found)

    def by_token(self, token: str) -> GateAccount:
        """The owner of a token; one that has ended, or never was, is refused."""
        rows = self._state.all("SELECT account, ends FROM tokens WHERE digest = ?", _digest(token))
        account = self.find(rows[0][0]) if rows and rows[0][1] > self._now() else None
        if not self.may_come(account):
            raise _not_you()
        return account

    def end(self, token: str) -> None:
        self._state.all("DELETE FROM tokens WHERE digest = ?", _digest(token))

    def _token(self, account: GateAccount, kind: str, ends: float, *, name: str = "") -> str:
        token = secrets.token_urlsafe(32)
        with self._state.changing():
            self._state.all("DELETE FROM tokens WHERE ends < ?", self._now())
            self._state.all(
                "INSERT INTO tokens VALUES (?, ?, ?, ?, ?)",
                _digest(token),
                account.name,
                kind,
                ends,
                name,
            )
        return token

    def _needed(self, name: str) -> GateAccount:
        account = self.find(name)
        if account is None:
            raise Mistake(f"There is no account {name!r}.", attempt="one of `accounts`.")
        return account

    def _put(self, account: GateAccount) -> None:
        content = json.dumps(asdict(account))
        self._state.all("INSERT OR REPLACE INTO accounts VALUES (?, ?)", account.name, content)

    def _pepper(self) -> bytes:
        found = self._state.fact("pepper")
        if found is None:
            found = secrets.token_hex(32)
            self._state.state_fact("pepper", found)
        return bytes.fromhex(found)


def _account(content: dict[str, Any]) -> GateAccount:
    return GateAccount(
        **{**content, "right": Right(content["right"]), "groups": tuple(content["groups"])}
    )


def _with(account: GateAccount, **changes: Any) -> GateAccount:
    return _account({**asdict(account), **changes})


def _not_you() -> NotAdmitted:
    return NotAdmitted(
        "The log-in failed.",
        code="not-you",
        attempt="your name and password, or a new token.",
    )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _hasher() -> Any:
    try:
        from argon2 import PasswordHasher
    except ImportError:
        raise MissingExtra("GateAccounts", extra="gate") from None
    return PasswordHasher()


def _argon(password: str) -> str:
    if len(password) < SHORTEST:
        raise Mistake(
            "The password is too short.",
            found=f"{len(password)} characters.",
            attempt=f"{SHORTEST} or more.",
        )
    return str(_hasher().hash(password))


def _is_right(hashed: str, password: str) -> bool:
    from argon2.exceptions import Argon2Error, InvalidHashError

    try:
        return bool(_hasher().verify(hashed, password))
    except (Argon2Error, InvalidHashError):
        return False


@cache
def _nobody() -> str:
    """A hash that no password fits, so that a name that nobody has takes as long as one that
    somebody has."""
    return str(_hasher().hash(secrets.token_urlsafe(32)))


def _scram(password: str) -> str:
    """RFC 5802: salt, rounds, StoredKey and ServerKey."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", saslprep(password).encode(), salt, SCRAM_ROUNDS)
    client = hmac.digest(salted, b"Client Key", "sha256")
    parts = salt, hashlib.sha256(client).digest(), hmac.digest(salted, b"Server Key", "sha256")
    salt_, stored, server = (base64.b64encode(part).decode() for part in parts)
    return f"{salt_}${SCRAM_ROUNDS}${stored}${server}"
