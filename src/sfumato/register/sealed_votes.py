"""Sealed votes: a reviewer commits to a vote before anybody sees it, and opens it when all have.

The commitment is an HMAC of vote and reason under a random salt, of one length whatever the vote.
The browser makes the same one (gate/pages/assets/register_moves.js)."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sfumato.errors import Mistake
from sfumato.files import create_secret, read_secret

SALT_BYTES: Final = 32


class VoteWord(StrEnum):
    """The vote of a reviewer or the chair."""

    APPROVE = "approve"
    REFUSE = "refuse"


@dataclass(frozen=True, kw_only=True)
class SealedVote:
    """A vote with its reason and the salt that seals it. Its commitment discloses neither, not even
    the length of the reason."""

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
                "A sealed vote was asked for.", found="It has no reason.", attempt="--reason."
            )
        return cls(vote=VoteWord(vote), reason=reason, salt=secrets.token_hex(SALT_BYTES))

    @classmethod
    def read(cls, path: Path) -> SealedVote:
        """The vote in a file that only its owner may read."""
        if not path.is_file():
            raise Mistake(
                f"A vote was expected in {path}.",
                found="There is no such file.",
                attempt="the file that `sfumato register review --sealed` wrote.",
            )
        try:
            return cls.of(json.loads(read_secret(path)))
        except (ValueError, KeyError, TypeError):
            raise Mistake(
                f"A vote was expected in {path}.",
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
