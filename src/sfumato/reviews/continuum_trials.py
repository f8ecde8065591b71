"""What is tried on the continuum: each technique with some settings, on each field that it is for.

Steps come from the catalogue as it is (`techniques.APPLIED`); recodings, removing and scrambling, which are no steps,
are in `continuum_recodings`. A step of the policy itself is tried too, alone, as it is asked for there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor, log10

import numpy as np

from sfumato.policy import TECHNIQUES, Policy, Role, Step, Wants
from sfumato.policy.hierarchies import Prefix
from sfumato.sources import Kind
from sfumato.techniques import APPLIED, Around, Cells

Make = Callable[[Cells, Around], Cells]

PLACES = {
    "suppress": "cell suppression",
    "encrypt": "encryption",
    "swap": "swapping values",
    "substitute": "substitution",
    "outliers": "outliers to medians",
    "perturb": "perturbation",
    "round": "rounding",
    "noise": "additive noise",
    "pram": "post-randomisation",
    "top_bottom": "top and bottom coding",
    "microaggregate": "microaggregation",
    "blank_and_impute": "blanking and imputing",
    "merge_small": "merging small categories",
    "geo_noise": "geographic noise",
    "sample": "sampling",
    "add_rows": "adding tuples",
}
"""What a technique of the catalogue is called on the continuum: as in paper 000, Fig. 14, where it is there."""

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")  # 02138 is a code
_RARE = (0.01, 0.05)
_SPREADS = (0.1, 0.5, 1.0)
_GRID: Mapping[str, tuple[dict[str, object], ...]] = {
    "encrypt": ({"method": "aes-gcm-siv"}, {"method": "format-preserving"}),
    "swap": ({"window": 0.02}, {"window": 0.05}, {"window": 0.2}, {"method": "random"}),
    "substitute": ({"level": 1}, {"level": 1, "share": 0.5}),
    "outliers": ({"beyond": 1.5}, {"beyond": 3.0}),
    "perturb": ({"share": 0.1}, {"share": 0.3}, {"share": 0.6}),
    "noise": ({"share": 0.05}, {"share": 0.1}, {"share": 0.3}, {"share": 0.1, "method": "multiplicative"}),
    "pram": ({"keep": 0.95}, {"keep": 0.8}, {"keep": 0.5}),
    "top_bottom": tuple({"top_share": share, "bottom_share": share} for share in (0.02, 0.05, 0.2)),
    "microaggregate": ({"k": 3}, {"k": 10}, {"k": 30}),
    "blank_and_impute": ({"share": 0.05}, {"share": 0.1}, {"share": 0.3}),
    "sample": ({"share": 0.9}, {"share": 0.5}, {"share": 0.1}),
    "add_rows": ({"share": 0.1}, {"share": 0.5}, {"share": 1.0}),
}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One technique with one setting. `fields` are those that it changes, in which its distortion is measured; where it
    is not `by_chance`, it is tried once."""

    place: str
    setting: str
    fields: tuple[str, ...]
    make: Make = field(repr=False)
    by_chance: bool = True


def measured_fields(policy: Policy) -> tuple[str, ...]:
    """The fields that a release may show: quasi, sensitive and insensitive ones."""
    shown = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)
    return tuple(name for name, item in policy.fields.items() if item.role in shown)


def step_trials(policy: Policy, cells: Cells) -> Iterator[Trial]:
    """Every technique that can be applied, each setting alone and on one field at a time."""
    for technique, places in PLACES.items():
        if technique in APPLIED:
            for said, fields in _settings(technique, policy, cells):
                yield _trial(places, _step(technique, fields, said), policy, setting=_words(said))
    for step in policy.steps:
        if step.technique in APPLIED:
            yield _trial(PLACES[step.technique], step, policy, setting="as in the policy")


def _settings(technique: str, policy: Policy, cells: Cells) -> Iterator[tuple[Mapping[str, object], tuple[str, ...]]]:
    """Each setting with the fields that it is tried on."""
    names = [name for name in measured_fields(policy) if name in cells.columns]
    numbers = [name for name in names if are_numbers(cells, name, policy)]
    spec = TECHNIQUES[technique]
    if spec.tuples:
        yield from ((said, ()) for said in _GRID[technique])
    elif technique == "round":
        yield from (({"base": base}, (name,)) for name in numbers for base in _bases(cells, name))
    elif technique in ("suppress", "merge_small"):
        key = "rarer_than" if technique == "suppress" else "least"
        for share in _RARE:
            yield from (({key: max(2, round(share * len(cells)))}, (name,)) for name in names)
    elif technique != "geo_noise":  # it is about one pair of fields, which only the policy can name
        fit = numbers if spec.wants is Wants.NUMBERS else names
        fit = [name for name in fit if policy.fields[name].hierarchy is not None] if technique == "substitute" else fit
        yield from ((said, (name,)) for said in _GRID[technique] for name in fit)
    quasi = tuple(name for name in policy.named(Role.QUASI) if name in cells.columns)
    if technique == "swap" and quasi:
        yield {"method": "unit"}, quasi


def are_numbers(cells: Cells, name: str, policy: Policy) -> bool:
    """Whether a field has numbers: by its type, or, as in CSV, where all its texts are some and none is a code."""
    kind = cells.kinds.get(name)
    if kind is not Kind.TEXT:
        return kind in (Kind.INTEGER, Kind.REAL)
    item = policy.fields.get(name)
    if item is not None and isinstance(item.hierarchy, Prefix):
        return False
    texts = [text for text in cells.codes(name)[1].tolist() if text is not None]
    return bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)


def _bases(cells: Cells, name: str) -> list[float]:
    """Multiples to round to: some shares of the field's deviation, to one digit; whole ones of whole numbers."""
    found = cells.numbers(name)
    spread = float(np.std(found[~np.isnan(found)])) if (~np.isnan(found)).any() else 0.0
    bases = [share * spread for share in _SPREADS if spread > 0]
    digits = [round(base, -floor(log10(base))) for base in bases]
    whole = cells.kinds.get(name) is Kind.INTEGER
    return list(dict.fromkeys(float(max(1, round(base))) if whole else base for base in digits))


def _step(technique: str, fields: tuple[str, ...], said: Mapping[str, object]) -> Step:
    defaults = {item.name: item.default for item in TECHNIQUES[technique].parameters}
    return Step(technique=technique, fields=fields, settings=defaults | dict(said))


def _trial(place: str, step: Step, policy: Policy, *, setting: str) -> Trial:
    def make(cells: Cells, around: Around) -> Cells:
        return APPLIED[step.technique](cells, step, around).cells

    return Trial(place=place, setting=setting, fields=step.fields or measured_fields(policy), make=make)


def _words(said: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in said.items()
    )
