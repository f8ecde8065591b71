"""Constants in place of identifiers: a mask, a keyword, or nothing at all (Garfinkel 2016, section
4.3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.policy import Method, Replacement

MASK = "XXXXXX"


def constant_of(asked: Replacement) -> str | None:
    """The replacement of every value; None where the field is emptied.

    Example:
        >>> constant_of(Replacement(method=Method.KEYWORD, word="PATIENT"))
        'PATIENT'
    """
    return {Method.MASK: MASK, Method.KEYWORD: asked.word}.get(asked.method)


def constant_words(asked: Replacement) -> str:
    """The manifest's words about a constant.

    Example:
        >>> constant_words(Replacement(method=Method.NULL))
        'emptied: no row has a value'
    """
    if asked.method is Method.NULL:
        return "emptied: no row has a value"
    if asked.method is Method.KEYWORD:
        return f"replaced by the keyword {asked.word}: every value is the same"
    return "masked: every value is the same"


class MaskReplacer:
    """The same mask for every value, whatever its length, so that only null and not null stay
    apart.

    Example:
        >>> MaskReplacer().replace(["Ada", "Grace Hopper"])
        ['XXXXXX', 'XXXXXX']
    """

    redrawn: int = 0

    def replace(self, values: Sequence[str]) -> list[str]:
        return [MASK] * len(values)

    def describe(self) -> str:
        return f"masked: every value became {MASK}"
