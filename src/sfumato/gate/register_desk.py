"""The register at the gate: its state for pages and programs, and when a group's access ends.

The gate opens the same store as the commands and holds no lock on it between two requests. It signs
nothing: members sign their moves in the browser. Nothing here discloses how somebody voted before
all votes are open, nor how many have."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from sfumato.register import (
    Application,
    ApplicationState,
    LedgerVerdict,
    Move,
    MoveKind,
    Register,
    RegisterRole,
    RegisterState,
    agreement_ends,
)

FRESH: Final = 20.0
"""Seconds for which a state that was read is good; an end takes effect within a minute."""
_OPEN: Final = (
    ApplicationState.REVIEWED,
    ApplicationState.APPROVED,
    ApplicationState.REFUSED,
    ApplicationState.DELIVERED,
)
"""States in which all votes are open."""


@dataclass(eq=False, kw_only=True)
class RegisterDesk:
    """One for all requests. `now` is a monotonic clock, for tests."""

    register: Register
    now: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _judging: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _state: tuple[float, RegisterState] | None = field(default=None, repr=False)
    _verdicts: tuple[Any, Mapping[str, LedgerVerdict]] | None = field(default=None, repr=False)

    def state(self) -> RegisterState:
        """The state of the register, no older than FRESH."""
        with self._lock:
            if self._state is None or self.now() - self._state[0] > FRESH:
                self._state = (self.now(), self.register.state())
            return self._state[1]

    def append(self, payload: bytes, signature: bytes, *, author: str) -> Move:
        """Record a move that its author signed."""
        move = self.register.append_signed(payload, signature, author=author)
        self.forget()
        return move

    def forget(self) -> None:
        """Read the store anew at the next request."""
        with self._lock:
            self._state = None

    def verdict(self, group: str) -> LedgerVerdict | None:
        """The ledger's verdict on all that a group holds; judged once for each state."""
        head = self.state().head.digest, self.register.answers()
        with self._judging:  # Not the lock of the state: whoever logs in does not wait for it.
            if self._verdicts is None or self._verdicts[0] != head:
                self._verdicts = (head, self.register.judge())
            return self._verdicts[1].get(group)

    def last_day(self, groups: Iterable[str]) -> str | None:
        """The last day of somebody of some groups: the earliest end of an agreement of these
        groups; None where none of them has one."""
        state, today = self.state(), self.today()
        ends = [agreement_ends(state, each, today=today) for each in groups]
        return min((each for each in ends if each is not None), default=None)

    def today(self) -> str:
        """The day, and no earlier than that of the newest move."""
        day = datetime.now(UTC).date().isoformat()
        return max(day, self.state().head.time[:10])


def are_votes_open(application: Application) -> bool:
    """Whether everybody's vote may be seen."""
    return application.state in _OPEN


def moves_of(application: Application, state: RegisterState, name: str) -> list[str]:
    """The moves of a member about an application now, among those signed in a browser."""
    charter = state.charter
    member = None if charter is None else charter.members.get(name)
    if charter is None or member is None:
        return []
    out = []
    ended = application.state in (ApplicationState.REFUSED, ApplicationState.WITHDRAWN)
    involved = application.is_by(name)
    stale = application.ledger != state.ledger_of(application.group)
    if RegisterRole.REVIEWER in member.roles and not involved and not stale:
        if application.state is ApplicationState.SUBMITTED:
            voted = name in application.commitments or name in application.votes
            kind = MoveKind.COMMITMENT if charter.blind else MoveKind.VOTE
            out += [] if voted else [kind.value]
        if application.state is ApplicationState.SEALED and name in application.commitments:
            out += [] if name in application.votes else [MoveKind.VOTE.value]
    decides = RegisterRole.CHAIR in member.roles and application.state is ApplicationState.REVIEWED
    if decides and not involved and not stale and name not in application.votes:
        out.append(MoveKind.DECISION.value)
    if not ended and (name == application.applicant or RegisterRole.CUSTODIAN in member.roles):
        out.append(MoveKind.WITHDRAWAL.value)
    return out


def application_facts(
    application: Application, state: RegisterState, name: str, *, whole: bool
) -> dict[str, Any]:
    """An application as somebody may see it. Not `whole` is for its applicant: neither assessment
    nor ledger nor votes. Votes and their reasons are there when all of them are open."""
    told: dict[str, Any] = {
        "name": application.name,
        "group": application.group,
        "applicant": application.applicant,
        "since": application.since,
        "state": application.state.value,
        "step": application.step.value,
        "round": application.round,
        "answers": application.form.as_facts(),
        "agreement": application.agreement.as_facts() if application.agreement else None,
        "conditions": list(application.conditions),
        "decided_by": application.decided_by,
        "decision": application.reasons.get(application.decided_by, ""),
        "valid_until": application.valid_until,
        "may": moves_of(application, state, name),
        "voted": name in application.commitments or name in application.votes,
        "sealed": name in application.commitments,
    }
    if not whole:
        return told
    seen = application.votes if are_votes_open(application) else {}
    return told | {
        "maker": application.maker,
        "policy": application.summary,
        "policy_digest": application.policy or application.proposed,
        "candidate": application.candidate,
        "assessment": application.assessment,
        "assessed_again_by": application.assessed_again_by,
        "verdict": application.verdict,
        "ledger_changed": application.is_voted_on
        and application.ledger != state.ledger_of(application.group),
        "votes": [
            {"by": who, "vote": vote.value, "reason": application.reasons.get(who, "")}
            for who, vote in sorted(seen.items())
        ],
    }
