"""One slip of the finger apart: a letter more, less or other, or two neighbours exchanged (Damerau,
1964)."""

from __future__ import annotations


def is_misspelt(one: str, other: str) -> bool:
    """Whether the words differ by exactly one slip.

    Example:
        >>> is_misspelt("lang", "long"), is_misspelt("hodgkin", "hodgkins"), is_misspelt("brain", "brian")
        (True, True, True)
        >>> is_misspelt("long", "long"), is_misspelt("long", "lamp")
        (False, False)
    """
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, others = one[start:], other[start:]
    if len(rest) == len(others):
        exchanged = rest[:2] == others[1::-1] and rest[2:] == others[2:]
        return rest[1:] == others[1:] or exchanged
    longer, shorter = (rest, others) if len(rest) > len(others) else (others, rest)
    return longer[1:] == shorter


def deletions(word: str) -> frozenset[str]:
    """The word and what is left of it without one letter: two words one slip apart share at least
    one of these.

    So that a word is compared only with the few that it could be, not with all (Garbe's symmetric
    deletion, 2012).

    Example:
        >>> sorted(deletions("lang") & deletions("long"))
        ['lng']
    """
    return frozenset([word, *(word[:at] + word[at + 1 :] for at in range(len(word)))])
