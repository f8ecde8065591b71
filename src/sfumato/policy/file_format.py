"""The format of policy files: its number, which every written policy names, and the refusal of any
other."""

from __future__ import annotations

from typing import Final

from sfumato.hierarchies import is_whole

from .table_cursor import Reader, kind_of

FORMAT: Final = 1
"""The format that is written, and that a policy is in where it names none."""
READ_BY: Final = {1: "0.2.0 and later"}
"""Which versions of Sfumato read each format."""


def reads_format(top: Reader) -> bool:
    """Whether a policy is in a format that this version reads; the problem is reported if it is
    not.

    Example:
        >>> reads_format(Reader({"format": 1}, where="", problems=[]))
        True
    """
    given = top.get("format")
    if given is None or (is_whole(given) and given == FORMAT):
        return True
    found = (
        f"It is {given}"
        if is_whole(given)
        else f"It must be a whole number, and is {kind_of(given)}"
    )
    known = ", ".join(
        f"format {number} is read by Sfumato {versions}" for number, versions in READ_BY.items()
    )
    newer = (
        f", or a version of Sfumato that reads format {given}"
        if is_whole(given) and given > FORMAT
        else ""
    )
    top.report("format", f"{found}; {known}.", attempt=f"format = {FORMAT}{newer}.")
    return False
