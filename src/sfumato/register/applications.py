"""Applications: from a purpose to a delivery, in two steps that two kinds of people take.

An application asks for data for a purpose. A maker submits a candidate for it, with the agreement
under which it would be delivered. Reviewers commit to their votes before any of them is seen, the
chair decides, and a custodian other than the maker delivers. Garfinkel (2022), section 3.6."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sfumato.errors import Mistake
from sfumato.files import create_secret, read_secret

from .charter import Charter, RegisterRole
from .moves import Move, MoveKind

SALT_BYTES: Final = 32


class ApplicationState(StrEnum):
    """Where an application stands."""

    APPLIED = "applied"
    SUBMITTED = "submitted"
    SEALED = "sealed"
    REVIEWED = "reviewed"
    APPROVED = "approved"
    REFUSED = "refused"
    DELIVERED = "delivered"
    WITHDRAWN = "withdrawn"


class VoteWord(StrEnum):
    """What a reviewer or the chair says."""

    APPROVE = "approve"
    REFUSE = "refuse"


_State = ApplicationState
_Role = RegisterRole
TRANSITIONS: Final[Mapping[tuple[ApplicationState | None, MoveKind], frozenset[RegisterRole]]] = {
    (None, MoveKind.APPLICATION): frozenset((_Role.APPLICANT,)),
    **{
        (state, MoveKind.SUBMISSION): frozenset((_Role.MAKER,))
        for state in (
            _State.APPLIED, _State.SUBMITTED, _State.SEALED, _State.REVIEWED, _State.APPROVED,
        )
    },
    (_State.SUBMITTED, MoveKind.COMMITMENT): frozenset((_Role.REVIEWER,)),
    (_State.SEALED, MoveKind.VOTE): frozenset((_Role.REVIEWER,)),
    (_State.REVIEWED, MoveKind.DECISION): frozenset((_Role.CHAIR,)),
    (_State.APPROVED, MoveKind.DELIVERY): frozenset((_Role.CUSTODIAN,)),
    **{
        (state, MoveKind.WITHDRAWAL): frozenset((_Role.APPLICANT, _Role.CUSTODIAN))
        for state in _State
        if state not in (_State.WITHDRAWN, _State.REFUSED)
    },
}  # fmt: skip
"""Who may do what in which state; what is not here, nobody may."""


@dataclass(frozen=True, kw_only=True)
class Application:
    """One application after some moves. `round` is the digest of the newest submission: votes and
    decisions are about that one, and a new one voids them."""

    name: str
    group: str
    applicant: str
    state: ApplicationState = ApplicationState.APPLIED
    round: str = ""
    maker: str = ""
    candidate: str = ""
    agreement: str = ""
    agreed_until: str = ""
    ledger: str = ""
    commitments: Mapping[str, str] = field(default_factory=dict, repr=False)
    votes: Mapping[str, VoteWord] = field(default_factory=dict, repr=False)
    valid_until: str = ""

    def after(self, move: Move, charter: Charter, *, ledger: str) -> Application:
        """The application after one more move about it; ValueError in words where it is not
        allowed. `ledger` is the digest of what its group holds now."""
        roles = TRANSITIONS.get((self.state, MoveKind(move.kind)))
        if roles is None:
            raise NotAllowed(f"It is {self.state}, where no such move is made.")
        if not roles & charter.members[move.author].roles:
            raise NotAllowed(f"{move.author} may not make it.")
        if MoveKind(move.kind) is MoveKind.SUBMISSION:
            return self._submitted(move, ledger)
        if MoveKind(move.kind) is MoveKind.WITHDRAWAL:
            return self._withdrawn(move)
        if move.facts["round"] != self.round:
            raise NotAllowed("It is about a submission that another has taken the place of.")
        if ledger != self.ledger:
            raise NotAllowed(
                "The ledger changed since the candidate was submitted: votes are void."
            )
        if move.author in (self.maker, self.applicant):
            raise NotAllowed(f"{move.author} made the candidate, or applied for it.")
        return {
            MoveKind.COMMITMENT: self._committed,
            MoveKind.VOTE: self._voted,
            MoveKind.DECISION: self._decided,
            MoveKind.DELIVERY: self._delivered,
        }[MoveKind(move.kind)](move, charter)

    def _submitted(self, move: Move, ledger: str) -> Application:
        _check_facts(move, "application", "candidate", "agreement", "agreed_until")
        if move.author == self.applicant:
            raise NotAllowed(f"{move.author} applied for it.")
        return replace(
            self,
            state=ApplicationState.SUBMITTED,
            round=move.digest,
            maker=move.author,
            candidate=_digest(move.facts["candidate"]),
            agreement=_digest(move.facts["agreement"]),
            agreed_until=_date(move.facts["agreed_until"]),
            ledger=ledger,
            commitments={},
            votes={},
            valid_until="",
        )

    def _committed(self, move: Move, charter: Charter) -> Application:
        _check_facts(move, "application", "round", "commitment")
        if move.author in self.commitments:
            raise NotAllowed(f"{move.author} voted already.")
        commitments = {**self.commitments, move.author: _digest(move.facts["commitment"])}
        complete = len(commitments) >= charter.reviewers
        state = ApplicationState.SEALED if complete else ApplicationState.SUBMITTED
        return replace(self, commitments=commitments, state=state)

    def _voted(self, move: Move, charter: Charter) -> Application:
        _check_facts(move, "application", "round", "vote", "reason", "salt")
        if move.author not in self.commitments or move.author in self.votes:
            raise NotAllowed(f"{move.author} has no vote to open.")
        vote = SealedVote.of(move.facts)
        if not hmac.compare_digest(vote.commitment, self.commitments[move.author]):
            raise NotAllowed(f"It is not the vote that {move.author} sealed.")
        votes = {**self.votes, move.author: vote.vote}
        complete = len(votes) == len(self.commitments)
        state = ApplicationState.REVIEWED if complete else ApplicationState.SEALED
        return replace(self, votes=votes, state=state)

    def _decided(self, move: Move, charter: Charter) -> Application:
        _check_facts(move, "application", "round", "decision", "reason", "valid_until")
        if move.author in self.votes:
            raise NotAllowed(f"{move.author} voted on it.")
        if VoteWord(move.facts["decision"]) is VoteWord.REFUSE:
            return replace(self, state=ApplicationState.REFUSED)
        if any(vote is VoteWord.REFUSE for vote in self.votes.values()):
            raise NotAllowed("A reviewer refused, so it cannot be approved.")
        until = _date(move.facts["valid_until"])
        latest = datetime.fromisoformat(move.time) + timedelta(days=charter.valid_days)
        if not move.time[:10] <= until <= latest.date().isoformat():
            raise NotAllowed(f"A decision is valid for {charter.valid_days} days at most.")
        return replace(self, state=ApplicationState.APPROVED, valid_until=until)

    def _delivered(self, move: Move, charter: Charter) -> Application:
        if move.facts["digest"] != self.candidate or move.facts["group"] != self.group:
            raise NotAllowed("It is not the candidate, or not the group, that was approved.")
        if move.time[:10] > self.valid_until:
            raise NotAllowed(f"The decision ended on {self.valid_until}.")
        if move.time[:10] > self.agreed_until:
            raise NotAllowed(f"The agreement ended on {self.agreed_until}.")
        return replace(self, state=ApplicationState.DELIVERED)

    def _withdrawn(self, move: Move) -> Application:
        _check_facts(move, "application", "reason")
        return replace(self, state=ApplicationState.WITHDRAWN)


class NotAllowed(ValueError):
    """A move that the state of an application does not allow, in words."""


@dataclass(frozen=True, kw_only=True)
class SealedVote:
    """A vote with its reason and the salt that seals it. Its commitment says nothing of either,
    not even how long the reason is."""

    vote: VoteWord
    reason: str
    salt: str = field(repr=False)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> SealedVote:
        salt = str(facts["salt"])
        if len(bytes.fromhex(salt)) != SALT_BYTES:
            raise ValueError("no salt")
        return cls(vote=VoteWord(facts["vote"]), reason=str(facts["reason"]), salt=salt)

    @classmethod
    def sealed(cls, vote: str, reason: str) -> SealedVote:
        """A vote with a new salt."""
        if not reason:
            raise Mistake(
                "A vote was to be sealed.", found="It has no reason.", attempt="--reason."
            )
        return cls(vote=VoteWord(vote), reason=reason, salt=secrets.token_hex(SALT_BYTES))

    @classmethod
    def read(cls, path: Path) -> SealedVote:
        """The vote in a file that only its owner may read."""
        try:
            return cls.of(json.loads(read_secret(path)))
        except (ValueError, KeyError, TypeError):
            raise Mistake(
                f"A vote was to be read from {path}.",
                found="It holds none.",
                attempt="the file that `sfumato register review --sealed` wrote.",
            ) from None

    def save(self, path: Path) -> None:
        """Keep it in a new file that only its owner may read."""
        create_secret(path, json.dumps(self.as_facts(), ensure_ascii=False).encode())

    @property
    def commitment(self) -> str:
        """HMAC-SHA-256 of vote and reason under the salt."""
        told = json.dumps([self.vote.value, self.reason], ensure_ascii=False).encode()
        return hmac.digest(bytes.fromhex(self.salt), told, "sha256").hex()

    def as_facts(self) -> dict[str, str]:
        return {"vote": self.vote.value, "reason": self.reason, "salt": self.salt}


def application_of(move: Move) -> Application:
    """A new application from its move."""
    _check_facts(move, "application", "group", "purpose")
    return Application(
        name=str(move.facts["application"]),
        group=str(move.facts["group"]),
        applicant=move.author,
    )


def ledger_digest(releases: Mapping[str, str]) -> str:
    """The digest of what a group holds: names of releases with the digests of their manifests."""
    told = json.dumps(dict(releases), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()


def _check_facts(move: Move, *names: str) -> None:
    if move.facts.keys() != set(names) or not all(
        isinstance(each, str) and each for each in move.facts.values()
    ):
        raise ValueError("no such move")


def _digest(text: object) -> str:
    if not isinstance(text, str) or len(bytes.fromhex(text)) != 32:
        raise ValueError("no digest")
    return text


def _date(text: object) -> str:
    return datetime.strptime(str(text), "%Y-%m-%d").date().isoformat()
