"""The text of a statement as the audit keeps it: as it was sent, but not too long and without
possible secrets.

A question that was admitted is written down as the gate has read it. One that was refused was
perhaps not read at all, so its text is recorded. People paste passwords into prompts, and programs
set them in statements. Constants of statements that are no queries, and whatever follows a word
such as *password*, are replaced by `***`."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 2_000
"""Characters that are kept."""
HIDDEN: Final = "***"
_QUERY: Final = re.compile(
    r"\s*(?:\(|--|/\*|select\b|with\b|explain\b|values\b|table\b|from\b)", re.IGNORECASE
)
_ONE_WORD: Final = re.compile(r"\s*[^\s()*,;]+[\s;]*")
_CONSTANT: Final = re.compile(r"\$(\w*)\$.*?(?:\$\1\$|\Z)|'(?:[^']|'')*(?:'|\Z)", re.DOTALL)
_NAMED: Final = re.compile(
    r"""(\b\w*(?:passw(?:or)?d|passphrase|pwd|secret|token|credential|api_?key|private_?key|bearer|identified\s+by)\w*["'`\]]?
    [\s:=>,(]*(?:\b(?:is|to|by|like|in|hash)\b[\s(]*)?)
    ('(?:[^']|'')*(?:'|\Z)|"[^"]*(?:"|\Z)|[^\s'",;()=<>]+)""",
    re.IGNORECASE | re.VERBOSE,
)
_IN_ADDRESS: Final = re.compile(r"(://[^\s/:@']*:)[^\s@']+(?=@)")
_RANDOM: Final = re.compile(r"(?<![\w-])(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])[\w+/=-]{32,}")
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def kept_text(text: str) -> str:
    """The audit's text of a statement that was refused.

    Example:
        >>> kept_text("SELECT nobody FROM people WHERE age = 30")
        'SELECT nobody FROM people WHERE age = 30'
        >>> kept_text("ALTER ROLE ann PASSWORD 'hunter2'; SET x = 'y'")
        'ALTER ROLE ann PASSWORD ***; SET x = ***'
        >>> kept_text("correct-horse-battery")
        '***'
    """
    part = _UNPRINTABLE.sub("?", text[: 2 * LONGEST])
    if _ONE_WORD.fullmatch(part):
        return HIDDEN
    if not _QUERY.match(part):
        part = _CONSTANT.sub(HIDDEN, part)
    part = _NAMED.sub(rf"\1{HIDDEN}", part)
    part = _RANDOM.sub(HIDDEN, _IN_ADDRESS.sub(rf"\1{HIDDEN}", part))
    if len(text) <= LONGEST:
        return part
    return f"{part[:LONGEST]} ... ({len(text):,} characters)"
