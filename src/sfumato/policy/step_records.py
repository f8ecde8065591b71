"""Steps: techniques that change cells or rows before anything is counted, and what may be said about each.

One entry of TECHNIQUES per technique of the catalogue (000, Fig. 14; 003, sections 4.3.2 to 4.3.4). De-identifying,
generalising, suppressing by bins and scrambling are no steps: roles, hierarchies, solvers and `order` do them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Wants(StrEnum):
    """What the fields of a technique must hold."""

    ANY = "any"
    NUMBERS = "numbers"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One thing that a step may say. `kind` is number, share, whole, word, flag, text, texts, fields or numbers.

    Where `needed`, a step without it is a problem; else `default` holds.
    """

    name: str
    kind: str
    meaning: str
    default: object = None
    needed: bool = False
    least: float = 0.0
    most: float | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Technique:
    """What can be asked for. `truthful` says that what a row says afterwards is still true of its person, only less
    precise; `tuples` that rows come or go; `fields` how many fields it takes, at least and at most."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    wants: Wants = Wants.ANY
    fields: tuple[int, int | None] = (1, None)
    truthful: bool = False
    tuples: bool = False
    keyed: bool = False

    def parameter(self, name: str) -> Parameter:
        return next(item for item in self.parameters if item.name == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One technique, applied to some fields. `settings` has every parameter of it, said or by default; `place` is which
    of the file's steps it is, counted from 0, where others could not be read."""

    technique: str
    fields: tuple[str, ...] = ()
    settings: Mapping[str, object]
    place: int | None = field(default=None, compare=False)

    @property
    def spec(self) -> Technique:
        return TECHNIQUES[self.technique]

    @property
    def truthful(self) -> bool:
        """Whether what a row says afterwards is still true of its person; a mean of others is not."""
        return self.spec.truthful and self.settings.get("to", "limit") == "limit"

    def number(self, name: str) -> float:
        return float(self.settings[name])  # type: ignore[arg-type]

    def whole(self, name: str) -> int:
        return int(self.settings[name])  # type: ignore[call-overload, no-any-return]

    def word(self, name: str) -> str:
        return str(self.settings[name])

    def names(self, name: str) -> tuple[str, ...]:
        return tuple(self.settings[name])  # type: ignore[arg-type]

    @property
    def touched(self) -> tuple[str, ...]:
        """Every field that it looks at or changes."""
        others = [name for item in self.spec.parameters if item.kind == "fields" for name in self.names(item.name)]
        return tuple(dict.fromkeys((*self.fields, *others)))


def _within(meaning: str = "only among rows that are equal in these fields") -> Parameter:
    return Parameter(name="within", kind="fields", meaning=meaning, default=())


def _least(meaning: str, *, default: int, least: int) -> Parameter:
    return Parameter(name="least", kind="whole", meaning=f"{meaning}, at least", default=default, least=least)


