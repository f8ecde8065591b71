"""The requirements on a release: some settings, and the requirement of each declared protection
model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.errors import Bug, Mistake

from .declared_models import (
    MODELS,
    LooksAt,
    OutsideNeed,
    RequirementDeclaration,
    RequirementForm,
    declaration_of,
    declared_model,
    model_keys,
)
from .roles import CellReading

SETTINGS = ("quasi_identifiers", "max_suppression", "reading")
"""Keys of [require] that set how others are judged and name no model."""


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Requirements:
    """The rules that must hold for the release. `quasi_identifiers` names several sets where one is
    not enough.

    `asked` has the records of each model by its key. Every other keyword is the key of a model,
    with a record, several of them, or its value in a policy file.

    Example:
        >>> Requirements(k=5, maximum_risk=0.2).keys, Requirements(k=5).k
        (('k', 'maximum_risk'), 5)
    """

    quasi_identifiers: tuple[tuple[str, ...], ...] = ()
    max_suppression: float = 0.0
    reading: CellReading = CellReading.STRICT
    asked: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __init__(
        self,
        *,
        quasi_identifiers: tuple[tuple[str, ...], ...] = (),
        max_suppression: float = 0.0,
        reading: CellReading = CellReading.STRICT,
        asked: Mapping[str, tuple[Any, ...]] | None = None,
        **models: Any,
    ) -> None:
        every = {**(asked or {}), **{key: _records(key, value) for key, value in models.items()}}
        object.__setattr__(self, "quasi_identifiers", quasi_identifiers)
        object.__setattr__(self, "max_suppression", max_suppression)
        object.__setattr__(self, "reading", reading)
        object.__setattr__(
            self, "asked", {key: records for key, records in every.items() if records}
        )

    @classmethod
    def of(cls, records: Iterable[object], *, like: Requirements) -> Requirements:
        """The requirements of these records, with the settings of `like`."""
        asked: dict[str, tuple[Any, ...]] = {}
        for record in records:
            declared = declaration_of(record)
            if declared.key in asked and declared.form is not RequirementForm.TABLES:
                raise Mistake(
                    f"{declared.key} was asked for twice.",
                    found="It can be asked for once.",
                    attempt="one of them.",
                )
            asked[declared.key] = (*asked.get(declared.key, ()), record)
        return replace(like, asked=asked)

    def with_models(self, **models: Any) -> Requirements:
        """The same, with other requirements of some models; None or an empty value removes one."""
        return replace(
            self,
            asked={**self.asked, **{key: _records(key, value) for key, value in models.items()}},
        )

    def without(self, keys: Iterable[str]) -> Requirements:
        """The same without some models."""
        gone = set(keys)
        return replace(
            self, asked={key: records for key, records in self.asked.items() if key not in gone}
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the required models, in their order."""
        return tuple(sorted(self.asked, key=lambda key: (declared_model(key).place, key)))

    def each(self, key: str) -> tuple[Any, ...]:
        """Every requirement of a model."""
        return self.asked.get(key, ())

    def one(self, key: str) -> Any:
        """The requirement of a model that can be required once; None where it is not required."""
        found = self.each(key)
        if len(found) > 1:
            raise Bug(f"{key} is asked for several times, and one was expected")
        return found[0] if found else None

    @property
    def k(self) -> int | None:
        """The k of k-anonymity; None where it is not required."""
        asked = self.one("k")
        return None if asked is None else asked.k

    def items(self) -> Iterator[tuple[RequirementDeclaration, Any]]:
        """Each record with the declaration of its model, in the order of the models."""
        for key in self.keys:
            declared = declared_model(key)
            yield from ((declared, record) for record in self.asked[key])

    def needing(self, *needs: OutsideNeed) -> Iterator[tuple[RequirementDeclaration, Any]]:
        """The requirements that need one of these kinds of data besides the release."""
        return (
            (declared, asked)
            for declared, asked in self.items()
            if declared.need_of(asked) in needs
        )

    def looking_at(self, *what: LooksAt) -> Iterator[tuple[RequirementDeclaration, Any]]:
        """The requirements that judge one of these kinds of data."""
        return (
            (declared, asked) for declared, asked in self.items() if declared.look_of(asked) in what
        )

    def of_table(self, name: str) -> Requirements:
        """The requirements on one of several tables, as if it were the only one."""
        return self._sets(lambda asked: (replace(asked, table=""),) if asked.table == name else ())

    def in_table(self, name: str) -> Requirements:
        """The requirements on the only table, as those of the table `name`."""
        return self._sets(lambda asked: (replace(asked, table=name),))

    def in_view(self, names: Mapping[str, str]) -> Requirements:
        """The requirements on a view, which calls fields by other `names`. A field without a name
        there is not judged, and requirements on such fields only are omitted."""
        asked: dict[str, tuple[Any, ...]] = {}
        for declared, record in self.items():
            renamed = (
                record
                if declared.look_of(record) is LooksAt.SETS
                else _renamed(declared, record, names)
            )
            if renamed is not None:
                asked[declared.key] = (*asked.get(declared.key, ()), renamed)
        sets = (
            tuple(names[name] for name in fields if name in names)
            for fields in self.quasi_identifiers
        )
        return replace(
            self, asked=asked, quasi_identifiers=tuple(fields for fields in sets if fields)
        )

    def _sets(self, change: Callable[[Any], tuple[Any, ...]]) -> Requirements:
        """Sets of values are those of a field of a table, which they name."""
        asked = {**self.asked}
        for key in {declared.key for declared, _ in self.looking_at(LooksAt.SETS)}:
            asked[key] = tuple(made for record in self.asked[key] for made in change(record))
        return replace(self, asked=asked)

    @property
    def weights(self) -> tuple[str, ...]:
        """The fields with survey weights that requirements count by."""
        return tuple(asked.weight for _, asked in self.needing(OutsideNeed.WEIGHTS))


def _renamed(declared: RequirementDeclaration, record: Any, names: Mapping[str, str]) -> Any:
    """A record with other names of fields; None where none of the fields that a parameter names has
    one."""
    changes: dict[str, Any] = {}
    for parameter in declared.roles:
        said = getattr(record, parameter)
        if not said:
            continue
        if isinstance(said, str):
            here: Any = names.get(said)
        elif isinstance(said, Mapping):
            here = {names[name]: value for name, value in said.items() if name in names}
        else:
            here = tuple(names[name] for name in said if name in names)
        if not here:
            return None
        changes[parameter] = here
    return replace(record, **changes) if changes else record


def _records(key: str, value: Any) -> tuple[Any, ...]:
    """The requirements under a key, as records of its model."""
    if key not in MODELS:
        raise Mistake(
            f'Something was asked of the protection model "{key}".',
            found="There is none with that name.",
            attempt=f"one of {', '.join(model_keys())}.",
        )
    declared = MODELS[key]
    if value is None or value is False or value == () or value == {}:
        return ()
    if isinstance(value, tuple | list) and all(isinstance(each, declared.record) for each in value):
        return tuple(value)
    if isinstance(value, declared.record):
        return (value,)
    if value is True and declared.form is RequirementForm.FLAG:
        return (declared.record(),)
    if declared.form is not RequirementForm.VALUE:
        raise Mistake(
            f"{key} was asked for.", found=f"It must be a record, {declared.record.__name__}."
        )
    return (declared.record(**{declared.parameter.name: value}),)
