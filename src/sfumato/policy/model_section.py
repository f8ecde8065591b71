"""Reading, in `[require]`, what must hold inside bins, of people and of risk: one key for each protection model.

A model about sensitive values, or a key with its own k, may be asked for several times, as a list of tables, with
other numbers for other fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from .field_section import read_hierarchy
from .hierarchies.parameters import is_list
from .model_requirements import (
    Absent,
    AlphaKRequirement,
    BetaLikenessRequirement,
    ConfidenceGainRequirement,
    DeltaDisclosureRequirement,
    DeltaPresenceRequirement,
    Distance,
    Diversity,
    Estimator,
    KeyCombination,
    LDiversityRequirement,
    Likeness,
    NonUniquenessRequirement,
    NullMapRequirement,
    PopulationUniquenessRequirement,
    PSensitiveRequirement,
    SafeHarborRequirement,
    TClosenessRequirement,
    WrongMapRequirement,
)
from .reading import Reader, kind_of
from .records import Requirements
from .table_records import KMRequirement

Read = TypeVar("Read")


def read_models(reader: Reader, require: Requirements, *, folder: Path) -> Requirements:
    """The requirements with what each model's key says; what could not be read is noted."""
    return replace(
        require,
        key_combinations=_each(reader, "key_combinations", _key_combination),
        non_uniqueness=_flag_or_table(reader, "non_uniqueness", _non_uniqueness),
        l_diversity=_each(reader, "l_diversity", _l_diversity),
        t_closeness=_each(reader, "t_closeness", lambda inner: _t_closeness(inner, folder=folder)),
        p_sensitive=_each(reader, "p_sensitive", _p_sensitive),
        alpha_k=_each(reader, "alpha_k", _alpha_k),
        delta_disclosure=_each(reader, "delta_disclosure", _delta_disclosure),
        beta_likeness=_each(reader, "beta_likeness", _beta_likeness),
        confidence_gain=_each(reader, "confidence_gain", _confidence_gain),
        delta_presence=_one(reader, "delta_presence", _delta_presence),
        average_risk=_positive(reader, "average_risk", most=1.0),
        maximum_risk=_positive(reader, "maximum_risk", most=1.0),
        population_uniqueness=_one(reader, "population_uniqueness", _population_uniqueness),
        null_map=_flag_or_table(reader, "null_map", _null_map),
        wrong_map=_flag_or_table(reader, "wrong_map", _wrong_map),
        safe_harbor=_flag_or_table(reader, "safe_harbor", _safe_harbor),
        k_m=_each(reader, "k_m", _k_m),
    )


def _one(reader: Reader, key: str, read: Callable[[Reader], Read]) -> Read | None:
    inner = reader.table(key)
    return None if inner is None else _whole(inner, read)


def _flag_or_table(reader: Reader, key: str, read: Callable[[Reader], Read]) -> Read | None:
    """`true` is short for a table with nothing in it."""
    given = reader.get(key)
    if isinstance(given, bool):
        return read(Reader({}, where=reader.at(key), problems=reader.problems)) if given else None
    if given is not None and not isinstance(given, Mapping):
        reader.report(key, f"It must be true, false or a table, and is {kind_of(given)}.")
        return None
    return _one(reader, key, read)


def _each(reader: Reader, key: str, read: Callable[[Reader], Read]) -> tuple[Read, ...]:
    """A table, or a list of them."""
    given = reader.get(key)
    several = given if is_list(given) else () if given is None else (given,)
    if not several and given is not None:
        reader.report(key, "It is an empty list.", attempt="leaving it out.")
    out = []
    for number, table in enumerate(several, start=1):
        where = f"{reader.at(key)}[{number}]" if is_list(given) else reader.at(key)
        if isinstance(table, Mapping):
            out.append(_whole(Reader(table, where=where, problems=reader.problems), read))
        else:
            reader.report(key, f"It must be a table or a list of tables, and is or holds {kind_of(table)}.")
    return tuple(out)


