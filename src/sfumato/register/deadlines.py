"""Deadlines: agreements that end, applications that wait, and data that must be destroyed, each
with its day.

Somebody is warned 30 and 7 days before. Time never runs below the newest move of the chain, so a
clock that was set back opens nothing again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal

from .applications import Application, ApplicationState
from .charter import Charter
from .recipient_names import recipient_key
from .replay import RegisterState
from .revelations import RevelationStep

WARNED: Final = (7, 30)
"""Days before an end on which somebody is warned."""
Urgency = Literal["ended", "7 days", "30 days", "later"]
_WAITING: Final = {
    ApplicationState.SUBMITTED: "votes",
    ApplicationState.SEALED: "opening of votes",
    ApplicationState.REVIEWED: "decision to take",
}


@dataclass(frozen=True, kw_only=True)
class Deadline:
    """One end: whose it is, what ends, on which day, and how near that is."""

    of: str
    what: str
    until: str
    urgency: Urgency

    def as_dict(self) -> dict[str, str]:
        return {"of": self.of, "what": self.what, "until": self.until, "urgency": self.urgency}


def deadlines(state: RegisterState, *, today: str, days: int) -> tuple[Deadline, ...]:
    """Everything that has ended or ends within some days, the earliest first."""
    assert state.charter is not None
    latest = (date.fromisoformat(today) + timedelta(days=days)).isoformat()
    ends = sorted({*_applications(state, state.charter), *_others(state, state.charter)})
    return tuple(
        Deadline(of=of, what=what, until=until, urgency=urgency_of(until, today=today))
        for until, of, what in ends
        if until <= latest
    )


def urgency_of(until: str, *, today: str) -> Urgency:
    """How near a day is."""
    left = (date.fromisoformat(until) - date.fromisoformat(today)).days
    if left < 0:
        return "ended"
    return "7 days" if left <= WARNED[0] else "30 days" if left <= WARNED[1] else "later"


def day_of(now: datetime, state: RegisterState) -> str:
    """Today, and no earlier than the newest move."""
    return max(now.date().isoformat(), state.head.time[:10])


def agreement_ends(state: RegisterState, group: str, *, today: str) -> str | None:
    """The last day on which some agreement lets a group have data, however the group is spelled;
    None where the register knows no agreement of this group. One that begins later does not hold
    yet. An application alone closes nothing: whoever applies at a gate waits there for the
    agreement."""
    named = recipient_key(group)
    agreed = [
        (each.state, each.agreement)
        for each in state.applications.values()
        if each.agreement is not None and recipient_key(each.group) == named
    ]
    over = (ApplicationState.WITHDRAWN, ApplicationState.REFUSED)
    held = (
        agreement.until
        for step, agreement in agreed
        if step not in over and agreement.valid_from <= today
    )
    return max(held, default="") if agreed else None


def _applications(state: RegisterState, charter: Charter) -> Iterator[tuple[str, str, str]]:
    over = (ApplicationState.REFUSED, ApplicationState.WITHDRAWN)
    for each in state.applications.values():
        if each.state in _WAITING:
            yield _after(each.round_since, charter.answer_days), each.name, _WAITING[each.state]
        if each.state is ApplicationState.APPROVED:
            yield each.valid_until, each.name, "decision"
        if each.agreement is not None and each.state not in over:
            yield each.agreement.until, each.name, "agreement"
        if each.agreement is not None and _left(each, state):
            yield each.agreement.destroy_by, each.name, "destruction by the recipient"


def _others(state: RegisterState, charter: Charter) -> Iterator[tuple[str, str, str]]:
    for name, member in charter.members.items():
        if member.until:
            yield member.until, name, "membership"
    for each in state.revelations.values():
        if each.step is RevelationStep.ASKED:
            yield _after(each.since, charter.answer_days), each.name, "agreement to a revelation"


def _left(application: Application, state: RegisterState) -> bool:
    return application.name in state.delivered.values()


def _after(time: str, days: int) -> str:
    return (datetime.fromisoformat(time) + timedelta(days=days)).date().isoformat()