_CATALOGUE = (
    Technique(
        name="suppress",
        summary="cells are suppressed",
        truthful=True,
        parameters=(
            Parameter(name="values", kind="texts", meaning="cells with these values", default=()),
            Parameter(name="rarer_than", kind="whole", meaning="cells whose value fewer rows have", default=0),
        ),
    ),
    Technique(
        name="encrypt",
        summary="values are encrypted under the holder's key",
        keyed=True,
        parameters=(
            Parameter(
                name="method",
                kind="word",
                meaning="a cipher, or one that keeps length and alphabet",
                default="aes-gcm-siv",
                words=("aes-gcm-siv", "format-preserving"),
            ),
        ),
    ),
    Technique(
        name="swap",
        summary="values are exchanged between rows",
        parameters=(
            Parameter(
                name="method",
                kind="word",
                meaning="values near in rank, values at random, or all the fields together as a unit",
                default="rank",
                words=("rank", "random", "unit"),
            ),
            Parameter(name="window", kind="share", meaning="how far in rank, of all rows", default=0.05),
            Parameter(name="share", kind="share", meaning="of rows that take part", default=1.0),
            _within(),
        ),
    ),
    Technique(
        name="substitute",
        summary="values are replaced by others of their class",
        fields=(1, 1),
        parameters=(
            Parameter(
                name="level", kind="whole", meaning="classes are this level of its hierarchy", default=1, least=1
            ),
            Parameter(name="share", kind="share", meaning="of cells that are replaced", default=1.0),
        ),
    ),
    Technique(
        name="outliers",
        summary="outliers become the median",
        wants=Wants.NUMBERS,
        parameters=(
            Parameter(
                name="beyond", kind="number", meaning="so many interquartile ranges beyond the quartiles", default=1.5
            ),
            _least("rows behind a median and its quartiles", default=10, least=3),
            _within("the median of rows that are equal in these fields"),
        ),
    ),
    Technique(
        name="perturb",
        summary="values are changed, and each field's mean and variance stay as they are",
        wants=Wants.NUMBERS,
        parameters=(
            Parameter(name="share", kind="share", meaning="of the field's variance that is new", default=0.3),
            _least("rows in a group; smaller ones are taken together", default=10, least=4),
            _within("mean and variance stay within rows that are equal in these fields"),
        ),
    ),
    Technique(
        name="round",
        summary="numbers are rounded",
        wants=Wants.NUMBERS,
        parameters=(
            Parameter(name="base", kind="number", meaning="to multiples of this", needed=True, least=1e-9),
            Parameter(
                name="method",
                kind="word",
                meaning="to the nearest, up or down by chance so that it is kept on average, or so that sums are kept",
                default="plain",
                words=("plain", "random", "controlled"),
            ),
            _within("controlled: sums of rows that are equal in these fields are kept"),
        ),
    ),
    Technique(
        name="noise",
        summary="random amounts are added",
        wants=Wants.NUMBERS,
        parameters=(
            Parameter(name="share", kind="number", meaning="its deviation, as a share of the field's", default=0.1),
            Parameter(
                name="method",
                kind="word",
                meaning="to each field by itself, keeping the fields' correlations, or in proportion to the value",
                default="uncorrelated",
                words=("uncorrelated", "correlated", "multiplicative"),
            ),
        ),
    ),
    Technique(
        name="pram",
        summary="categories change by chance (post-randomisation)",
        parameters=(
            Parameter(name="keep", kind="share", meaning="the chance that a value stays", default=0.8),
            Parameter(name="invariant", kind="flag", meaning="frequencies stay the same on average", default=True),
            _within(),
        ),
    ),
    Technique(
        name="top_bottom",
        summary="the highest and lowest values are cut off",
        wants=Wants.NUMBERS,
        truthful=True,
        parameters=(
            Parameter(name="top", kind="number", meaning="values above this", least=-1e15),
            Parameter(name="bottom", kind="number", meaning="values below this", least=-1e15),
            Parameter(name="top_share", kind="share", meaning="this share of the highest", default=0.0),
            Parameter(name="bottom_share", kind="share", meaning="this share of the lowest", default=0.0),
            Parameter(
                name="to",
                kind="word",
                meaning="become the limit, or the mean or median of those cut off",
                default="limit",
                words=("limit", "mean", "median"),
            ),
            _least("rows that a limit by share, a mean or a median is about", default=5, least=3),
        ),
    ),
    Technique(
        name="microaggregate",
        summary="numbers become the mean of a group of like rows",
        wants=Wants.NUMBERS,
        parameters=(
            Parameter(name="k", kind="whole", meaning="rows in a group, at least", default=3, least=2),
            Parameter(
                name="method",
                kind="word",
                meaning="each field by itself, or all together",
                default="together",
                words=("together", "each"),
            ),
            _within(),
        ),
    ),
    Technique(
        name="blank_and_impute",
        summary="cells are blanked at random and filled in from like rows",
        parameters=(
            Parameter(name="share", kind="share", meaning="of cells that are blanked", default=0.1),
            Parameter(name="rarer_than", kind="whole", meaning="and all whose value fewer rows have", default=0),
            Parameter(name="like", kind="fields", meaning="rows are like that are equal here", default=()),
        ),
    ),
    Technique(
        name="merge_small",
        summary="small categories become one",
        truthful=True,
        parameters=(
            Parameter(name="least", kind="whole", meaning="rows that a category has", default=10, least=2),
            Parameter(name="label", kind="text", meaning="what the others are called", default="other"),
        ),
    ),
    Technique(
        name="geo_noise",
        summary="places move at random, further where fewer people live",
        wants=Wants.NUMBERS,
        fields=(2, 2),
        parameters=(
            Parameter(name="people", kind="whole", meaning="people to move among", default=100, least=1),
            Parameter(
                name="places",
                kind="text",
                meaning="a CSV file with latitude, longitude and people; without it, each row is a person",
                default="",
            ),
            Parameter(name="region", kind="text", meaning="a GeoJSON file of areas that nobody leaves", default=""),
            Parameter(name="furthest", kind="number", meaning="kilometres at most", default=50.0),
        ),
    ),
    Technique(
        name="sample",
        summary="only a random part of the rows stays",
        wants=Wants.NOTHING,
        fields=(0, 0),
        truthful=True,
        tuples=True,
        parameters=(
            Parameter(name="share", kind="share", meaning="of rows that stay", needed=True),
            _within("the same share of each group of rows that are equal in these fields"),
            Parameter(name="weight", kind="fields", meaning="weights, which grow as rows become fewer", default=()),
        ),
    ),
    Technique(
        name="add_rows",
        summary="made-up rows are added",
        wants=Wants.NOTHING,
        fields=(0, 0),
        tuples=True,
        parameters=(
            Parameter(name="share", kind="number", meaning="made-up rows for each row", needed=True, most=100.0),
            Parameter(
                name="method",
                kind="word",
                meaning="each field drawn by itself, or fields drawn together from like rows",
                default="together",
                words=("together", "each"),
            ),
            Parameter(name="k", kind="whole", meaning="together: like rows to draw from, at least", default=8, least=3),
        ),
    ),
)

TECHNIQUES: Mapping[str, Technique] = {technique.name: technique for technique in _CATALOGUE}