def _whole(inner: Reader, read: Callable[[Reader], Read]) -> Read:
    out = read(inner)
    inner.close()
    return out


def _needed(inner: Reader, key: str, *, attempt: str) -> None:
    if key not in inner.raw:
        inner.report(key, "This requirement needs it.", attempt=attempt)


def _positive(reader: Reader, key: str, *, most: float | None = None) -> float | None:
    """A number above 0, and at most `most`."""
    value = reader.number(key, most=most)
    if value == 0:
        reader.report(key, "It is 0, which nothing keeps.", attempt="a number above 0.")
        return None
    return value


def _key_combination(inner: Reader) -> KeyCombination:
    _needed(inner, "k", attempt="k = 3.")
    k, fields = inner.whole("k", least=1), inner.names("fields")
    if not fields and is_list(inner.raw.get("fields", [])):
        inner.report("fields", "A key combination needs the fields that it is made of.", attempt='["zip", "birth"].')
    if len(set(fields)) < len(fields):
        inner.report("fields", "It names a field twice.")
    return KeyCombination(k=k or 1, fields=fields)


def _non_uniqueness(inner: Reader) -> NonUniquenessRequirement:
    return NonUniquenessRequirement(fields=inner.names("fields"))


def _l_diversity(inner: Reader) -> LDiversityRequirement:
    kind = inner.choice("kind", Diversity, Diversity.DISTINCT)
    _needed(inner, "l", attempt="l = 3.")
    values = inner.number("l", least=1) if kind is Diversity.ENTROPY else inner.whole("l", least=1)
    c = _positive(inner, "c")
    if kind is Diversity.RECURSIVE and "c" not in inner.raw:
        inner.report("c", "Recursive diversity needs its c.", attempt="c = 2.0.")
    if kind is not Diversity.RECURSIVE and "c" in inner.raw:
        inner.report("c", "Only recursive diversity has a c.", attempt='kind = "recursive", or leaving it out.')
    return LDiversityRequirement(l=values or 1, kind=kind, c=c, fields=inner.names("fields"))


def _t_closeness(inner: Reader, *, folder: Path) -> TClosenessRequirement:
    _needed(inner, "t", attempt="t = 0.2.")
    distance = inner.choice("distance", Distance, Distance.EQUAL)
    order, hierarchy = inner.names("order"), read_hierarchy(inner, folder=folder)
    if order and distance is not Distance.ORDERED:
        inner.report("order", "Only the ordered distance has an order.", attempt='distance = "ordered".')
    if len(set(order)) < len(order):
        inner.report("order", "It names a value twice.")
    if "hierarchy" in inner.raw and distance is not Distance.HIERARCHICAL:
        inner.report(
            "hierarchy", "Only the hierarchical distance has a hierarchy.", attempt='distance = "hierarchical".'
        )
    if distance is Distance.HIERARCHICAL:
        _needed(inner, "hierarchy", attempt='hierarchy = "diagnosis.csv".')
    return TClosenessRequirement(
        t=inner.share("t", 1.0), distance=distance, order=order, hierarchy=hierarchy, fields=inner.names("fields")
    )


def _p_sensitive(inner: Reader) -> PSensitiveRequirement:
    _needed(inner, "p", attempt="p = 2.")
    _needed(inner, "k", attempt="k = 5.")
    p, k = inner.whole("p", least=1), inner.whole("k", least=1)
    if p and k and p > k:
        inner.report("p", f"A bin of {k} rows cannot hold {p} values.", attempt=f"k = {p} or more.")
    return PSensitiveRequirement(p=p or 1, k=k or 1, fields=inner.names("fields"))


def _alpha_k(inner: Reader) -> AlphaKRequirement:
    _needed(inner, "alpha", attempt="alpha = 0.5.")
    _needed(inner, "k", attempt="k = 5.")
    return AlphaKRequirement(
        alpha=_positive(inner, "alpha", most=1.0) or 1.0,
        k=inner.whole("k", least=1) or 1,
        values=inner.names("values"),
        fields=inner.names("fields"),
    )


