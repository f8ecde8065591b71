"""Drawing words for values: keyed, so that it can be repeated, and one-to-one, so that no two
values share a word.

The first draw for a value depends on the key and the value alone. A word that is taken, or that is
an original, is passed over for a further draw, with a counter in the HMAC's input. When many draws
fail, the words after the last one are tried in turn. A space is therefore filled to the last word
before it is reported as used up."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from math import prod

from sfumato.errors import PolicyError, Problem
from sfumato.keys import Key

DRAWS = 32
DRAWS_BEFORE_NEXT = 8
SPARE_BITS = (
    64  # What is left over when a number is cut to a space makes no word likelier by 2^-64.
)
PROBES = 64
CROWDED = (
    PROBES // 4
)  # Up to half would do in theory; the sample's chance error must not lead to a dead end.
ROOMY = 1 << 24  # No set of originals that is kept in memory crowds a space this large.


@dataclass(frozen=True, slots=True)
class WordSpace:
    """A numbered set of words: word i joins one entry of every table, chosen by i's digits in mixed
    radix.

    `finish` makes the last correction to a joined word, such as a check digit; it must keep words
    apart.

    Example:
        >>> space = WordSpace((("Ada", "Grace"), (" ",), ("Lovelace", "Hopper")))
        >>> space.size, space.word(3)
        (4, 'Grace Hopper')
    """

    tables: tuple[Sequence[str], ...] = field(repr=False)
    finish: Callable[[str], str] | None = None
    size: int = field(init=False)
    blocks: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", prod(len(table) for table in self.tables))
        object.__setattr__(self, "blocks", (self.size.bit_length() + SPARE_BITS + 255) // 256)

    def word(self, index: int) -> str:
        parts = []
        for table in self.tables:
            if len(table) == 1:
                parts.append(table[0])
            else:
                index, at = divmod(index, len(table))
                parts.append(table[at])
        word = "".join(parts)
        return word if self.finish is None else self.finish(word)


def redrawn_words(count: int) -> str:
    """The manifest's words about values whose first draw was taken."""
    return (
        f"{count:,} drawn again because their first was taken, which a release of other values "
        "may not repeat"
    )


class Draws:
    """Gives every value a word of its own. `avoid` holds originals, casefolded, that must not be
    given as words."""

    def __init__(self, key: Key, *, domain: str, avoid: Container[str] = ()) -> None:
        self.redrawn = 0
        self._digest = key.digest
        self._domain = domain
        self._avoid = avoid
        self._given = GivenWords()

    def is_crowded(self, space: WordSpace) -> bool:
        """Whether originals fill much of a space, by a keyed sample, so that avoiding them may
        leave too little."""
        if space.size > ROOMY:
            return False
        words = (space.word(self._index(b"crowded", attempt, space)) for attempt in range(PROBES))
        return sum(word.casefold() in self._avoid for word in words) > CROWDED

    def cycle(self, space: WordSpace) -> dict[str, str]:
        """One keyed round trip through a small space: every word to another word, no two to the
        same."""
        words = [space.word(index) for index in range(space.size)]
        words.sort(key=lambda word: self._digest(b"cycle" + word.encode()))
        return dict(zip(words, words[1:] + words[:1], strict=True))

    def claim(self, word: str, value: str) -> bool:
        """Give `value` this very word, if it is free."""
        return self._given.claim(word, value)

    def take(
        self, value: str, spaces: Sequence[WordSpace], *, avoid: Container[str] | None = None
    ) -> str:
        """The word for `value`, from the first of the spaces where a few draws find a free one."""
        avoid = self._avoid if avoid is None else avoid
        before = len(self._given)
        message = value.encode("utf-8", "surrogatepass")
        own = value.casefold()
        attempt = 0
        for space in spaces:
            for _ in range(DRAWS if space is spaces[-1] else DRAWS_BEFORE_NEXT):
                index = self._index(message, attempt, space)
                word = space.word(index)
                folded = word.casefold()
                if folded != own and folded not in avoid and self._given.claim(word, value):
                    self.redrawn += attempt > 0 and len(self._given) > before
                    return word
                attempt += 1
        word = self._walk(value, space, start=index, avoid=avoid)
        self.redrawn += len(self._given) > before
        return word

    def _walk(self, value: str, space: WordSpace, *, start: int, avoid: Container[str]) -> str:
        """The next free word after number `start`."""
        own = value.casefold()
        for step in range(1, space.size + 1):
            word = space.word((start + step) % space.size)
            folded = word.casefold()
            if folded != own and folded not in avoid and self._given.claim(word, value):
                return word
        found = (
            f"its shape allows {space.size:,} different replacements, and the field has "
            "more values "
            f"of that shape than are left ({len(self._given):,} of all shapes were "
            "replaced before)."
        )
        attempt = 'replace = "lookup" or "hash", which do not keep the shape.'
        raise PolicyError(
            [Problem(where=f"fields.{self._domain}.replace", found=found, attempt=attempt)]
        )

    def _index(self, message: bytes, attempt: int, space: WordSpace) -> int:
        head = attempt.to_bytes(4, "big")
        if space.blocks == 1:
            return int.from_bytes(self._digest(head + b"\0\0\0\0" + message), "big") % space.size
        parts = [self._digest(head + n.to_bytes(4, "big") + message) for n in range(space.blocks)]
        return int.from_bytes(b"".join(parts), "big") % space.size


# Which words were given out and to whom, in a few dozen bytes each, so that no two values share
# one.

SMALLEST = 1 << 12


class GivenWords:
    """An open-addressing table from the hash of a word to the hash of the value that holds it.

    A set of the words themselves would take some 100 bytes for each; this takes 24 to 48. Hashes
    are Python's own, 64 bits keyed anew in every process. Two words with one hash cost a needless
    further draw, in one of some 300,000 releases of ten million values. A word is given twice only
    where two values share a hash as well.

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
