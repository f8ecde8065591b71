"""Reading and writing `[source]`: how a source is read, and which words in it mean a missing
value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from .records import Field, Policy
from .source_records import NullWords, SourceFormat
from .table_cursor import Reader

_LONGEST_WORD = 100
_MOST_WORDS = 1_000


def read_source(reader: Reader) -> SourceFormat:
    """The section `source` of a policy or of one of its tables."""
    inner = reader.table("source")
    if inner is None:
        return SourceFormat()
    out = SourceFormat(
        encoding=inner.text("encoding"),
        separator=inner.text("separator"),
        header=inner.flag("header", default=True),
        rename_headers=inner.flag("rename_headers"),
        sheet=inner.text("sheet"),
        quoted_formulas=inner.flag("quoted_formulas"),
        null_words=read_words(inner, "null_words"),
    )
    if len(out.separator) > 1 or out.separator in ('"', "\n", "\r"):
        inner.report("separator", "It must be one character.", attempt='separator = ";".')
    inner.close()
    return out


def read_words(reader: Reader, key: str) -> tuple[str, ...]:
    """Words for missing values. Blanks around a word do not count, in a policy as in a cell."""
    words = tuple(dict.fromkeys(word.strip(" ") for word in reader.names(key)))
    if len(words) > _MOST_WORDS or any(len(word) > _LONGEST_WORD for word in words):
        reader.report(key, f"It may have {_MOST_WORDS:,} words of {_LONGEST_WORD} characters.")
        return ()
    return words


def source_as_table(source: SourceFormat) -> dict[str, object]:
    """The differences from the usual, in the form of the file."""
    usual = SourceFormat()
    given = {item.name: getattr(source, item.name) for item in fields(source)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value != getattr(usual, name)
    }


def null_words(policy: Policy) -> NullWords:
    """The words for missing values of a policy of one table."""
    return _words(policy.source, policy.fields)


def null_words_by_table(policy: Policy) -> dict[str, NullWords]:
    """The words for missing values of each of several tables."""
    return {
        name: _words(format_of(policy, name), table.fields) for name, table in policy.tables.items()
    }


def format_of(policy: Policy, table: str) -> SourceFormat:
    """How one of several tables is read: by its own section, else by that of the policy."""
    own = policy.tables[table].source
    return policy.source.with_options({item.name: getattr(own, item.name) for item in fields(own)})


def _words(source: SourceFormat, decided: Mapping[str, Field]) -> NullWords:
    return NullWords(
        every=source.null_words,
        fields={name: item.null_words for name, item in decided.items() if item.null_words},
    )
