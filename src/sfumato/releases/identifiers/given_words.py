"""Which words were given out and to whom, in a few dozen bytes each, so that no two values share
one."""

from __future__ import annotations

from array import array

SMALLEST = 1 << 12


class GivenWords:
    """An open-addressing table from the hash of a word to the hash of the value that holds it.

    A set of the words themselves would take some 100 bytes for each; this takes 24 to 48. Hashes
    are Python's own, 64 bits keyed anew in every process: two words that share one cost a needless
    further draw (in one of some 300,000 releases of ten million values), and a word is given twice
    only where two values share one as well.

    Example:
        >>> given = GivenWords()
        >>> given.claim("word", "Ada"), given.claim("word", "Grace"), given.claim("word", "Ada")
        (True, False, True)
    """

    __slots__ = ("_count", "_holders", "_words")

    def __init__(self) -> None:
        self._words = array("q", bytes(8 * SMALLEST))
        self._holders = array("q", bytes(8 * SMALLEST))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def claim(self, word: str, value: str) -> bool:
        """Give `word` to `value` if it is free; whether `value` now holds it."""
        words = self._words
        mark = hash(word) or 1  # 0 marks an empty slot.
        last = len(words) - 1
        at = mark & last
        while found := words[at]:
            if found == mark:
                return self._holders[at] == hash(value)
            at = (at + 1) & last
        words[at] = mark
        self._holders[at] = hash(value)
        self._count += 1
        if 3 * self._count > 2 * len(words):
            self._grow()
        return True

    def _grow(self) -> None:
        """Twice the slots, every entry put where it now belongs."""
        size = 2 * len(self._words)
        words, holders = array("q", bytes(8 * size)), array("q", bytes(8 * size))
        for mark, holder in zip(self._words, self._holders, strict=True):
            if mark:
                at = mark & (size - 1)
                while words[at]:
                    at = (at + 1) & (size - 1)
                words[at] = mark
                holders[at] = holder
        self._words, self._holders = words, holders
