"""Reading and writing `[fields.NAME.scrub]`: how a text field is scrubbed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sfumato.errors import Problem
from sfumato.hierarchies import is_list
from sfumato.parts import with_question
from sfumato.patterns import PatternRefused, checked_pattern

from .table_cursor import Reader, kind_of
from .text_records import (
    TEXT_KINDS,
    ScrubPolicy,
    TextDates,
    TextDetectors,
    TextMethod,
    TextPattern,
    TextPlaces,
    TextPurpose,
    TextTrait,
    TextUnsure,
    TextWords,
)

_USUAL = ScrubPolicy()


def read_scrubbing(reader: Reader) -> ScrubPolicy | None:
    """The key `scrub` of a field; None where nothing is."""
    inner = reader.table("scrub")
    if inner is None:
        return None
    out = ScrubPolicy(
        purpose=inner.choice("purpose", TextPurpose, _USUAL.purpose),
        method=inner.choice("method", TextMethod, _USUAL.method),
        methods=_methods(inner),
        keep=_traits(inner),
        dates=inner.choice("dates", TextDates, _USUAL.dates),
        places=inner.choice("places", TextPlaces, _USUAL.places),
        unsure=inner.choice("unsure", TextUnsure, _USUAL.unsure),
        thresholds=_thresholds(inner),
        detectors=(
            inner.choice("detectors", TextDetectors, TextDetectors.CRF)
            if "detectors" in inner.raw
            else None
        ),
        cues=_cues(inner),
        patterns=_patterns(inner),
        words=_words(inner),
    )
    inner.close()
    return out


def _methods(reader: Reader) -> dict[str, TextMethod]:
    inner = reader.table("methods")
    if inner is None:
        return {}
    return {
        kind: inner.choice(kind, TextMethod, _USUAL.method)
        for kind in inner.raw
        if _is_kind(inner, kind)
    }


def _thresholds(reader: Reader) -> dict[str, float]:
    inner = reader.table("thresholds")
    return (
        {}
        if inner is None
        else {kind: inner.share(kind, 1.0) for kind in inner.raw if _is_kind(inner, kind)}
    )


def _is_kind(reader: Reader, kind: str) -> bool:
    if kind in TEXT_KINDS:
        return True
    said = with_question("There is no such kind of reference.", kind, TEXT_KINDS)
    reader.report(kind, said, attempt=f"one of {', '.join(TEXT_KINDS)}.")
    return False


def _traits(reader: Reader) -> tuple[TextTrait, ...]:
    if "keep" not in reader.raw:
        reader.get("keep")  # So that it is known as a key.
        return _USUAL.keep
    out = []
    for word in reader.names("keep"):
        if word in tuple(TextTrait):
            out.append(TextTrait(word))
        else:
            said = with_question(f'"{word}" is not one of its words.', word, tuple(TextTrait))
            reader.report("keep", said, attempt=f"some of {', '.join(TextTrait)}.")
    return tuple(dict.fromkeys(out))


def _cues(reader: Reader) -> dict[str, str] | None:
    """Names of fields in a list, or a table with the kind of each."""
    given = reader.get("cues")
    if given is None:
        return None
    if is_list(given):
        return dict.fromkeys(reader.names("cues"), "")
    if not isinstance(given, Mapping):
        said = (
            "It must be a list of fields, or a table of fields and their kinds, and is "
            f"{kind_of(given)}."
        )
        reader.report("cues", said, attempt='cues = ["name", "phone"] or cues = { name = "name" }.')
        return {}
    inner = reader.table("cues")
    assert inner is not None
    return {name: inner.word(name, TEXT_KINDS, "other") for name in inner.raw}


def _patterns(reader: Reader) -> dict[str, TextPattern]:
    """A pattern by itself, or a table with its kind; each is checked here, before any text is
    read."""
    out = {}
    for name, inner in _own(reader, "patterns", "pattern"):
        out[name] = TextPattern(
            pattern=inner.text("pattern"), kind=inner.word("kind", TEXT_KINDS, "other")
        )
        inner.close()
        try:
            if out[name].pattern:
                checked_pattern(out[name].pattern)
        except PatternRefused as refused:
            inner.report("pattern", refused.found, attempt=refused.attempt)
    return out


def _words(reader: Reader) -> dict[str, TextWords]:
    """The name of a file by itself, or a table with its kind. The file is read when texts are: it
    stays with the holder, and a manifest that names it can be read without it."""
    out = {}
    for name, inner in _own(reader, "words", "file"):
        out[name] = TextWords(file=inner.text("file"), kind=inner.word("kind", TEXT_KINDS, "other"))
        inner.close()
    return out


def _own(reader: Reader, section: str, key: str) -> Iterator[tuple[str, Reader]]:
    """The patterns or word lists by name, each as a table; `key` is what must be in it."""
    tables = reader.table(section)
    for name, given in tables.raw.items() if tables is not None else ():
        table = {key: given} if isinstance(given, str) else given
        where = tables.at(name) if tables is not None else ""
        if not isinstance(table, Mapping) or not isinstance(table.get(key), str) or not table[key]:
            example = 'ward = "W-[0-9]+"' if section == "patterns" else 'projects = "projects.txt"'
            said = f"It must be a text, or a table with {key} and kind."
            reader.problems.append(Problem(where=where, found=said, attempt=f"{example}."))
            continue
        yield name, Reader(table, where=where, problems=reader.problems)


def _own_as_table(own: Mapping[str, TextPattern] | Mapping[str, TextWords]) -> dict[str, object]:
    return {
        name: getattr(each, key)
        if each.kind == "other"
        else {key: getattr(each, key), "kind": each.kind}
        for name, each in own.items()
        for key in (["pattern"] if isinstance(each, TextPattern) else ["file"])
    }


def scrubbing_as_table(scrubbing: ScrubPolicy) -> dict[str, object]:
    """The section in the form of the file, without defaults."""
    out: dict[str, object] = {}
    for key in ("purpose", "method", "dates", "places", "unsure", "detectors"):
        value = getattr(scrubbing, key)
        if value != getattr(_USUAL, key):
            out[key] = value.value
    if scrubbing.keep != _USUAL.keep:
        out["keep"] = [trait.value for trait in scrubbing.keep]
    if scrubbing.methods:
        out["methods"] = {kind: method.value for kind, method in scrubbing.methods.items()}
    if scrubbing.thresholds:
        out["thresholds"] = dict(scrubbing.thresholds)
    if scrubbing.cues is not None:
        told = any(scrubbing.cues.values())
        out["cues"] = (
            {name: kind or "other" for name, kind in scrubbing.cues.items()}
            if told
            else [*scrubbing.cues]
        )
    for key in ("patterns", "words"):
        if getattr(scrubbing, key):
            out[key] = _own_as_table(getattr(scrubbing, key))
    return out
