"""Hospitals, clinics, homes and practices, by their kind or by names of their own: "at
Brigham's"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import hospitals, words
from ..word_reading import LETTER, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .named_bodies import first_word, last_word

_HEADS = frozenset(
    "hospital hospitals clinic clinics infirmary hospice sanatorium sanitarium dispensary "
    "polyclinic hospitals' "
    "medical klinik klinikum krankenhaus hôpital hopital clinique ospedale hospitalet "
    "ziekenhuis sjukhus sykehus "
    "sygehus szpital nemocnice bolnica hastanesi sairaala spital krankenanstalt medicenter "
    "healthcare hosp".split()
)
_PAIRS = {
    "center": (
        "medical",
        "med",
        "health",
        "cancer",
        "care",
        "surgical",
        "rehabilitation",
        "rehab",
        "nursing",
        "trauma",
        "birth",
    ),
    "ctr": ("medical", "med", "health", "cancer", "care", "surgical", "rehab", "nursing", "trauma"),
    "centre": (
        "medical",
        "health",
        "cancer",
        "care",
        "surgical",
        "rehabilitation",
        "nursing",
        "trauma",
    ),
    "home": ("nursing", "care", "rest", "retirement", "convalescent", "group", "veterans"),
    "group": ("medical", "physicians"),
    "associates": (
        "medical",
        "cardiology",
        "pediatric",
        "orthopedic",
        "orthopaedic",
        "surgical",
        "oncology",
        "radiology",
    ),
    "practice": ("medical", "family", "surgery", "dental"),
    "institute": (
        "cancer",
        "heart",
        "eye",
        "cardiovascular",
        "neurological",
        "rehabilitation",
        "psychiatric",
        "medical",
    ),
    "system": ("health", "healthcare"),
    "pharmacy": ("",),
    "surgery": ("road", "street", "hill", "park"),
    "living": ("assisted",),
    "trust": ("nhs", "hospitals", "foundation", "hospital"),
}
_FORWARD = frozenset(
    "hospital clinic hôpital hopital clinique ospedale hospitalet infirmary clinica hospitais".split()
)
_GENERIC = frozenset(
    "the a general local emergency day outpatient inpatient this that our their your "
    "psychiatric mental military "
    "prison university city county district regional central state private public "
    "community teaching children's "
    "women's veterans field medical surgical rehabilitation health nursing care group home "
    "center pain walk urgent "
    "primary".split()
)
_CUES = frozenset("at from to in near by via the of".split())


class Hospitals:
    """Looks at each word for a house of medicine for the capitalised words around it, and for
    houses known by name."""

    name = "hospitals"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.places(_HEADS):
            yield from self._around(read, place)
        for head, before in _PAIRS.items():
            for place in read.where.get(head, ()):
                if place and (before == ("",) or read.folds[place - 1] in before):
                    yield from (
                        self._around(read, place)
                        if read.is_capital(place)
                        else self._lower_pair(read, place)
                    )
        yield from self._known(read)

    def _around(self, read: WordReading, place: int) -> Iterator[Bid]:
        if not read.is_capital(place):
            yield from self._before_lower(read, place)
            return
        last = place
        if read.folds[place] in _FORWARD:
            last = last_word(
                read,
                place,
                most=5,
                needs_link=read.folds[place] in ("hospital", "clinic", "infirmary"),
            )
        first = first_word(read, place)
        own = [at for at in range(first, last + 1) if at != place and read.is_capital(at)]
        telling = [at for at in own if read.folds[at] not in _GENERIC]
        if not own:
            return
        score = 0.93 if telling else 0.6
        yield Bid(
            read.starts[first],
            read.ends[last],
            ReferenceKind.HOSPITAL,
            score,
            self.name,
            "the words around a house of medicine",
        )

    def _before_lower(self, read: WordReading, place: int) -> Iterator[Bid]:
        """Huntington hospital: a name with a capital before the word in small letters."""
        name = place - 1
        if (
            name >= 0
            and read.is_capital(name)
            and read.gap(name) == " "
            and read.folds[name] not in _GENERIC
        ):
            first = first_word(read, name, most=4)
            if (read.folds[place] != "medical") and not (
                read.opens(name) and read.folds[name] in words()
            ):
                yield Bid(
                    read.starts[first],
                    read.ends[place],
                    ReferenceKind.HOSPITAL,
                    0.75,
                    self.name,
                    "a name before a house of medicine",
                )

    def _lower_pair(self, read: WordReading, place: int) -> Iterator[Bid]:
        """UCLA medical center: a name with a capital before two words in small letters."""
        name = place - 2
        if (
            name < 0
            or not read.is_capital(name)
            or read.gap(name) != " "
            or read.folds[name] in _GENERIC
        ):
            return
        if not read.opens(name) or read.folds[name] not in words():
            span = read.starts[first_word(read, name, most=4)], read.ends[place]
            yield Bid(
                *span, ReferenceKind.HOSPITAL, 0.75, self.name, "a name before a house of medicine"
            )

    def _known(self, read: WordReading) -> Iterator[Bid]:
        for place in read.capitals:
            fold, end = read.bare(place)
            size = read.longest(place, hospitals, most=5)
            owned = end != read.ends[place]
            if not size and fold in hospitals():
                size = 1
            if not size or read.shapes[place] == LETTER:
                continue
            last = place + size - 1
            name = " ".join(read.folds[place : last + 1])
            kind = hospitals().get(name) or hospitals().get(fold, "")
            cue = read.folds[place - 1] if place and read.gap(place - 1) == " " else ""
            score = (
                0.9
                if kind == "full"
                else 0.85
                if owned and cue in _CUES
                else 0.7
                if cue in ("at", "from")
                else 0.0
            )
            if kind == "short" and cue == "the" and f"the {name}" in hospitals():
                score = 0.8
            if score:
                yield Bid(
                    read.starts[place],
                    read.ends[last],
                    ReferenceKind.HOSPITAL,
                    score,
                    self.name,
                    "a hospital known by name",
                )


DECLARATION = DetectorDeclaration(
    key="hospitals",
    doc="hospitals, clinics, homes and practices",
    kinds=(ReferenceKind.HOSPITAL,),
    basis=Basis.WORDS,
    make=Hospitals,
    order=310,
    gives_way_below=ALWAYS,
)
