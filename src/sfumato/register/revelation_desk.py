"""Revelations in a register: one member asks, another agrees, and the first reveals once."""

from __future__ import annotations

from .moves import ChainHead, MoveKind
from .revelations import Revelation, RevelationStep, new_salt, pseudonym_digest
from .signed_moves import Author, SignedMoves


class RevelationDesk(SignedMoves):
    """Moves about pseudonyms that somebody asked to reveal."""

    def ask_revelation(
        self, *, field: str, pseudonym: str, reason: str, author: Author
    ) -> Revelation:
        """Ask to reveal one pseudonym; another member has to agree."""
        salt = new_salt()
        facts = {
            "revelation": f"reveal-{new_salt()[:12]}",
            "step": RevelationStep.ASKED.value,
            "field": field,
            "salt": salt,
            "pseudonym": pseudonym_digest(salt, pseudonym),
            "reason": reason,
        }
        self._append(MoveKind.REVELATION, facts, author=author)
        return self.state().revelations[facts["revelation"]]

    def agree_revelation(self, name: str, *, reason: str, author: Author) -> ChainHead:
        """Agree to a revelation that somebody else asked for."""
        facts = {"revelation": name, "step": RevelationStep.AGREED.value, "reason": reason}
        return self._append(MoveKind.REVELATION, facts, author=author)

    def use_revelation(self, name: str, *, author: Author) -> ChainHead:
        """Record that a pseudonym is revealed, once, by the member who asked for it."""
        facts = {"revelation": name, "step": RevelationStep.REVEALED.value}
        return self._append(MoveKind.REVELATION, facts, author=author)
