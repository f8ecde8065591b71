"""Letters and digits that look alike in different scripts, and one spelling for all of them.

The table follows the Unicode list of confusable characters (UTS #39), without pairs of ASCII
characters and without what decomposition, case and names of characters already give."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

# fmt: off
LIKE_ASCII: Final = {
    "2": "ƨϩᒿꙅꛯꝛ",
    "3": "ȝɜʒзӡⳍꝫ\U000118ca\U00016f3b",
    "4": "Ꮞ\U000118cf",
    "5": "ƽ\U000118db",
    "6": "бᏮⳓ\U000118d5",
    "7": "\U000104fa",
    "8": "ȣ\U0001031a\U0001e8cb",
    "9": "ⳋꝯ\U000118cc\U000118d6",
    "a": "ɑαаᎪᗅꓮ\U000102a0\U00016f40",
    "b": "ƅβвьᏏᏴᑲᖯᗷꓐꞵ\U00010282\U000102a1\U00010301",
    "c": "сᏟⲥꓚ\U000102a2\U00010302\U0001043d\U0001051c\U000118f2",
    "d": "ԁᎠᏧᑯᗞᗪꓒꓓ",
    "e": "εеҽᎬⴹꓰꬲ\U00010286\U000118c6\U000118ce",
    "f": "ϝքᖴꓝꬵ\U00010287\U000102a5\U00010525\U000118c2",
    "g": "ƍԍցᏀᏳꓖ",
    "h": "ηнһհᎻᏂᕼⲏꓧ\U000102cf",
    "i": "ɩιіᎥꙇ",
    "j": "ϳјᎫᒍꓙ",
    "k": "ĸκкᏦᛕⲕꓗ\U00010518",
    "l": "ǀӏ\u05d5\u05df\u0627\u07caᏞᒪᛁⲓⳑⵏꓡꓲ"
         "\U0001028a\U00010309\U00010320\U00010443\U00010526\U000118c3\U000118d2\U00016f16\U00016f28\U0001e8c7",
    "m": "μϻмᎷᗰᛖⲙꓟ\U000102b0\U00010311",
    "n": "νոռⲛꓠ\U00010513",
    "o": "οσоօ\u05e1\u0647\u06be\u06c1\u06d5ଠഠဝჿዐᴑⲟⵔ〇ꓳꬽ"
         "\U00010292\U000102ab\U0001042c\U000104ea\U00010516\U000118c8\U000118d7",
    "p": "ρрᏢᑭⲣꓑ\U00010295",
    "q": "ԛգզⵕ",
    "r": "гᎡᎱᏒᖇᴦⲅꓣꭇꭈ\U000104dc\U00016f35",
    "s": "ѕտᏕᏚꓢ\U00010296\U00010448\U000118c1\U00016f3a",
    "t": "τтᎢⲧꓔ\U00010297\U000102b1\U00010315\U00016f0a",
    "u": "սሀᑌꓴꞟ\U000104f6\U000118d8\U00016f42",
    "v": "ѵ\u05d8Ꮩᐯⴸꓦꛟ\U0001051d\U00011706\U000118c0\U00016f08",
    "w": "ɯѡԝաᎳᏔꓪ\U0001170a\U0001170e\U0001170f\U000118ef",
    "x": "χхᕁᕽᚷⲭⵝꓫꭓ\U00010290\U000102b4\U00010317\U00010322\U00010527\U000118ec",
    "y": "ɣγυуүყᎩᎽⲩꓬ\U000102b2\U000118dc\U00016f43",
    "z": "ζᏃꓜ\U000102f5\U000118c4\U000118c9",
}
# fmt: on
"""Letters of other scripts, without case and accents, by the ASCII character they look like."""
_SEVERAL: Final = {"æ": "ae", "œ": "oe", "þ": "th", "ŋ": "ng", "ĳ": "ij", "ꜳ": "aa"}
_ASCII_OF: Final = {each: plain for plain, like in LIKE_ASCII.items() for each in like} | _SEVERAL
_LATIN: Final = re.compile(
    r"LATIN (?:SMALL |CAPITAL )?LETTER (?:SMALL CAPITAL )?"
    r"(?:DOTLESS |OPEN |LONG |BARRED |AFRICAN |SCRIPT )?([A-Z])(?: WITH .*)?"
)
"""Names of letters that are ASCII letters but for a stroke, a hook or their form."""
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0\u034f")
"""Characters that are shown as nothing, though Unicode calls them letters or marks."""


def is_unseen(character: str) -> bool:
    """Whether a character is shown as nothing: marks of format, selectors of variants, fillers.

    Example:
        >>> is_unseen("\\u200b"), is_unseen("a"), is_unseen(" ")
        (True, False, False)
    """
    return (
        unicodedata.category(character) == "Cf"
        or character in _FILLERS
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
    )


def skeleton(text: str) -> str:
    """A text without case, accents and unseen characters, with ASCII for letters and digits that
    look like it. Blanks and marks stay. Texts with one skeleton look alike.

    Example:
        >>> skeleton("Łódź ١٢"), skeleton("\\u0430bc"), skeleton("Ａ–7")
        ('lodz 12', 'abc', 'a–7')
    """
    return text.lower() if text.isascii() else "".join(map(_plain, text))


@lru_cache(maxsize=1 << 14)
def _plain(character: str) -> str:
    folded = unicodedata.normalize("NFKD", character).casefold()
    letters = unicodedata.normalize("NFKD", folded)
    return "".join(
        _letter(each) for each in letters if not unicodedata.combining(each) and not is_unseen(each)
    )


def _letter(character: str) -> str:
    if character.isascii():
        return character
    if (found := _ASCII_OF.get(character)) is not None:
        return found
    if (digit := unicodedata.decimal(character, None)) is not None:
        return str(digit)
    latin = _LATIN.fullmatch(unicodedata.name(character, ""))
    return latin[1].lower() if latin else character
