"""A survey for programs: plain dicts and lists for JSON. They hold no cell value."""

from __future__ import annotations

from .records import ChecklistItem, Combination, Dependence, FieldSurvey, Survey


def survey_as_dict(survey: Survey) -> dict[str, object]:
    """The survey as plain dicts, lists, texts and numbers, for JSON."""
    return {
        "title": survey.title,
        "rows": survey.rows,
        "entity": survey.entity,
        "reading": list(survey.reading),
        "warnings": list(survey.warnings),
        "open_questions": list(survey.open_questions),
        "twins": [_twin_as_dict(found) for found in survey.twins],
        "fields": [_field_as_dict(item) for item in survey.fields],
        "safe_harbor": [_item_as_dict(item) for item in survey.safe_harbor],
        "uniqueness": {
            "counted": [_combination_as_dict(found) for found in survey.uniqueness.counted],
            "not_counted": list(survey.uniqueness.not_counted),
        },
    }


def _field_as_dict(item: FieldSurvey) -> dict[str, object]:
    proposal = item.proposal
    return {
        "name": item.name,
        "kind": item.kind.value,
        "distinct": item.distinct,
        "missing": item.missing,
        "null_words": dict(item.null_words),
        "unique": item.unique,
        "looks_like": item.looks_like.value,
        "confidence": item.confidence,
        "reasons": list(item.likeness.reasons),
        "others": [
            {"looks_like": o.looks_like.value, "confidence": o.confidence} for o in item.others
        ],
        "proposal": {
            "role": proposal.role.value,
            "open": proposal.open,
            "reasons": list(proposal.reasons),
            "hierarchy": dict(proposal.hierarchy) if proposal.hierarchy is not None else None,
            "replace": proposal.replace.method.value if proposal.replace is not None else None,
            **({"shift": proposal.shift} if proposal.shift is not None else {}),
            **({"width": proposal.width} if proposal.width is not None else {}),
            **({"finest": proposal.finest} if proposal.finest is not None else {}),
        },
    }


def _twin_as_dict(found: Dependence) -> dict[str, object]:
    return {
        "kind": found.kind.value,
        "fields": list(found.fields),
        "exceptions": found.exceptions,
        "stays": found.stays,
    }


def _item_as_dict(item: ChecklistItem) -> dict[str, object]:
    return {
        "number": item.number,
        "identifier": item.identifier,
        "presence": item.presence.value,
        "fields": list(item.fields),
        "note": item.note,
    }


def _combination_as_dict(found: Combination) -> dict[str, object]:
    return {
        "fields": list(found.fields),
        "unique": found.unique,
        "unique_share": found.unique_share,
        "bins": found.bins,
        "average_bin": found.average_bin,
    }
