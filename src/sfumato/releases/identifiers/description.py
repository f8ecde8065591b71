"""The first words of a manifest about a replaced identifier: the part that follows from the policy
alone."""

from __future__ import annotations

from sfumato.policy import Method, Replacement

_BEGINNINGS = {
    Method.HASH: "hashed: HMAC-SHA-256, ",
    Method.LOOKUP: "replaced by random pseudonyms",
    Method.MADE_UP: "made up: values of the same shape, one-to-one, ",
    Method.SURROGATE: "replaced by realistic surrogates ({kind}, words of ",
}


def beginning(method: Method, *, kind: str = "") -> str:
    """The first words about a replaced field. The rest, such as whose key it was, is known to the
    holder alone.

    Example:
        >>> beginning(Method.SURROGATE, kind="name")
        'replaced by realistic surrogates (name, words of '
    """
    return _BEGINNINGS[method].format(kind=kind)


def begins_as_asked(said: str, asked: Replacement) -> bool:
    """Whether words about a field are of the method that its policy asks for.

    Example:
        >>> begins_as_asked("hashed: HMAC-SHA-256, 64 hex digits", Replacement(method=Method.HASH))
        True
    """
    return said.startswith(beginning(asked.method, kind=asked.kind))