def _delta_disclosure(inner: Reader) -> DeltaDisclosureRequirement:
    _needed(inner, "delta", attempt="delta = 1.5.")
    return DeltaDisclosureRequirement(
        delta=_positive(inner, "delta") or 1.0,
        absent=inner.choice("absent", Absent, Absent.FAILS),
        fields=inner.names("fields"),
    )


def _beta_likeness(inner: Reader) -> BetaLikenessRequirement:
    _needed(inner, "beta", attempt="beta = 2.0.")
    return BetaLikenessRequirement(
        beta=_positive(inner, "beta") or 1.0,
        kind=inner.choice("kind", Likeness, Likeness.ENHANCED),
        fields=inner.names("fields"),
    )


def _confidence_gain(inner: Reader) -> ConfidenceGainRequirement:
    _needed(inner, "gain", attempt="gain = 0.1.")
    gain = _positive(inner, "gain", most=1.0)
    if gain == 1:
        inner.report("gain", "It is 1, which certainty keeps too.", attempt="a number below 1.")
    return ConfidenceGainRequirement(
        gain=gain or 1.0, facts=inner.whole("facts", least=0) or 0, fields=inner.names("fields")
    )


def _delta_presence(inner: Reader) -> DeltaPresenceRequirement:
    population = inner.text("population")
    if not population and isinstance(inner.raw.get("population", ""), str):
        inner.report("population", "Presence is held against a table of the population.", attempt='"voters.csv".')
    least, most = inner.share("min", 0.0), inner.share("max", 1.0)
    if least > most:
        inner.report("min", f"It is {least:g}, and must not be more than max = {most:g}.")
    return DeltaPresenceRequirement(population=population, min=least, max=most, fields=inner.names("fields"))


def _population_uniqueness(inner: Reader) -> PopulationUniquenessRequirement:
    _needed(inner, "threshold", attempt="threshold = 0.05.")
    if ("population_size" in inner.raw) == ("sampling_fraction" in inner.raw):
        inner.report(
            "population_size",
            "It needs the size of the population or the sampling fraction, and not both.",
            attempt="population_size = 300000, or sampling_fraction = 0.1.",
        )
    return PopulationUniquenessRequirement(
        threshold=inner.share("threshold", 1.0),
        population_size=inner.whole("population_size", least=1),
        sampling_fraction=_positive(inner, "sampling_fraction", most=1.0),
        estimator=inner.choice("estimator", Estimator, Estimator.PITMAN),
    )


def _null_map(inner: Reader) -> NullMapRequirement:
    return NullMapRequirement(fields=inner.names("fields"))


def _wrong_map(inner: Reader) -> WrongMapRequirement:
    return WrongMapRequirement(fields=inner.names("fields"), outside=inner.names("outside"))


def _safe_harbor(inner: Reader) -> SafeHarborRequirement:
    out = SafeHarborRequirement(
        zips=inner.names("zips"),
        dates=inner.names("dates"),
        births=inner.names("births"),
        ages=inner.names("ages"),
        as_of=inner.whole("as_of", least=1900, most=9999),
    )
    if out.births and "as_of" not in inner.raw:
        inner.report("as_of", "A year of birth tells an age over 89 as of some year.", attempt="as_of = 2026.")
    return out


def _k_m(inner: Reader) -> KMRequirement:
    _needed(inner, "k", attempt="k = 5.")
    _needed(inner, "m", attempt="m = 2.")
    _needed(inner, "field", attempt="the field whose values make the set of a person.")
    return KMRequirement(
        k=inner.whole("k", least=2) or 2,
        m=inner.whole("m", least=1, most=4) or 1,
        table=inner.text("table"),
        field=inner.text("field"),
        within_bins=inner.flag("within_bins"),
    )
