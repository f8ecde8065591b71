"""Moves that members sign outside the register, such as in a browser at the gate."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from sfumato.errors import Mistake

from .moves import Move, MoveKind
from .recipients import check_group
from .replay import replayed
from .signed_moves import SignedMoves

SIGNED_ELSEWHERE: Final = frozenset(
    (
        MoveKind.APPLICATION, MoveKind.COMMITMENT, MoveKind.VOTE, MoveKind.DECISION,
        MoveKind.WITHDRAWAL, MoveKind.REVELATION,
    )
)  # fmt: skip
"""Moves that need no file, so that they can be signed in a browser."""


class BrowserMoves(SignedMoves):
    """Signed moves."""

    def append_signed(self, payload: bytes, signature: bytes, *, author: str) -> Move:
        """Append a move that its author signed elsewhere, such as in a browser. It must follow the
        end of the chain and bear the time that `next_move` gave, within ten minutes."""
        try:
            move = Move.of(payload, signature)
        except (ValueError, TypeError, RecursionError, AttributeError):
            raise Mistake("A signed move was to be recorded.", found="It is none.") from None
        if move.kind not in SIGNED_ELSEWHERE or move.author != author:
            raise Mistake(
                "A signed move was to be recorded.",
                found="It is of a kind that needs a command, or of another author.",
            )
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            now = max(self._time(), state.head.time)
            in_utc = len(move.time) == len(now) and move.time[-6:] == "+00:00"
            if not in_utc or not _minutes_before(now, 10) <= move.time <= now:
                raise Mistake(
                    f"Move {move.number:,} was to be made in the register.",
                    found="Its time is not now.",
                    attempt="again.",
                )
            if move.kind == MoveKind.APPLICATION:
                check_group(str(move.facts.get("group")), state.known_names, state.is_settled)
            state.after(move)
            writing.append(move)
        return move

    def next_move(self) -> dict[str, Any]:
        """The parts of a move that is signed elsewhere: its number, its time, and the digest of the
        move before it."""
        head = self.state().head
        return {
            "number": head.number + 1,
            "time": max(self._time(), head.time),
            "before": head.digest,
        }


def _minutes_before(time: str, minutes: int) -> str:
    before = datetime.fromisoformat(time) - timedelta(minutes=minutes)
    return before.isoformat(timespec="seconds")
