"""Names of people whom the text calls somebody's relative: "her daughter Anna", "mother: Mary
Long"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import first_names, last_names, relatives, words
from ..word_reading import LOWER, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .name_evidence import NEVER, TITLES, evidence, reach

_OWNERS = frozenset("his her their my our your the patient's a whose patients".split())
_GAPS = (" ", ", ", " (", ": ", " - ", " – ", ", (", ' "', " “", "(", " named ")
_BETWEEN = frozenset({"named", "called", "is", "was", "who"})


class Relatives:
    """Looks behind each word for a relative; "daughters Anna and Beth" are two."""

    name = "relatives"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.places(_last_words()):
            yield from self._behind(read, place)
            yield from self._before(read, place)

    def _behind(self, read: WordReading, place: int) -> Iterator[Bid]:
        at = place + 1
        of_baby = (
            read.folds[place] == "baby"
            and at + 1 < len(read)
            and read.folds[at] in ("girl", "boy")
            and read.bares[at + 1] in first_names()
        )
        if at < len(read) and (of_baby or read.folds[at] in _BETWEEN) and read.gap(place) == " ":
            place, at = at, at + 1
        while (
            at < len(read)
            and read.gap(at - 1) in _GAPS
            and (score := _score(read, at, owner=place))
        ):
            last = reach(read, at, most=3)
            yield Bid(
                read.starts[at],
                read.bare(last)[1],
                ReferenceKind.NAME,
                score,
                self.name,
                "behind the word for a relative",
            )
            at = last + 1
            if at < len(read) and read.folds[at] == "and" and read.gap(last) in (" ", ", "):
                at += 1
            elif at >= len(read) or read.gap(last) != ", ":
                break

    def _before(self, read: WordReading, place: int) -> Iterator[Bid]:
        """Anna, her daughter, …"""
        owner = place - 1
        if (
            owner < 1
            or read.folds[owner] not in _OWNERS
            or read.before(owner) != ", "
            or read.gap(owner) != " "
        ):
            return
        name = owner - 1
        if read.is_capital(name) and evidence(read, name).net > 0.5 and not read.opens(owner):
            reason = "before the word for a relative"
            yield Bid(
                read.starts[name], read.bare(name)[1], ReferenceKind.NAME, 0.7, self.name, reason
            )


def _score(read: WordReading, place: int, *, owner: int) -> float:
    """How sure a name at this place is: surest with a known name and an owner, as in "her daughter
    Anna"."""
    fold = read.bares[place]
    if fold in NEVER or fold in TITLES:
        return 0.0
    if read.shapes[place] == LOWER:
        usual = first_names().get(fold, "x0")[1] >= "3" and fold not in words()
        return 0.7 if read.is_caseless and usual else 0.0
    if not read.is_capital(place):
        return 0.0
    known = fold in first_names() or fold in last_names()
    net = evidence(read, place).net
    owned = owner > 0 and read.folds[owner - 1] in _OWNERS
    if net > 0.5 and known:
        return 0.95 if owned else 0.9
    if net > 0:
        return 0.85 if owned else 0.7
    return 0.55 if known and read.gap(owner) == " " else 0.0


@cache
def _last_words() -> frozenset[str]:
    """A phrase such as "mother in law" is found by its last word, if that is no word for others
    too."""
    return frozenset(phrase.rpartition(" ")[2] for phrase in relatives()) | {"law"}


DECLARATION = DetectorDeclaration(
    key="relatives",
    doc="names of somebody's relatives",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.WORDS,
    make=Relatives,
    order=250,
)
