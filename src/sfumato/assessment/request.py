"""The request for an assessment: a release, and the data at hand to measure it against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.engines import is_address, name_of_address
from sfumato.errors import Mistake
from sfumato.releases import PolicyLike, Release

Progress = Callable[[str], None]
Moved = Callable[[float], None]
Estimated = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class AssessmentRequest:
    """The request, checked as far as possible without opening anything.

    `release` is the folder of a release, postgresql://host/database#schema, or any table. `known`
    and `sensitive` are given where they are not those of the policy. `options` are those for
    reading the source, and a table that is no release of Sfumato. `moved` is called with the share
    of the work that is done. The rows of a `synthetic` table are nobody's, and may be more than the
    source's."""

    release: Any
    source: Any = None
    policy: PolicyLike | None = None
    population: Any = None
    control: Any = None
    known: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    weight: str = ""
    household: str = ""
    sampling_fraction: float | None = None
    population_size: int | None = None
    table: str = ""
    attacks: bool = True
    quick: bool = False
    synthetic: bool = False
    seed: int = 0
    progress: Progress = field(default=lambda _: None, repr=False)
    moved: Moved = field(default=lambda _: None, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_population(self)
        _check_once("known", self.known)
        _check_once("sensitive", self.sensitive)
        both = [name for name in self.known if name in self.sensitive]
        if both:
            raise Mistake(
                f"{', '.join(both)} cannot be both known and sensitive.",
                attempt="naming each field once.",
            )
        for role, name in (("weight", self.weight), ("household", self.household)):
            if name and name in (*self.known, *self.sensitive):
                raise Mistake(
                    f"{name} is named as the {role} and as a field of people.",
                    attempt="naming it once.",
                )


def _check_population(asked: AssessmentRequest) -> None:
    """The size of the population can be given in one way; several could contradict each other."""
    fraction, size = asked.sampling_fraction, asked.population_size
    if fraction is not None and not 0 < fraction <= 1:
        raise Mistake(
            f"A sampling fraction of {fraction:g} was given.",
            attempt="a share of people: more than 0, at most 1.",
        )
    if size is not None and size < 1:
        raise Mistake(
            f"A population of {size} people was given.",
            attempt="the number of people from whom the release was drawn.",
        )
    given = {
        "a population table": asked.population is not None,
        "a sampling fraction": fraction is not None,
        "a population size": size is not None,
        "a field of weights": bool(asked.weight),
    }
    ways = [name for name, is_given in given.items() if is_given]
    if len(ways) > 1:
        raise Mistake(
            f"The population was described in {len(ways)} ways: {', '.join(ways)}.",
            found="Each determines how many people a row could be, and they could contradict "
            "each other.",
            attempt="the one that is known best.",
        )


def _check_once(what: str, names: tuple[str, ...]) -> None:
    again = sorted({name for name in names if names.count(name) > 1})
    if again:
        raise Mistake(
            f"{', '.join(again)} is named twice among the {what} fields.",
            attempt="naming each once.",
        )


def called(place: Any) -> str:
    """The name of a source or a release in words: that of a file or folder, or of an address
    without its secrets.

    Example:
        >>> called(Path("data/patients.csv")), called("postgresql://ann:secret@host/hospital#research")
        ('patients.csv', 'schema research of hospital')
    """
    if is_address(place):
        address, _, schema = place.partition("#")
        return (
            f"schema {schema} of {name_of_address(address)}" if schema else name_of_address(address)
        )
    return Path(place).name if isinstance(place, str | Path) else "a table in memory"


def titled(release: Any) -> str:
    """The name of a release: a folder with its parent, since many are called "release".

    Example:
        >>> titled(Path("/data/patients/release")), titled(Path("/data/patients.csv"))
        ('patients/release', 'patients.csv')
    """
    if isinstance(release, Release):
        return "a release in memory" if release.folder is None else titled(release.folder)
    if is_address(release) or not isinstance(release, str | Path):
        return called(release)
    path = Path(release).resolve()
    return path.name if path.suffix or not path.parent.name else f"{path.parent.name}/{path.name}"
