"""One name however it is spelt: Müller, Mueller and MUELLER; O'Brien, O’Brien and OBrien; Weiß and
WEISS.

Everything that compares names asks here. Letters with blanks between (K e l l e r) are joined
before, in `hidden`: a reader sees the word."""

from __future__ import annotations

import re
from unicodedata import normalize

from .lexicons.folding import folded

_DIGRAPHS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae", "œ": "oe"}
)
_APOSTROPHES = re.compile("['’ʼ`´\u2018\u02bb-]")
_POSSESSIVE = re.compile(r"(?<=.)['’ʼ]s\Z", re.IGNORECASE)
_PAIRS = re.compile("ae|oe|ue|aa|ss|[äöüåøæœß]")
_FORMS = {
    **dict.fromkeys(("ae", "ä", "æ"), ("ae", "ä", "a\u0308", "æ")),
    **dict.fromkeys(("oe", "ö", "ø", "œ"), ("oe", "ö", "o\u0308", "ø", "œ")),
    **dict.fromkeys(("ue", "ü"), ("ue", "ü", "u\u0308")),
    **dict.fromkeys(("aa", "å"), ("aa", "å", "a\u030a")),
    **dict.fromkeys(("ss", "ß"), ("ss", "ß")),
}
_BARE = {"ä": "a", "ö": "o", "ü": "u", "å": "a", "ø": "o"}
_JOINED_PREFIX = re.compile(r"[odl](?=[^\W\d_]{3})")


def name_key(word: str) -> str:
    """The usual spelling of a part of a name: folded as lexicons have it, without apostrophe,
    hyphen or possessive.

    Example:
        >>> [name_key(word) for word in ("O’BRIEN", "OBrien's", "Weiß", "MÜLLER", "Mueller")]
        ['obrien', 'obrien', 'weiss', 'muller', 'mueller']
    """
    return _APOSTROPHES.sub("", folded(_POSSESSIVE.sub("", word)))


def name_spellings(word: str) -> frozenset[str]:
    """Every key under which a part of a name may be found: a letter with two dots has two
    spellings.

    Example:
        >>> sorted(name_spellings("Müller")), sorted(name_spellings("Mueller")), sorted(name_spellings("O'Brien"))
        (['mueller', 'muller'], ['mueller'], ['obrien'])
    """
    key = name_key(word)
    if word.isascii():
        return frozenset({key})
    written_out = normalize("NFKC", word).casefold().translate(_DIGRAPHS)
    return frozenset({key, name_key(written_out)})


def spelling_pattern(word: str) -> str:
    """A regular expression for a word of a name in any of its spellings; ignore case with it.

    Example:
        >>> bool(re.fullmatch(spelling_pattern("Mueller"), "MÜLLER", re.IGNORECASE))
        True
        >>> [bool(re.fullmatch(spelling_pattern("OBrien"), other, re.I)) for other in ("O’Brien", "o'brien", "Brien")]
        [True, True, False]
    """
    plain = normalize("NFC", word).lower()
    pieces: list[str] = []
    last = 0
    for found in _PAIRS.finditer(plain):
        forms = dict.fromkeys((*_FORMS[found.group()], *filter(None, [_BARE.get(found.group())])))
        pieces += (re.escape(plain[last : found.start()]), f"(?:{'|'.join(forms)})")
        last = found.end()
    pattern = "".join((*pieces, re.escape(plain[last:])))
    return f"{pattern[0]}['’ʼ]?{pattern[1:]}" if _JOINED_PREFIX.match(plain) else pattern
