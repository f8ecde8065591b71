"""The format of the lists of this folder: words separated by spaces, or phrases separated by
bars."""

from __future__ import annotations


def word_list(text: str) -> frozenset[str]:
    """The words of a text, or its phrases where there are bars.

    Example:
        >>> sorted(word_list("ash birch")), sorted(word_list("green ash|birch"))
        (['ash', 'birch'], ['birch', 'green ash'])
    """
    parts = text.split("|") if "|" in text else text.split()
    return frozenset(" ".join(part.split()) for part in parts)
