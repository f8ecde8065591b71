"""Reading `[require]`: what must hold of the release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from .hierarchies.parameters import is_list, is_whole
from .model_section import read_models
from .reading import Reader
from .records import AnonymityLevel, CombinationRequirement, KMapRequirement, Reading, Requirements

# paper 001, section 3.2: the range of bin sizes may follow the number of rows N.
_R2 = re.compile(r"sqrt|sawtooth|N/[1-9][0-9]*")


def read_requirements(top: Reader, *, folder: Path) -> Requirements:
    """The requirements; what could not be read is left out and noted."""
    reader = top.table("require")
    if reader is None:
        return Requirements()
    out = Requirements(
        k=reader.whole("k", least=1),
        quasi_identifiers=_sets(reader),
        k_map=_k_map(reader),
        bin_sizes=_bin_sizes(reader),
        combinations=_combinations(reader),
        anonymity=_anonymity(reader),
        max_suppression=reader.share("max_suppression", 0.0),
        reading=reader.choice("reading", Reading, Reading.STRICT),
    )
    out = read_models(reader, out, folder=folder)
    reader.close()
    return out


def with_usual_limit(require: Requirements, said: object, *, solver: str) -> Requirements:
    """The requirements with Datafly's own limit, twice the loss of its anonymity level, where `said` has no limit."""
    asked = require.anonymity
    if solver != "datafly" or asked is None or (isinstance(said, Mapping) and "max_suppression" in said):
        return require
    return replace(require, max_suppression=min(1.0, 2 * asked.loss))


def _sets(reader: Reader) -> tuple[tuple[str, ...], ...]:
    given = reader.get("quasi_identifiers")
    sets = given if is_list(given) else ()
    out = tuple(tuple(name for name in item if isinstance(name, str)) for item in sets if is_list(item))
    whole = len(out) == len(sets) and all(
        len(names) == len(item) and len(set(names)) == len(names) > 0
        for names, item in zip(out, (item for item in sets if is_list(item)), strict=True)
    )
    if given is not None and (not is_list(given) or not whole):
        reader.report(
            "quasi_identifiers",
            "It must be a list of lists of field names, none empty and none with a name twice.",
            attempt='quasi_identifiers = [["zip", "birth"], ["sex", "zip"]].',
        )
        return ()
    return out


def _k_map(reader: Reader) -> KMapRequirement | None:
    inner = reader.table("k_map")
    if inner is None:
        return None
    k, fields = inner.whole("k", least=1), inner.names("fields")
    population, weight = inner.text("population"), inner.text("weight")
    if "k" not in inner.raw:
        inner.report("k", "A k-map needs its k.", attempt="k = 5.")
    texts = all(isinstance(inner.raw.get(key, ""), str) for key in ("population", "weight"))
    if texts and bool(population) == bool(weight):
        inner.report(
            "population",
            "A k-map needs a table of the population or a field with survey weights, and not both.",
            attempt='population = "voters.csv", or weight = "survey_weight".',
        )
    inner.close()
    return KMapRequirement(k=k or 1, population=population, weight=weight, fields=fields)


def _bin_sizes(reader: Reader) -> dict[str, int]:
    inner = reader.table("bin_sizes")
    if inner is None:
        return {}
    return {name: inner.whole(name, least=1) or 1 for name in inner.raw}


def _combinations(reader: Reader) -> CombinationRequirement | None:
    inner = reader.table("combinations")
    if inner is None:
        return None
    k, given = inner.whole("k", least=1), inner.get("sizes")
    if "k" not in inner.raw:
        inner.report("k", "Combinations need a k.", attempt="k = 3.")
    inner.close()
    if given is None:
        return CombinationRequirement(k=k or 1)
    sizes = tuple(size for size in given if is_whole(size) and size > 0) if is_list(given) else ()
    if not is_list(given) or len(set(sizes)) != len(given) or not sizes:
        inner.report("sizes", "It must be a list of distinct whole numbers above 0.", attempt="sizes = [2, 3].")
        return CombinationRequirement(k=k or 1, sizes=())
    return CombinationRequirement(k=k or 1, sizes=sizes)


def _anonymity(reader: Reader) -> AnonymityLevel | None:
    inner = reader.table("anonymity")
    if inner is None:
        return None
    if "level" not in inner.raw:
        inner.report("level", "An anonymity level needs a number from 0 to 1.", attempt="level = 0.7.")
    out = AnonymityLevel(
        level=inner.share("level", 0.0),
        r1=inner.number("r1") or 0.0,
        r2=_r2(inner),
        e=inner.number("e"),
        loss=inner.share("loss", 0.10),
    )
    if isinstance(out.r2, float) and out.r2 <= out.r1:
        inner.report("r2", f"It is {out.r2:g}, and must be more than r1 = {out.r1:g}.")
    inner.close()
    return out


def _r2(inner: Reader) -> float | str:
    given = inner.raw.get("r2")
    if given is not None and not isinstance(given, str):
        value = inner.number("r2")
        return "sawtooth" if value is None else value
    said = inner.text("r2", "sawtooth")
    if _R2.fullmatch(said):
        return said
    inner.report("r2", "It is none of the rules for r2.", attempt='a number, "sqrt", "sawtooth" or "N/100".')
    return "sawtooth"
