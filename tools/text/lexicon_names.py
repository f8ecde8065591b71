"""First and last names: the US census of 1990 with its frequencies, and Faker's lists of many
countries."""

from __future__ import annotations

import csv
import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import files

import faker.providers.person
from lexicon_words import key

_FIRST_LIMITS = ((0.5, "5"), (0.1, "4"), (0.02, "3"), (0.005, "2"))
_LAST_LIMITS = ((0.1, "5"), (0.02, "4"), (0.005, "3"), (0.001, "2"))
_ABROAD = "2"
_WITHOUT_SPACES = ("zh_CN", "zh_TW", "ja_JP", "ko_KR", "th_TH")
_NOT_NAMES = frozenset(
    "and the of in an de la van von der den du al el bin binti ibn to no so my i ii iii jr "
    "sr md dr".split()
)


def first_names() -> dict[str, str]:
    """First name → gender and commonness."""
    common: dict[str, float] = {}
    genders: dict[str, dict[str, float]] = defaultdict(lambda: {"f": 0.0, "m": 0.0})
    for gender, file in (("f", "dist.female.first"), ("m", "dist.male.first")):
        for name, share in _census(file):
            common[name] = common.get(name, 0.0) + share
            genders[name][gender] += share
    for _, field, name in _faker("first"):
        if name not in common:
            for gender in "f" if "female" in field else "m" if "male" in field else "fm":
                genders[name][gender] += 0.001
    return {
        name: _gender(shares)
        + (_commonness(common[name], _FIRST_LIMITS) if name in common else _ABROAD)
        for name, shares in genders.items()
    }


def last_names() -> dict[str, str]:
    """Last name → commonness."""
    out = {name: _commonness(share, _LAST_LIMITS) for name, share in _census("dist.all.last")}
    for _, _, name in _faker("last"):
        out[name] = max(out.get(name, _ABROAD), _ABROAD)
    return out


def origins() -> dict[str, str]:
    """Name → languages and countries whose lists have it, for names that are not everybody's."""
    found: dict[str, set[str]] = defaultdict(set)
    for part in ("first", "last"):
        for locale, _, name in _faker(part):
            language, _, country = locale.partition("_")
            found[name].add(country.lower() if language in ("en", "ar") and country else language)
    return {name: " ".join(sorted(places)) for name, places in found.items() if len(places) <= 4}


def nicknames() -> dict[str, str]:
    """Short name → names it stands for."""
    out: dict[str, set[str]] = defaultdict(set)
    with (files("nicknames") / "names.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):  # type: ignore[arg-type]
            out[key(row["name2"])].add(key(row["name1"]))
    return {
        name: " ".join(sorted(names)) for name, names in out.items() if name and " " not in name
    }


def _census(file: str) -> Iterator[tuple[str, float]]:
    for line in (files("names") / file).read_text(encoding="ascii").splitlines():
        name, share = line.split()[:2]
        if _is_name(key(name)):
            yield key(name), float(share)


def _faker(part: str) -> Iterator[tuple[str, str, str]]:
    """The locale, the list and the name, for every first (last) name of Faker."""
    for module in pkgutil.iter_modules(faker.providers.person.__path__):
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        for field in sorted(vars(provider)):
            if (
                part in field
                and "name" in field
                and "pair" not in field
                and "prefix" not in field
                and "format" not in field
            ):
                listed = getattr(provider, field)
                for name in (
                    map(key, map(str, listed)) if isinstance(listed, (tuple, list, dict)) else ()
                ):
                    if _is_name(name) and not (
                        len(name) < 2 and module.name not in _WITHOUT_SPACES
                    ):
                        yield module.name, field, name


def _is_name(name: str) -> bool:
    return (
        bool(name)
        and name not in _NOT_NAMES
        and not any(letter.isdigit() for letter in name)
        and len(name) < 30
    )


def _gender(shares: dict[str, float]) -> str:
    female, male = shares["f"], shares["m"]
    return "u" if min(female, male) * 8 > max(female, male) else "f" if female > male else "m"


def _commonness(share: float, limits: tuple[tuple[float, str], ...]) -> str:
    return next((value for limit, value in limits if share >= limit), "1")
