"""Teams and clubs: "the U. S. Junior Gymnastics team", "Boston Red Sox", "a member of the Rotary
Club"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import clubs, towns, words
from ..word_reading import LETTER, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .name_evidence import TITLES
from .named_bodies import first_word, last_word

_HEADS = frozenset(
    "team club squad league orchestra choir band troupe troop lodge fc afc sc united "
    "rovers athletic rangers".split()
)
_CLUB_WORDS = frozenset("fc afc sc united rovers athletic rangers".split())
_MEDICAL = frozenset(
    "surgical medical trauma care code icu response stroke transplant cardiology oncology "
    "neurology psychiatry "
    "hospice palliative nursing primary rapid emergency consult pain orthopedic "
    "neurosurgery treatment management "
    "social infectious radiology anesthesia critical".split()
)


_SPORTS = frozenset(
    "soccer football gymnastics hockey swim swimming rowing basketball lacrosse track "
    "chess rugby baseball softball "
    "volleyball tennis golf wrestling cricket handball cheerleading fencing judo karate "
    "sailing ski skiing running "
    "cycling debate dance bowling polo netball".split()
)
_MASCOTS = frozenset(
    "tigers eagles wildcats bulldogs falcons sharks hornets rangers panthers lions bears "
    "hawks wolves knights warriors "
    "titans raiders giants cardinals rams broncos cougars huskies spartans trojans vikings "
    "pirates rockets dragons "
    "lancers mustangs stallions jaguars bobcats badgers bruins gators cobras cowboys "
    "dolphins devils saints".split()
)
_PLAY = frozenset(
    "play plays played playing row rows swim swims train trains training coach coaches captain".split()
)
_WITH = frozenset({"for", "with", "of"})


class Teams:
    """Looks at each word for a team for the capitalised words before it, behind "plays for", and
    for teams by name."""

    name = "teams"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.places(_HEADS):
            first = _first(read, place)
            own = [at for at in range(first, place) if read.is_capital(at)]
            if not own or any(read.folds[at] in _MEDICAL for at in own):
                continue
            if read.folds[place] in _CLUB_WORDS and not (
                read.is_capital(place) and read.folds[place - 1] in towns()
            ):
                continue
            if len(own) == 1 and read.opens(own[0]) and words().get(read.folds[own[0]], "0") >= "4":
                continue
            yield Bid(
                read.starts[first],
                read.ends[place],
                ReferenceKind.TEAM,
                0.88,
                self.name,
                "the words before a team",
            )
        yield from self._mascots(read)
        yield from self._played_for(read)
        for place in read.capitals:
            if read.shapes[place] != LETTER and (size := read.longest(place, clubs, most=4)):
                ordinary = size == 1 and read.folds[place] in words()
                score = 0.85 if not ordinary else 0.6 if read.cue(place) == "the" else 0.35
                last = place + size - 1
                yield Bid(
                    read.starts[place],
                    read.ends[last],
                    ReferenceKind.TEAM,
                    score,
                    self.name,
                    "a team known by name",
                )

    def _mascots(self, read: WordReading) -> Iterator[Bid]:
        """Springfield Tigers: a place or a name before an animal or the like."""
        for place in read.places(_MASCOTS):
            first = first_word(read, place) if read.is_capital(place) else place
            if first < place and not read.opens(place):
                span = read.starts[first], read.ends[place]
                yield Bid(
                    *span, ReferenceKind.TEAM, 0.85, self.name, "a name before a team's animal"
                )

    def _played_for(self, read: WordReading) -> Iterator[Bid]:
        """Plays for Arvenby, coach of the Lurchers."""
        for place in read.places(_PLAY):
            at = place + 1
            while (
                at < len(read)
                and at < place + 3
                and (read.folds[at] in _WITH or read.folds[at] == "the")
            ):
                at += 1
            if (
                at > place + 1
                and at < len(read)
                and read.is_capital(at)
                and read.folds[at] not in TITLES
            ):
                span = read.starts[at], read.ends[last_word(read, at, most=4)]
                yield Bid(*span, ReferenceKind.TEAM, 0.55, self.name, "for whom somebody plays")


def _first(read: WordReading, place: int) -> int:
    """Where a team's name begins, also with its sport in small letters between."""
    sport = place and read.folds[place - 1] in _SPORTS and read.gap(place - 1) == " "
    return first_word(read, place - 1) if sport else first_word(read, place)


DECLARATION = DetectorDeclaration(
    key="teams",
    doc="teams and clubs",
    kinds=(ReferenceKind.TEAM,),
    basis=Basis.WORDS,
    make=Teams,
    order=330,
    gives_way_below=ALWAYS,
)
