"""Employers, firms, schools, courts, ministries and other bodies, by the word for their kind or by
name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import organisations, words
from ..word_reading import CAPS, LETTER, MIXED, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .named_bodies import first_word, last_word

ENDINGS = frozenset(
    "inc incorporated corp corporation co company ltd limited llc llp lp plc gmbh ag kg "
    "ohg ug sa sas sarl srl spa bv "
    "nv ab as asa oy oyj aps kft zrt ooo oao zao pty pvt bhd sdn holdings holding group "
    "partners associates "
    "enterprises industries technologies systems solutions brothers bros sons & international".split()
)
_SURE = frozenset(
    "inc incorporated corp corporation ltd llc llp plc gmbh sarl bv nv oyj pty pvt bhd kft "
    "zrt ooo oao zao aps".split()
)
_SHORT = frozenset("co sa ag kg ug lp ab as asa oy spa srl sas".split())
HEADS = frozenset(
    "university college school academy institute seminary polytechnic kindergarten court "
    "tribunal ministry bank "
    "church parish mosque synagogue temple cathedral monastery prison penitentiary jail "
    "police department bureau "
    "agency authority commission committee council board office foundation association "
    "society union federation "
    "league party institution centre center museum library theatre theater restaurant "
    "hotel cafe bakery factory plant "
    "mill farm airlines airways railway railways newspaper times gazette herald tribune "
    "journal magazine television "
    "radio studios pharmacy bookstore store supermarket market mall laboratory "
    "laboratories services service trust "
    "fund insurance assurance securities chambers registry prosecutor prosecutor's "
    "government parliament senate "
    "assembly embassy consulate army navy regiment brigade battalion gymnasium lyceum "
    "universität université "
    "universita universidad hochschule schule école ecole escuela gericht amtsgericht landgericht".split()
)
_FORWARD = frozenset(
    "university college institute academy ministry department court bank church school "
    "university's bureau office "
    "council committee commission federation association society board house embassy "
    "université universidad "
    "universita parliament republic government union party".split()
)
_GENERIC = frozenset(
    "the a high supreme constitutional regional district city county state central "
    "national federal local public "
    "general administrative military appeal appeals court first second third fourth fifth "
    "grand chamber european "
    "international social security human rights government private elementary primary "
    "secondary middle medical "
    "emergency health family board commission council office police school university "
    "college department".split()
)
_WORDS_TOO = frozenset(
    "anthem chevron oracle prudential reliance shell sprint subway target ups amazon "
    "nestle apple orange gap visa "
    "chase ford safeway".split()
)
"""Names of bodies that are ordinary words as well."""
_WORK = frozenset("works worked working employed employer employee job hired fired retired".split())


_WORK_LINKS = frozenset({"for", "at", "by", "with"})


class Organisations:
    """Looks before corporate endings, around words for bodies, behind "works for", and for bodies
    known by name."""

    name = "organisations"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.places(ENDINGS - {"&"}):
            yield from self._ending(read, place)
        for place in read.places(HEADS):
            if read.is_capital(place):
                yield from self._around(read, place)
        yield from self._employers(read)
        yield from self._known(read)

    def _ending(self, read: WordReading, place: int) -> Iterator[Bid]:
        if not read.is_capital(place) or not place:
            return
        first = first_word(read, place)
        if first == place and read.gap(place - 1) == ", " and read.is_capital(place - 1):
            first = first_word(read, place - 1)
        if first == place:
            return
        fold = read.folds[place]
        sure = fold in _SURE or (fold in _SHORT and read.gap(place)[:1] in (".", ",", ";"))
        score = 0.95 if sure else 0.45 if fold in _SHORT else 0.75
        yield self._bid(read, first, place, score, "before a corporate ending")

    def _around(self, read: WordReading, place: int) -> Iterator[Bid]:
        last = last_word(read, place, needs_link=True) if read.folds[place] in _FORWARD else place
        first = first_word(read, place)
        if (
            read.folds[first] in words()
            and read.opens(first)
            and first < place
            and words()[read.folds[first]] >= "5"
        ):
            first += 1
        own = [at for at in range(first, last + 1) if at != place and read.is_capital(at)]
        if not own:
            return
        telling = any(
            read.folds[at] not in _GENERIC and words().get(read.folds[at], "0") < "4" for at in own
        )
        score = 0.88 if telling else 0.6 if len(own) > 1 else 0.5
        yield self._bid(read, first, last, score, "the words around a body's kind")

    def _employers(self, read: WordReading) -> Iterator[Bid]:
        """Works for Zorblat, employed by Marina, employer: Acme."""
        for place in read.places(_WORK):
            links = [
                at
                for at in (place + 1, place + 2)
                if at + 1 < len(read) and read.folds[at] in _WORK_LINKS
            ]
            name = links[0] + 1 if links else place + 1
            if (
                name >= len(read)
                or not read.is_capital(name)
                or words().get(read.folds[name], "0") == "6"
            ):
                continue
            labelled = read.gap(place).startswith(":") and read.folds[place] in (
                "employer",
                "job",
                "employed",
            )
            if links and read.gap(name - 1) == " ":
                yield self._bid(
                    read, name, last_word(read, name, most=3), 0.72, "where somebody works"
                )
            elif labelled:
                yield self._bid(read, name, last_word(read, name, most=3), 0.85, "behind a label")

    def _known(self, read: WordReading) -> Iterator[Bid]:
        for place in read.capitals:
            if not (size := read.longest(place, organisations, most=4)):
                size = 1 if read.bares[place] in organisations() else 0
            if not size or read.shapes[place] == LETTER:
                continue
            ordinary = (
                size == 1
                and read.bares[place] in _WORDS_TOO
                and read.shapes[place] not in (CAPS, MIXED)
            )
            if not (ordinary and read.opens(place)):
                score = 0.45 if ordinary else 0.85
                yield self._bid(read, place, place + size - 1, score, "a body known by name")

    def _bid(self, read: WordReading, first: int, last: int, score: float, reason: str) -> Bid:
        return Bid(
            read.starts[first],
            read.bare(last)[1],
            ReferenceKind.ORGANISATION,
            score,
            self.name,
            reason,
        )


DECLARATION = DetectorDeclaration(
    key="organisations",
    doc="employers, firms, schools, courts and other bodies",
    kinds=(ReferenceKind.ORGANISATION,),
    basis=Basis.WORDS,
    make=Organisations,
    order=320,
    gives_way_below=ALWAYS,
)
