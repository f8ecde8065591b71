"""Moves: everything that happens in a register, each signed by its author and chained to the one
before.

A move is a payload of JSON with number, time, kind, author and facts, and the digest of the move
before it. Its author's Ed25519 signature is over the payload's bytes (DSSE). Write access to the
file is therefore not enough to sign a move as somebody else."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Self

from sfumato.hash_chain import FIRST
from sfumato.signatures import SigningKey, VerifyKey, parse_once, pre_authentication

PAYLOAD: Final = "application/vnd.sfumato.move+json"
_TIME: Final = re.compile(r"2\d{3}-\d\d-\d\d(T\d\d:\d\d:\d\d\+00:00)?", re.ASCII)
"""A time in UTC, as a day or to the second: in one form, later times are later texts."""
_PARTS: Final = {"number", "time", "kind", "author", "facts", "before"}


class MoveKind(StrEnum):
    """The records of a register."""

    CHARTER = "charter"
    ROTATION = "rotation"
    RELEASE = "release"
    PEOPLE = "people"
    RECIPIENTS = "recipients"
    APPLICATION = "application"
    AGREEMENT = "agreement"
    PROPOSAL = "proposal"
    SUBMISSION = "submission"
    COMMITMENT = "commitment"
    VOTE = "vote"
    DECISION = "decision"
    DELIVERY = "delivery"
    WITHDRAWAL = "withdrawal"
    CONFIRMATION = "confirmation"
    INCIDENT = "incident"
    REVELATION = "revelation"


@dataclass(frozen=True, kw_only=True)
class ChainHead:
    """The end of a register's chain: the number of its last move, that move's digest and time."""

    number: int = 0
    digest: str = FIRST
    time: str = ""

    def line(self) -> str:
        """The head as one line, to be kept elsewhere."""
        return f"{self.number}:{self.digest}"


@dataclass(frozen=True, kw_only=True)
class Move:
    """One move of the store."""

    payload: bytes = field(repr=False)
    signature: bytes = field(repr=False)
    number: int
    time: str
    kind: str
    author: str
    facts: Mapping[str, Any]
    before: str

    @classmethod
    def signed(
        cls,
        kind: MoveKind,
        facts: Mapping[str, Any],
        *,
        author: str,
        key: SigningKey,
        after: ChainHead,
        time: str,
    ) -> Self:
        """A move that follows the head of the chain."""
        entry = {
            "number": after.number + 1,
            "time": max(time, after.time),
            "kind": kind.value,
            "author": author,
            "facts": dict(facts),
            "before": after.digest,
        }
        payload = json.dumps(
            entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        ).encode()
        return cls.of(payload, key.sign(pre_authentication(PAYLOAD, payload)))

    @classmethod
    def of(cls, payload: bytes, signature: bytes) -> Self:
        """Read a move; ValueError where it is none."""
        entry = json.loads(payload.decode("utf-8"), object_pairs_hook=parse_once)
        if not isinstance(entry, dict) or entry.keys() != _PARTS:
            raise ValueError("no move")
        kinds = {
            "number": int,
            "time": str,
            "kind": str,
            "author": str,
            "facts": dict,
            "before": str,
        }
        if any(type(entry[name]) is not kind for name, kind in kinds.items()):
            raise ValueError("no move")
        if _TIME.fullmatch(entry["time"]) is None:
            raise ValueError("no time")
        datetime.fromisoformat(entry["time"])
        return cls(payload=payload, signature=signature, **entry)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.payload).hexdigest()

    @property
    def head(self) -> ChainHead:
        return ChainHead(number=self.number, digest=self.digest, time=self.time)

    def follows(self, head: ChainHead) -> bool:
        """Whether it is the next move after a head, no earlier in time."""
        return (
            self.number == head.number + 1 and self.before == head.digest and self.time >= head.time
        )

    def is_signed_by(self, key: VerifyKey) -> bool:
        return key.verifies(self.signature, pre_authentication(PAYLOAD, self.payload))

    def as_dict(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "time": self.time,
            "kind": self.kind,
            "author": self.author,
            "facts": dict(self.facts),
            "before": self.before,
            "digest": self.digest,
            "signature": base64.b64encode(self.signature).decode(),
        }
