"""Scrubbed files: the same bytes for one key, no original left anywhere, nothing changed outside
what was found."""

from __future__ import annotations

import hashlib
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from example_counts import example_count
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.releases import Key
from sfumato.scrubbing import reverse_files, scrub
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind
from sfumato.text.repeat_mask import RepeatValues
from sfumato.text.replacement import How
from sfumato.text.surrogates.styles import DateStyle, PlaceStyle, ReplacementMethod, Style

PIECES = (
    "RE: Virginia Townsend",
    "Dear Dr. Lang:",
    "Townsend",
    "MRN: 32-841-09787",
    "32-841-09787",
    "call 617-473-1214",
    "v.townsend@acme.com",
    "seen on 05/26/1994",
    "lives at 12 Baker Street, Boston, MA 02151",
    "aged 93",
    "takes insulin 5 mg twice a day for Hodgkin's disease.",
    "\n\n",
    "שלום",
    "👩🏽‍⚕️",
    "\t—\x0c",
)
words = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=8)
texts = st.lists(st.sampled_from(PIECES) | words, max_size=8).map(" ".join)
collections = st.dictionaries(
    st.sampled_from(("a/1.txt", "a/2.txt", "b/1.txt", "c.txt")), texts, min_size=1
)
styles = st.builds(
    Style,
    method=st.sampled_from(ReplacementMethod),
    dates=st.sampled_from(DateStyle),
    places=st.sampled_from(PlaceStyle),
)
keys = st.integers(0, 1000).map(lambda seed: Key(hashlib.sha256(str(seed).encode()).digest()))
slow = settings(
    max_examples=example_count(20), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def at_noon():
    return datetime(2026, 11, 15, 12, tzinfo=UTC)


def write_all(folder, files):
    for name, text in files.items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "replace"))


def everything(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@slow
@given(collections, styles, keys)
def test_no_original_is_left_and_the_rest_is_as_it_was(files, style, key):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_all(folder, files)
        made = scrub(
            folder / "in",
            to=folder / "out",
            key=key,
            style=style,
            person_from="folder",
            reviews=True,
        )
        replaced = [change for each in made.checked for change in each.replaced.replacements]
        kept = {change.original for change in replaced if change.how is How.KEPT}
        gone = {
            (change.kind, change.original) for change in replaced if change.original not in kept
        }
        certain = RepeatValues(
            (kind, value)
            for kind, value in gone
            if kind.is_direct or kind is ReferenceKind.HOSPITAL
        )
        for name, content in everything(folder / "out").items():
            assert not list(certain.places(Document(content.decode("utf-8", "replace")))), name
        for each in made.checked:
            last, rest = 0, []
            for change in each.replaced.replacements:
                rest.append((each.text[last : change.start], change.surrogate))
                last = change.end
            assert (
                "".join(before + put for before, put in rest) + each.text[last:]
                == each.replaced.text
            )


@slow
@given(collections, styles, keys)
def test_one_key_gives_the_same_bytes_and_there_is_a_way_back(files, style, key):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_all(folder, files)
        for number in (1, 2):
            scrub(
                folder / "in",
                to=folder / f"out{number}",
                key=key,
                style=style,
                person_from="folder",
                mapping=folder / f"map{number}.json",
                clock=at_noon,
            )
        assert everything(folder / "out1") == everything(folder / "out2")
        reverse_files(folder / "map1.json", folder / "out1", to=folder / "back")
        assert everything(folder / "back") == everything(folder / "in")
