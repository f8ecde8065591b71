"""Hospitals, employers and other bodies: the words that are their own are made up, the general ones
stay.

"Marina Corp" becomes "Garlaw Corp", "Brigham's" becomes "Namingham's" (Sweeney 2000, Fig. 22). One
that has general words only, such as "the General Hospital", cannot be replaced so, and is
suppressed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sfumato.keys import KeyedDraws

from ..lexicons import folded
from .made_up_words import made_up_words
from .numbers import reshaped

_WORD = re.compile(r"[^\W\d_]+|\d+")
GENERAL = frozenset(
    "the a an of and for at in on de la le les el los du des der die das und et y e von "
    "van hospital hospitals "
    "clinic clinics infirmary hospice medical medicine health healthcare care centre "
    "center general regional "
    "memorial community university college school high academy institute laboratory "
    "laboratories pharmacy practice "
    "surgery surgical associates group partners corp corporation inc incorporated llc llp "
    "ltd limited co company "
    "plc gmbh ag kg sa srl bv nv oy ab bank insurance trust foundation department division "
    "ward unit service "
    "services church st saint children women veterans nursing home house rehabilitation "
    "cancer heart eye dental "
    "psychiatric mental emergency international national industries holdings systems "
    "solutions enterprises bros "
    "brothers sons & airlines motors union society association federation club court "
    "police ministry office agency "
    "authority board council commission committee s".split()
)
_ACRONYM = 5


def body_surrogates(value: str, drawing: KeyedDraws) -> Iterator[str]:
    """Candidates in the same written form; none where no word is the body's own.

    Example:
        >>> next(body_surrogates("Marina Corp", KeyedDraws(bytes(range(32))))).split()[1]
        'Corp'
        >>> list(body_surrogates("the General Hospital", KeyedDraws(bytes(range(32)))))
        []
    """
    own = [word for word in _WORD.findall(value) if folded(word) not in GENERAL]
    if not own:
        return
    words = {word: made_up_words(drawing, "body", folded(word)) for word in own}
    numbers = drawing.numbers("body", folded(value))
    while True:
        number = next(numbers)
        drawn = {word: _other(word, next(words[word]), number) for word in words}
        yield with_words(value, drawn)


def with_words(value: str, drawn: Mapping[str, str]) -> str:
    """The value with other words and numbers in place of those that were drawn for."""
    return _WORD.sub(lambda found: drawn.get(found.group(), found.group()), value)


def _other(word: str, made_up: str, number: int) -> str:
    if word.isdecimal() or (word.isupper() and len(word) <= _ACRONYM and word.isascii()):
        return reshaped(word, number)
    if word.isupper():
        return made_up.upper()
    return made_up if word.islower() else made_up.capitalize()
