"""The input of every attack: the release's bins, the people who are attacked, and people who are
not in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.errors import Mistake, SourceError
from sfumato.hierarchies import Hierarchy, Label
from sfumato.measures import Records, Subject

from .distances import Nearness, nearness
from .row_fit import Fits, rows_for_people

TARGETS = 2_000
"""How many people are attacked by default: enough for an interval of two points in a hundred."""
FEWEST_TARGETS = 200
EVERYONE = 2**28
"""Up to so many pairs of a person and a bin, attacks whose claims are certain or none try
everybody."""
PAIRS = 2**27
"""Of very many bins fewer are attacked, down to so few: each person is compared with every bin."""
HELD = 2**25
"""Comparisons of people with rows of up to so many bytes are held for the next sensitive field."""


FIELDS_NAMED = 6
"""Of more known fields, a story states the number."""


def named(fields: tuple[str, ...]) -> str:
    """Fields by name; of many their number.

    Example:
        >>> named(("zip", "sex")), named(tuple("abcdefgh"))
        ('zip, sex', 'all 8 fields that are counted as known')
    """
    if len(fields) <= FIELDS_NAMED:
        return ", ".join(fields)
    return f"all {len(fields)} fields that are counted as known"


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """A release under attack. `targets` are drawn at random from the source, `control` from people
    of the same kind who are not in the release. Each has its known and then its sensitive fields.
    `known_as` is the knowledge in words, where this is one of several sets. With `only_targets`
    nobody else is attacked."""

    subject: Subject
    targets: Records | None
    control: Records | None
    known_as: str = ""
    only_targets: bool = False
    _fits: dict[int, tuple[Records, Fits]] = field(default_factory=dict, init=False, repr=False)
    _near: dict[int, tuple[Records, Nearness]] = field(default_factory=dict, init=False, repr=False)

    @property
    def released(self) -> Bins:
        """One item for each released tuple of the known fields, with how many rows have it."""
        return self.subject.released

    @property
    def known(self) -> tuple[str, ...]:
        return self.subject.known

    @property
    def known_words(self) -> str:
        """The known fields for a story: many are counted and not listed."""
        return self.known_as or named(self.known)

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self.subject.sensitive

    @cached_property
    def rows(self) -> int:
        return self.released.rows

    @cached_property
    def people(self) -> Bins | None:
        """Everyone in the source over the known and the sensitive fields together."""
        source = self.subject.source
        return None if source is None else Bins.count(source, (*self.known, *self.sensitive))

    @cached_property
    def everyone(self) -> Records | None:
        """All people of the source where that is not too many pairs with bins, else the targets. A
        certain conclusion may hold for one person only, whom a sample would miss."""
        people = self.people
        if (
            self.only_targets
            or people is None
            or people.rows * max(len(self.released), 1) > EVERYONE
        ):
            return self.targets
        return Records.of_bins(people)

    @cached_property
    def outside(self) -> Records | None:
        """The control group where it has the sensitive fields too; None where it lacks one."""
        control = self.control
        return (
            control if control is not None and set(control.fields) >= set(self.sensitive) else None
        )

    def fits(self, people: Records) -> Fits:
        """The released tuples that cover what is known of each person."""
        held = self._fits.get(id(people))
        if held is not None:
            return held[1]
        found = rows_for_people(self.subject, people, self.released, self.known)
        if sum(marks.nbytes for marks in found.marks) <= HELD:
            self._fits[id(people)] = people, found
        return found

    def nearness(self, people: Records) -> Nearness:
        """How far each released tuple is from what is known of each person."""
        held = self._near.get(id(people))
        if held is not None:
            return held[1]
        found = nearness(self.subject, people, self.released, self.known)
        if sum(table.nbytes for table in found.tables) <= HELD:
            self._near[id(people)] = people, found
        return found

    def hierarchy(self, name: str) -> Hierarchy | None:
        return self.subject.hierarchies.get(name)

    def chance(self, purpose: str) -> np.random.Generator:
        return self.subject.generator(purpose)

    def what_rows_say(self, name: str, items: NDArray[np.int64]) -> tuple[Label, ...]:
        """The sensitive label of bins that have one row each."""
        histogram = self.released.histograms[name]
        at = np.searchsorted(histogram.bin_of, items)
        return tuple(histogram.values[code] for code in histogram.value_of[at].tolist())


def affordable(bins: int) -> int:
    """How many people are attacked by default, in a release of so many bins.

    Example:
        >>> [affordable(bins) for bins in (400, 30_000, 300_000, 10_000_000)]
        [2000, 2000, 447, 200]
    """
    return min(TARGETS, max(PAIRS // max(bins, 1), FEWEST_TARGETS))


def set_scene(subject: Subject, *, targets: int | None = None) -> Scene:
    """Check that release, source and control group can be compared, and draw the people to
    attack."""
    if targets is not None and targets < 1:
        raise Mistake(f"Attacks on {targets} people were asked for.", attempt="a number above 0.")
    if not subject.known:
        raise Mistake(
            "No field is counted as known to an attacker.",
            found="Without one, no person can be looked for.",
            attempt="naming the fields that somebody could know about others.",
        )
    fields = (*subject.known, *subject.sensitive)
    check_fields(subject.release, fields, what="release")
    if not subject.released.rows:
        raise SourceError(
            f"{subject.release.title} holds no row.", attempt="a release with at least one row."
        )
    targets = affordable(len(subject.released)) if targets is None else targets
    people = None
    if subject.source is not None:
        check_fields(subject.source, fields, what="source")
        people = Bins.count(subject.source, fields)
        _check_rows(people, subject.source, what="source")
    scene = Scene(
        subject=subject,
        targets=None if people is None else _drawn(subject, people, "source", targets),
        control=drawn_from(subject, subject.control, "control group", targets, only_known=True),
    )
    vars(scene)["people"] = people  # As the scene itself would count them.
    return scene


def check_fields(engine: Engine, fields: tuple[str, ...], *, what: str) -> None:
    have = [info.name for info in engine.fields()]
    missing = [name for name in fields if name not in have]
    if missing:
        raise SourceError(
            f"{engine.title}, the {what}, has no field {', '.join(missing)}.",
            found=f"It has {', '.join(have)}.",
            attempt="tables with the same fields, or fewer fields that are counted as known.",
        )


def drawn_from(
    subject: Subject, engine: Engine | None, what: str, targets: int, *, only_known: bool = False
) -> Records | None:
    """Some people of a table by chance, with their known and sensitive fields; None where there is
    no table. With `only_known` the table may lack sensitive fields."""
    if engine is None:
        return None
    have = {info.name for info in engine.fields()}
    fields = (
        *subject.known,
        *(name for name in subject.sensitive if name in have or not only_known),
    )
    check_fields(engine, fields, what=what)
    everyone = Bins.count(engine, fields)
    _check_rows(everyone, engine, what=what)
    return _drawn(subject, everyone, what, targets)


def _check_rows(everyone: Bins, engine: Engine, *, what: str) -> None:
    if not everyone.rows:
        raise SourceError(
            f"{engine.title}, the {what}, holds no row.", attempt="a table with at least one row."
        )


def _drawn(subject: Subject, everyone: Bins, what: str, targets: int) -> Records:
    chance = subject.generator(f"who of the {what}")
    return Records.of_bins(everyone).drawn(targets, chance)
