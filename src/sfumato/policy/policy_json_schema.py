"""The JSON Schema of policies, so that editors complete and check them; the parts in it are written
from their declarations.

It knows shapes, words and ranges. Checks that need the whole policy or the source (a field that is
not there, a file that is missing) are for `sfumato check`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from sfumato.hierarchies import BUILDERS
from sfumato.parts import parameters_of, schema_of, schema_of_parameter

from .channel_records import CANDIDATES, READINGS, CombinationRule
from .declared_models import MODELS, RequirementDeclaration, RequirementForm
from .declared_solvers import SOLVERS
from .documentation_section import QUESTIONS
from .file_format import FORMAT
from .made_table_schema import synthesis_schema, tables_of_counts_schema
from .records import OTHER_FIELDS, AccessClass, Intervals, Membership, Method, Order, SolveSettings
from .roles import CellReading, NullRule, Role
from .step_records import TECHNIQUES
from .table_records import Orphans, RowCountMerging
from .text_records import (
    TEXT_KINDS,
    TextDates,
    TextDetectors,
    TextMethod,
    TextPlaces,
    TextPurpose,
    TextTrait,
    TextUnsure,
)

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT}
LEVEL: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
NUMBER: Schema = {"type": "number", "minimum": 0}
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def policy_schema() -> Schema:
    """The schema of a whole policy.

    Example:
        >>> sorted(policy_schema()["properties"])[:4]
        ['channels', 'documentation', 'entity', 'fields']
    """
    return {
        "$schema": DRAFT,
        "title": "A policy of Sfumato",
        "description": "Roles of fields, hierarchies, recipients and requirements of a release.",
        **_table(
            {
                "format": {
                    "const": FORMAT,
                    "description": "the format of the policy file; 1 where it is left out",
                },
                "fields": _fields("what was decided about each field"),
                "tables": _each(_of_table(), "several tables, each with its fields, key and links"),
                "require": _require(),
                "recipient": _each(_recipient(), "profiles of recipients, by name"),
                "release_to": _said("the recipient's profile", TEXT),
                "solve": _solve(),
                "keep": _said("the fields that must stay useful", TEXTS),
                "entity": _said("the field that identifies the person of a row", TEXT),
                "household": _said("the field that says which people live together", TEXT),
                "row_counts": _row_counts(),
                "channels": _channels(),
                "steps": {
                    "type": "array",
                    "description": "techniques that change cells or rows before anything is counted",
                    "items": {"$ref": "#/$defs/step"},
                },
                "source": _source(),
                "quote_formulas": _said(
                    "an apostrophe before cells that a spreadsheet would run", FLAG
                ),
                "nulls": _word(NullRule, "how a missing value is compared"),
                "order": _word(Order, "the order of the released rows"),
                "other_fields": _word(
                    OTHER_FIELDS, "fields of the source that the policy does not name"
                ),
                "membership": _word(
                    ("", *Membership), "whether it may be learned who is in the table"
                ),
                "documentation": _documentation(),
                "synthesis": synthesis_schema(),
                "tables_of_counts": tables_of_counts_schema(),
                "proposed": _said(
                    "true until a person has read the policy and deleted this line", FLAG
                ),
            }
        ),
        "$defs": {
            "hierarchy": _hierarchy(),
            "branch": _branch(),
            "step": {"anyOf": [_step(key) for key in TECHNIQUES]},
            "field": _field(),
        },
    }


def _documentation() -> Schema:
    answers = {each.key: _said(each.question, TEXT) for each in QUESTIONS if not each.is_counted}
    return _table(answers, doc="a person's answers to what an agency documents of a release")


def _require() -> Schema:
    settings = {
        "quasi_identifiers": _said(
            "sets of fields, each judged alone", {"type": "array", "items": TEXTS}
        ),
        "max_suppression": _said("the largest share of rows that may be left out", SHARE),
        "reading": _word(CellReading, "how a suppressed cell is counted"),
    }
    models = {key: _requirement(declared) for key, declared in MODELS.all().items()}
    return _table({**settings, **models}, doc="what must hold of the release")


def _solve() -> Schema:
    """The solver, the settings that all solvers share, and those of each. Only reading detects a
    setting of another solver."""
    records = (SolveSettings, *(declared.settings for declared in SOLVERS.all().values()))
    settings = {
        each.name: schema_of_parameter(each) for record in records for each in parameters_of(record)
    }
    solver = _said("the solver that finds the recoding", {"type": "string", "enum": list(SOLVERS)})
    return _table({"solver": solver, **settings}, doc="the solver and its settings")


def _requirement(declared: RequirementDeclaration) -> Schema:
    """The value under the key of a model, by its form."""
    if declared.form is RequirementForm.VALUE:
        return {**schema_of_parameter(declared.parameter), "description": declared.doc}
    table = schema_of(declared.record, doc=declared.doc)
    if declared.form is RequirementForm.TABLES:
        return {
            "anyOf": [table, {"type": "array", "items": table, "minItems": 1}],
            "description": declared.doc,
        }
    return (
        {"anyOf": [FLAG, table], "description": declared.doc}
        if declared.form is RequirementForm.FLAG
        else table
    )


def _step(key: str) -> Schema:
    declared = TECHNIQUES[key]
    out = schema_of(declared.record, doc=declared.doc)
    least, most = declared.fields
    fields = {
        **TEXTS,
        "minItems": least,
        "uniqueItems": True,
        "description": "the fields that it changes",
    }
    out["properties"] = {
        "technique": {"const": key, "description": declared.doc},
        "table": {
            **TEXT,
            "description": "the table whose cells it changes, where the policy has several",
        },
        "fields": fields if most is None else {**fields, "maxItems": most},
        **out["properties"],
    }
    out["required"] = ["technique", *(["fields"] if least else []), *out.get("required", [])]
    return out


def _hierarchy() -> Schema:
    return {
        "description": "a builder, or the name of a CSV file",
        "anyOf": [TEXT, *(declared.schema() for declared in BUILDERS.all().values())],
    }


def _branch() -> Schema:
    return {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"anyOf": [TEXTS, {"$ref": "#/$defs/branch"}]},
    }


def _fields(doc: str) -> Schema:
    return _each({"$ref": "#/$defs/field"}, doc)


def _field() -> Schema:
    role = _word(Role, "what the field is to someone who wants to know whose row this is")
    whole = {"type": "integer"}
    spans = _table({"least": whole, "most": whole}, needed=("least", "most"))
    values = {"type": "array", "minItems": 1, "items": {"type": ["string", "number"]}}
    replaced = _table(
        {
            "method": _word(Method, "what takes its place"),
            "kind": _said("what a surrogate is like", TEXT),
            "word": _said("the keyword in place of every value", TEXT),
        }
    )
    shift = {
        "days": _said("the most days that a date may move", {"type": "integer", "minimum": 1}),
        "per": _said("the field with the person key", TEXT),
        "intervals": _word(Intervals, "whether the days between dates are kept"),
        "weekdays": _said("true to move dates by whole weeks", FLAG),
        "holidays": {
            "description": "days that stay holidays: a list of dates, or a CSV file",
            "anyOf": [TEXT, {"type": "array", "minItems": 1, "items": TEXT}],
        },
    }
    table = _table(
        {
            "role": role,
            "open": _said("true until a person has decided what the field is", FLAG),
            "hierarchy": {"$ref": "#/$defs/hierarchy"},
            "replace": {
                "anyOf": [_word(Method, "what takes the place of a direct identifier"), replaced]
            },
            "shift": _table(shift, needed=("days",), doc="move all dates of one person together"),
            "finest": {
                "anyOf": [LEVEL, TEXT],
                "description": "no cell is released below this level",
            },
            "coarsest": {"anyOf": [LEVEL, TEXT], "description": "nor above this one"},
            "rank": _said(
                "how identifying it is, for mu_argus",
                {"type": "integer", "minimum": 0, "maximum": 3},
            ),
            "follows": _said("the quasi field with which it is suppressed", TEXT),
            "scrub": _scrub(),
            "null_words": _said("cells that mean a missing value", TEXTS),
            "domain": {"anyOf": [values, spans], "description": "the values that it may have"},
            "constant_per_person": _said("the same in all rows of a person", FLAG),
            "public": _said("how many people have each value is public", FLAG),
            "value_steps": {
                "anyOf": [
                    {"type": "number", "exclusiveMinimum": 0},
                    {"type": "array", "items": {"type": "number"}, "minItems": 2},
                ],
                "description": "the steps by which a sensitive number is judged",
            },
            "may_tell": _said(
                "fields that it determines, and may disclose although they are treated more strongly",
                TEXTS,
            ),
            "made_of": _said(
                "the fields that together are this one, such as a key of several fields", TEXTS
            ),
        },
        needed=("role",),
    )
    return {"anyOf": [role, table]}


def _scrub() -> Schema:
    method = _word(TextMethod, "what takes the place of a reference")
    kinds = {"enum": list(TEXT_KINDS)}
    return _table(
        {
            "purpose": _word(TextPurpose, "what is masked"),
            "method": method,
            "methods": {"type": "object", "propertyNames": kinds, "additionalProperties": method},
            "keep": {
                "type": "array",
                "items": _word(TextTrait, "what of a name its surrogate keeps"),
            },
            "dates": _word(TextDates, "what becomes of dates"),
            "places": _word(TextPlaces, "what becomes of places"),
            "unsure": _word(TextUnsure, "what becomes of names and places that are not certain"),
            "thresholds": {"type": "object", "propertyNames": kinds, "additionalProperties": SHARE},
            "detectors": _word(TextDetectors, "which detectors look"),
            "patterns": _own("pattern", "regular expressions of your own, by name"),
            "words": _own(
                "file", "word lists of your own, by name: one entry for each line of a file"
            ),
            "cues": {"anyOf": [TEXTS, {"type": "object", "additionalProperties": kinds}]},
        },
        doc="how a text field is scrubbed",
    )


def _own(key: str, doc: str) -> Schema:
    text = {"type": "string", "minLength": 1}
    table = _table({key: text, "kind": {"enum": list(TEXT_KINDS)}}, needed=(key,))
    return _each({"anyOf": [text, table]}, doc)


def _of_table() -> Schema:
    return _table(
        {
            "fields": _fields("what was decided about each field of the table"),
            "key": _said("the field that names its rows", TEXT),
            "links": _each(TEXT, 'fields that lead to the key of another table, as "TABLE.KEY"'),
            "row_counts": _row_counts(),
            "orphans": _word(Orphans, "rows whose link leads nowhere"),
            "source": _source(),
        }
    )


def _row_counts() -> Schema:
    return _table(
        {
            "bin_size": _said(
                "people who share a number of rows", {"type": "integer", "minimum": 2}
            ),
            "linking": _said("how likely the recipient links on it", SHARE),
            "merging": _word(RowCountMerging, "how numbers of rows are merged"),
            "together": _said("whether it is known with the numbers in tables before", FLAG),
        },
        doc="what the number of a person's rows may disclose",
    )


def _source() -> Schema:
    return _table(
        {
            "encoding": _said("how bytes are read as text", TEXT),
            "separator": _said(
                "what parts the fields of a text file", {"type": "string", "maxLength": 1}
            ),
            "header": _said("whether the first row has names", FLAG),
            "rename_headers": _said("whether names that clash get numbers", FLAG),
            "sheet": _said("the sheet of a workbook", TEXT),
            "quoted_formulas": _said("whether an apostrophe before a formula is taken off", FLAG),
            "null_words": _said("cells that mean a missing value", TEXTS),
        },
        doc="how the source is read",
    )


def _recipient() -> Schema:
    return _table(
        {
            "description": TEXT,
            "access": _word(("", *AccessClass), "who can have what this recipient holds"),
            "linking": _each(SHARE, "how likely the recipient links on a field"),
            "distortion": _each(SHARE, "how much distortion of a field the recipient tolerates"),
            "default_linking": SHARE,
            "default_distortion": SHARE,
        }
    )


def _channels() -> Schema:
    rule = _table(
        {
            "field": TEXT,
            "rule": _word(CombinationRule, "which values may be combined"),
            "values": TEXTS,
            "most": _said("how far apart values of a span may be", NUMBER),
        },
        needed=(),
    )
    return _table(
        {
            "fields": _said("the confidentiality-related fields", TEXTS),
            "confidential": _said("the field that nobody may infer", TEXT),
            "identifiers": _said("the identifiers that are released on purpose", TEXTS),
            "tolerance": _each(SHARE, "how likely each risky value may be"),
            "none": _said("values that disclose nothing", TEXTS),
            "weights": _each(NUMBER, "how much each value counts in the sum"),
            "bound": NUMBER,
            "whole_subjects": FLAG,
            "candidates": _word(CANDIDATES, "how channels are looked for"),
            "max_inputs": {"type": "integer", "minimum": 2},
            "rules": {"type": "array", "items": rule},
            "count": {"type": "integer", "minimum": 1},
            "seconds": {"type": "number", "minimum": 0.1},
            "work": {"type": "integer", "minimum": 1},
            "reading": _word(READINGS, "what is counted"),
            "max_undisclosed": SHARE,
            "label": TEXT,
            "least_not_at_risk": _said(
                "the least share of subjects of each output channel who are not at risk", SHARE
            ),
            "also": {
                "type": "array",
                "description": "further confidential fields",
                "items": _table(
                    {
                        "field": TEXT,
                        "tolerance": _each(SHARE, "how likely each risky value may be"),
                        "none": TEXTS,
                        "weights": _each(NUMBER, "how much each value counts in the sum"),
                    },
                    needed=("field", "tolerance"),
                ),
            },
            "compact": _said("sets of values once, in channels.csv, not in every row", FLAG),
            "max_differing": _said(
                "in how many fields two input channels of one output channel may differ",
                {"type": "integer", "minimum": 1},
            ),
            "field_weights": _each(NUMBER, "what a field adds to the cost where it is expanded"),
            "statistics": _each(
                {"type": "array", "items": TEXTS},
                "groups of values that are counted together in the published statistics",
            ),
            "altered": _said(
                "the released field with the confidential values that a subject may have", TEXT
            ),
        },
        needed=("fields", "confidential", "tolerance", "identifiers"),
        doc="a release with names, in which nobody can infer the confidential field too well",
    )


def _table(
    properties: Mapping[str, Schema], *, needed: Iterable[str] = (), doc: str = ""
) -> Schema:
    out: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    required = list(needed)
    return {
        **out,
        **({"required": required} if required else {}),
        **({"description": doc} if doc else {}),
    }


def _each(of: Schema, doc: str) -> Schema:
    return {"type": "object", "additionalProperties": of, "description": doc}


def _word(words: type[StrEnum] | tuple[str, ...], doc: str) -> Schema:
    return {"type": "string", "enum": [str(word) for word in words], "description": doc}


def _said(doc: str, schema: Schema) -> Schema:
    return {**schema, "description": doc}
