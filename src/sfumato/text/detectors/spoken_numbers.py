"""Numbers in English words, as ages and durations are often written: "ninety-two", "two", "a
hundred and one"."""

from __future__ import annotations

SMALL = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen "
        "fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
TENS = {
    word: 10 * number
    for number, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), 2
    )
}
WORD = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|"
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- "
    r"](?:one|two|three|four|five|six|seven|eight"
    r"|nine))?)(?!\w)"
)
"""A pattern for a number up to 99 in words."""


def number_of(words: str) -> int | None:
    """The number that words or digits denote, up to 199; None where they denote none.

    Example:
        >>> number_of("ninety-two"), number_of("A hundred and one"), number_of("94"), number_of("some")
        (92, 101, 94, None)
    """
    total = 0
    parts = words.lower().replace("-", " ").split()
    for part in parts:
        if part.isdecimal():
            total += int(part)
        elif part in SMALL:
            total += SMALL[part]
        elif part in TENS:
            total += TENS[part]
        elif part == "hundred":
            total += 100 - total % 100 if parts[0] in ("a", "one") else 0
        elif part not in ("a", "and"):
            return None
    return total if parts else None
