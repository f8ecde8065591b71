"""The end of a register, kept elsewhere, against which a rollback to an older register is
detected."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sfumato.accounting import AccountHead, read_head
from sfumato.errors import Mistake


@dataclass(frozen=True, kw_only=True)
class RegisterAnchor:
    """The end of a register as it was kept elsewhere."""

    number: int
    digest: str
    account: AccountHead | None = None


def read_anchor(given: str | Path) -> RegisterAnchor:
    """An anchor from its line, NUMBER:DIGEST, or from a file with that line. The end of the privacy
    account may follow."""
    text = str(given)
    if ":" not in text or Path(text).is_file():
        try:
            text = Path(given).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            text = ""
    moves, _, account = text.strip().partition(" ")
    number, _, digest = moves.partition(":")
    try:
        charged = read_head(account) if account else None
    except ValueError:
        number, charged = "", None
    if not number.isdigit() or len(digest) != 64:
        raise Mistake(
            "An anchor of the register was expected.",
            found="There is no move number with a digest.",
            attempt="the line that `sfumato register verify` printed, or a file with it.",
        )
    return RegisterAnchor(number=int(number), digest=digest.lower(), account=charged)
