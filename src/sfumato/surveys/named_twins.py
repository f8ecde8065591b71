"""Pairs of fields whose names mark them as a code and its words, such as CD_CARGO and DS_CARGO."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .name_words import split_words, words_of

CODES = frozenset(
    "code codes cd cod codigo codice kode kod id nr no num number numero nummer key abbreviation "
    "abbr short sigla sg kuerzel kurz schluessel".split()
)
WORDS = frozenset(
    "label libelle lib lbl description desc descr ds descricao descripcion descrizione name nm "
    "nome nombre bezeichnung bez beschreibung omschrijving text title long display".split()
)
_JOINING = frozenset("of the a an de la le les du des do da dos das del der die das di".split())


def paired_names(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Fields that are called alike but for a word for a code and a word for words.

    Example:
        >>> [*paired_names(["CD_CARGO", "age", "DS_CARGO", "Code de la commune", "Libellé de la commune"])]
        [('CD_CARGO', 'DS_CARGO'), ('Code de la commune', 'Libellé de la commune')]
        >>> [*paired_names(["code", "description", "REASONCODE", "REASONDESCRIPTION"])]
        [('code', 'description'), ('REASONCODE', 'REASONDESCRIPTION')]
    """
    codes: dict[tuple[str, ...], str] = {}
    words: dict[tuple[str, ...], str] = {}
    for name in names:
        said = split_words(words_of(name))
        for kind, found in ((CODES, codes), (WORDS, words)):
            if len(kind.intersection(said)) == 1:
                found.setdefault(_about(said, kind), name)
    for about, code in codes.items():
        if words.get(about, code) != code:
            yield code, words[about]


def _about(said: Sequence[str], kind: frozenset[str]) -> tuple[str, ...]:
    """The subject of the field: its words without those for a code, and without articles."""
    return tuple(word for word in said if word not in kind and word not in _JOINING)
