"""Names in scripts other than Latin: as words of their own, or by the titles that go with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import first_names, last_names
from ..word_reading import WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration

_OTHER_SCRIPT = re.compile(r"[Ͱ-῿぀-힯豈-﫿]")
_JOINTS = frozenset({" ", "-", "\u00a0", "・", "·"})
_HAN = "㐀-䶿一-鿿々"
_HAN_NAME = re.compile(
    rf"(?:姓名|患者|病人|氏名|名前|お名前)[:：]?\s?(?P<label>[{_HAN}]{{2,4}})"
    rf"|(?P<title>[{_HAN}]{{1,4}})(?=先生|女士|小姐|医生|醫生|さん|様|氏|君|ちゃん|くん)"
)
_HANGUL_NAME = re.compile(
    r"(?:성명|환자|이름)[:：]?\s?(?P<label>[가-힣]{2,4})|(?P<title>[가-힣]{2,4})(?=\s?(?:씨|님|선생님))"
)
_TITLED = re.compile(
    r"(?:(?:г-н|г-жа|господин|госпожа|доктор|пан|пані|κ\.|κος|κα|κύριος|κυρία|السيد|السيدة|الدكتور|מר|גב'|ד\"ר)\.?\s)"
    r"(?P<title>[^\W\d_]{2,20}(?:[ -][^\W\d_]{2,20}){0,2})"
)


class ForeignNames:
    """Looks for names of the lexicons in Greek, Cyrillic, Hebrew, Arabic and the like, and for
    titles and labels."""

    name = "foreign names"

    def bid(self, document: Document) -> Iterable[Bid]:
        if document.text.isascii() or not _OTHER_SCRIPT.search(document.text):
            return
        yield from self._known(reading(document))
        for pattern in (_HAN_NAME, _HANGUL_NAME, _TITLED):
            for found in pattern.finditer(document.text):
                group = found.lastgroup or "title"
                start, end = found.span(group)
                if pattern is _TITLED:
                    end = start + _capitalised(found.group(group))
                if pattern is _HAN_NAME and group == "title":
                    start = _han_start(found.group(group), end)
                if start < end:
                    yield Bid(
                        start, end, ReferenceKind.NAME, 0.85, self.name, "by a title or a label"
                    )

    def _known(self, read: WordReading) -> Iterator[Bid]:
        named = {fold for fold in read.where if _is_name(fold)}
        places = sorted(place for fold in named for place in read.where[fold])
        run: list[int] = []
        for place in places:
            if run and (place != run[-1] + 1 or read.gap(run[-1]) not in _JOINTS):
                yield self._named(read, run)
                run = []
            run.append(place)
        if run:
            yield self._named(read, run)

    def _named(self, read: WordReading, run: list[int]) -> Bid:
        score = 0.9 if len(run) > 1 else 0.6
        return Bid(
            *read.span(run[0], run[-1]),
            ReferenceKind.NAME,
            score,
            self.name,
            "a name in another script",
        )


def _is_name(fold: str) -> bool:
    return (
        not fold.isascii()
        and ord(fold[0]) > 0x36F
        and len(fold) > 1
        and (fold in first_names() or fold in last_names())
    )


def _capitalised(name: str) -> int:
    """How long the name is without words in small letters at its end; scripts without capitals keep
    all."""
    kept = name
    while kept and kept.rsplit(" ", 1)[-1].islower():
        kept = kept.rpartition(" ")[0]
    return len(kept)


def _han_start(name: str, end: int) -> int:
    """Before a title, the last characters from a usual last name on."""
    for size in (4, 3, 2, 1):
        part = name[-size:]
        if len(name) >= size and (part[:2] in last_names() or part[:1] in last_names()):
            return end - len(part)
    return end


DECLARATION = DetectorDeclaration(
    key="foreign names",
    doc="names in scripts other than Latin",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.WORDS,
    make=ForeignNames,
    order=240,
    gives_way_below=ALWAYS,
)
