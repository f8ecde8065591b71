"""Reading and writing `[channels]`: a release with names, in which nobody can infer the
confidential field too well."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.hierarchies import is_list

from .channel_records import (
    CANDIDATES,
    READINGS,
    ChannelRule,
    Channels,
    CombinationRule,
    ConfidentialField,
)
from .table_cursor import Reader

_USUAL = Channels(fields=(), confidential="", identifiers=(), tolerance={})


def read_channels(top: Reader) -> Channels | None:
    """The section on channels; None where nothing is."""
    reader = top.table("channels")
    if reader is None:
        return None
    for key in ("fields", "confidential", "tolerance", "identifiers"):
        if key not in reader.raw:
            reader.report(key, "It is missing.", attempt=_MEANINGS[key])
    out = Channels(
        fields=reader.names("fields"),
        confidential=reader.text("confidential"),
        identifiers=reader.names("identifiers"),
        tolerance=reader.shares("tolerance"),
        none=reader.names("none"),
        weights=_weights(reader),
        bound=reader.number("bound"),
        whole_subjects=_flag(reader, "whole_subjects", usual=_USUAL.whole_subjects),
        candidates=reader.word("candidates", CANDIDATES, _USUAL.candidates),
        max_inputs=reader.whole("max_inputs", least=2),
        rules=_rules(reader),
        count=reader.whole("count", least=1) or _USUAL.count,
        seconds=reader.number("seconds", least=0.1) or _USUAL.seconds,
        work=reader.whole("work", least=1),
        reading=reader.word("reading", READINGS, _USUAL.reading),
        max_undisclosed=reader.number("max_undisclosed", most=1.0),
        label=reader.text("label", _USUAL.label),
        least_not_at_risk=reader.number("least_not_at_risk", most=1.0),
        compact=_flag(reader, "compact", usual=_USUAL.compact),
        also=_also(reader),
        max_differing=reader.whole("max_differing", least=1),
        field_weights=_weights(reader, "field_weights"),
        statistics=_statistics(reader),
        altered=reader.text("altered", _USUAL.altered),
    )
    reader.close()
    return out


_MEANINGS = {
    "fields": 'the confidentiality-related fields, as fields = ["cholesterol", "glucose"].',
    "confidential": 'the field that nobody may infer, as confidential = "diagnosis".',
    "tolerance": "how likely each risky value may be, as tolerance = { Diabetes = 0.25 }.",
    "identifiers": 'the identifiers that are released on purpose, as identifiers = ["name"].',
}


def _weights(reader: Reader, key: str = "weights") -> dict[str, float]:
    inner = reader.table(key)
    return {} if inner is None else {name: inner.number(name) or 0.0 for name in inner.raw}


def _statistics(reader: Reader) -> dict[str, tuple[tuple[str, ...], ...]]:
    inner = reader.table("statistics")
    out: dict[str, tuple[tuple[str, ...], ...]] = {}
    for name in () if inner is None else inner.raw:
        assert inner is not None
        given = inner.get(name)
        found = [_texts(group) for group in given] if is_list(given) else [None]
        if None in found:
            inner.report(
                name,
                "It must be a list of groups of values.",
                attempt='[["L", "N"], ["H"]], or [] for a field that is not in the statistics.',
            )
        out[name] = tuple(group for group in found if group is not None)
    return out


def _texts(given: object) -> tuple[str, ...] | None:
    """A list of texts; None where it is not one."""
    if not is_list(given):
        return None
    found = tuple(value for value in given if isinstance(value, str))
    return found if len(found) == len(given) else None


def _also(reader: Reader) -> tuple[ConfidentialField, ...]:
    out = []
    for inner in _tables(reader, "also"):
        for key in ("field", "tolerance"):
            if key not in inner.raw:
                inner.report(key, "It is missing.", attempt=_MEANINGS_OF_ALSO[key])
        out.append(
            ConfidentialField(
                name=inner.text("field"),
                tolerance=inner.shares("tolerance"),
                none=inner.names("none"),
                weights=_weights(inner),
            )
        )
        inner.close()
    return tuple(out)


_MEANINGS_OF_ALSO = {
    "field": 'a further field that nobody may infer, as field = "income".',
    "tolerance": "how likely each risky value may be, as tolerance = { high = 0.25 }.",
}


def _flag(reader: Reader, key: str, *, usual: bool) -> bool:
    found = reader.flag(key)
    return found if key in reader.raw else usual


def _tables(reader: Reader, key: str) -> list[Reader]:
    """A cursor over each table of a list."""
    given = reader.get(key)
    if given is None:
        return []
    tables = [item for item in given if isinstance(item, Mapping)] if is_list(given) else []
    if not is_list(given) or len(tables) < len(given):
        reader.report(
            key,
            "It must be a list of tables.",
            attempt=f"[[channels.{key}]] once for each.",
        )
        return []
    return [
        Reader(item, where=f"{reader.at(key)}[{number}]", problems=reader.problems)
        for number, item in enumerate(tables)
    ]


def _rules(reader: Reader) -> tuple[ChannelRule, ...]:
    out = []
    for inner in _tables(reader, "rules"):
        rule = inner.choice("rule", CombinationRule, CombinationRule.NO_GAPS)
        out.append(
            ChannelRule(
                field=inner.text("field"),
                rule=rule,
                values=inner.names("values"),
                most=inner.number("most"),
            )
        )
        inner.close()
    return tuple(out)


def channels_as_tables(channels: Channels, fields: object) -> dict[str, object]:
    """The section, and the fields without a word about replacing those that are released by
    name."""
    assert isinstance(fields, dict)
    said = {
        name: {key: value for key, value in decided.items() if key != "replace"}
        if name in channels.identifiers
        else decided
        for name, decided in fields.items()
    }
    return {"fields": said, "channels": _as_table(channels)}


def _as_table(channels: Channels) -> dict[str, object]:
    """The section in the form of the file, without defaults."""
    out: dict[str, object] = {
        "fields": list(channels.fields),
        "confidential": channels.confidential,
        "identifiers": list(channels.identifiers),
        "whole_subjects": channels.whole_subjects,
        "candidates": channels.candidates,
    }
    for key in (
        "none",
        "bound",
        "max_inputs",
        "count",
        "seconds",
        "work",
        "reading",
        "max_undisclosed",
        "label",
        "least_not_at_risk",
        "compact",
        "max_differing",
        "altered",
    ):
        value = getattr(channels, key)
        if value != getattr(_USUAL, key):
            out[key] = list(value) if isinstance(value, tuple) else value
    out["tolerance"] = dict(channels.tolerance)
    if channels.weights:
        out["weights"] = dict(channels.weights)
    if channels.field_weights:
        out["field_weights"] = dict(channels.field_weights)
    if channels.statistics:
        out["statistics"] = {
            name: [list(group) for group in groups] for name, groups in channels.statistics.items()
        }
    if channels.also:
        out["also"] = [_also_as_table(each) for each in channels.also]
    if channels.rules:
        out["rules"] = [_rule_as_table(rule) for rule in channels.rules]
    return out


def _also_as_table(each: ConfidentialField) -> dict[str, object]:
    out: dict[str, object] = {"field": each.name, "tolerance": dict(each.tolerance)}
    if each.none:
        out["none"] = list(each.none)
    if each.weights:
        out["weights"] = dict(each.weights)
    return out


def _rule_as_table(rule: ChannelRule) -> dict[str, object]:
    values = {"values": list(rule.values)} if rule.values else {}
    most = {} if rule.most is None else {"most": rule.most}
    return {"field": rule.field, "rule": rule.rule.value, **values, **most}
