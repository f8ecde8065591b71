"""Revelations: the request to reveal a pseudonym, the agreement, and the reason.

One member asks, another agrees, and the first may then reveal that pseudonym once. The register has
the field and a salted digest of the pseudonym, but neither the pseudonym nor its person."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from .applications import NotAllowed
from .charter import Charter, RegisterRole
from .moves import Move

AGREE: Final = frozenset((RegisterRole.CHAIR, RegisterRole.CUSTODIAN))
"""The roles that may agree to a revelation that somebody else asked for."""
_KEYS: Final = {
    "ask": {"revelation", "step", "field", "salt", "pseudonym", "reason"},
    "agree": {"revelation", "step", "reason"},
    "reveal": {"revelation", "step"},
}


class RevelationStep(StrEnum):
    """How far a revelation is."""

    ASKED = "ask"
    AGREED = "agree"
    REVEALED = "reveal"


@dataclass(frozen=True, kw_only=True)
class Revelation:
    """One pseudonym that somebody asked to reveal."""

    name: str
    field: str
    salt: str
    pseudonym: str
    """An HMAC of the pseudonym under the salt."""
    asked_by: str
    reason: str
    since: str
    step: RevelationStep = RevelationStep.ASKED
    agreed_by: str = ""
    agreed_reason: str = ""
    until: str = ""

    @classmethod
    def of(cls, move: Move) -> Revelation:
        """A revelation that somebody asks for."""
        facts = _checked(move)
        if RevelationStep(facts["step"]) is not RevelationStep.ASKED:
            raise NotAllowed("Nobody asked for this revelation.")
        return cls(
            name=facts["revelation"],
            field=facts["field"],
            salt=facts["salt"],
            pseudonym=facts["pseudonym"],
            asked_by=move.author,
            reason=facts["reason"],
            since=move.time,
        )

    def after(self, move: Move, charter: Charter) -> Revelation:
        """The revelation after one more move about it."""
        facts = _checked(move)
        step = RevelationStep(facts["step"])
        if step is RevelationStep.AGREED and self.step is RevelationStep.ASKED:
            if move.author == self.asked_by:
                raise NotAllowed(f"{move.author} asked for it: somebody else agrees.")
            if not charter.members[move.author].roles & AGREE:
                raise NotAllowed(f"{move.author} may not agree to it.")
            end = datetime.fromisoformat(move.time) + timedelta(days=charter.answer_days)
            return replace(
                self,
                step=step,
                agreed_by=move.author,
                agreed_reason=facts["reason"],
                until=end.date().isoformat(),
            )
        if step is RevelationStep.REVEALED and self.step is RevelationStep.AGREED:
            if move.author != self.asked_by:
                raise NotAllowed(f"{self.asked_by} asked for it, and reveals it.")
            if move.time[:10] > self.until:
                raise NotAllowed(f"The agreement to it ended on {self.until}.")
            return replace(self, step=step)
        raise NotAllowed("A revelation is asked for, agreed to and made, once each.")

    def may_agree(self, name: str, charter: Charter) -> bool:
        """Whether a member may agree to it now."""
        member = charter.members.get(name)
        return (
            self.step is RevelationStep.ASKED
            and name != self.asked_by
            and member is not None
            and bool(member.roles & AGREE)
        )

    def is_of(self, field: str, pseudonym: str) -> bool:
        return self.field == field and hmac.compare_digest(
            self.pseudonym, pseudonym_digest(self.salt, pseudonym)
        )


def new_salt() -> str:
    return secrets.token_hex(32)


def pseudonym_digest(salt: str, pseudonym: str) -> str:
    return hmac.digest(bytes.fromhex(salt), pseudonym.encode(), "sha256").hex()


def _checked(move: Move) -> dict[str, str]:
    facts = dict(move.facts)
    if facts.keys() != _KEYS.get(facts.get("step", ""), None):
        raise ValueError("no revelation")
    if not all(isinstance(each, str) and each for each in facts.values()):
        raise ValueError("no revelation")
    return facts
