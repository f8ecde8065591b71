"""Words that sound like names and are nobody's: "Kathel", "Cosborn", "Peabon" in Fig. 22 of Sweeney
2000.

Where every usual name is a real one of the collection, these are left: some 20 million of two and
three syllables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from sfumato.keys import KeyedDraws

from ..lexicons import drugs, first_names, last_names, medical_words, towns, words

_ONSETS = (
    "b br c ch cl cr d dr f fl fr g gl gr h j k l m n p pr r s sh sk sl st str t th tr v w wh "
    "y z".split()
)
_VOWELS = "a e i o u ai ea ee ie oa ou".split()
_MIDDLES = (
    "b bb br ck d dd dr ff g gg l ll lm ln m mb mm mp n nd nn nt p pp r rb rd rl rm rn rt rv "
    "ss st th tt v".split()
)
_ENDS = (
    "d dan den der don land ler ley lin ling low man mer na nan ner ra ran rell ren ris ron "
    "row son ston ton".split()
)


def made_up_words(drawing: KeyedDraws, *value: str, initial: str = "") -> Iterator[str]:
    """Words in small letters without end, those of one value; no lexicon has them.

    Example:
        >>> word = next(made_up_words(KeyedDraws(bytes(range(32))), "Townsend", initial="t"))
        >>> word[0], word in last_names()
        ('t', False)
    """
    onsets = [onset for onset in _ONSETS if onset.startswith(initial)] if initial else _ONSETS
    for number in drawing.numbers("made up", initial, *value):
        word = _built(number, onsets or [initial])
        if not _is_known(word):
            yield word


def made_up_word(drawing: KeyedDraws, *value: str) -> str:
    return next(islice(made_up_words(drawing, *value), 1))


def _built(number: int, onsets: list[str]) -> str:
    parts = []
    number, syllables = divmod(number, 3)
    tables = (onsets, _VOWELS, _MIDDLES, _VOWELS, _ENDS) if syllables else (onsets, _VOWELS, _ENDS)
    for table in tables:
        number, at = divmod(number, len(table))
        parts.append(table[at])
    return "".join(parts)


def _is_known(word: str) -> bool:
    """Whether somebody may be called so, or a reader would take it for something else."""
    return any(
        word in lexicon()
        for lexicon in (first_names, last_names, towns, words, drugs, medical_words)
    )
