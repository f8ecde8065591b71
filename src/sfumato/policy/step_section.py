"""Reading and writing the steps of a policy file, by what each technique says of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .hierarchies.parameters import is_list
from .nearest import with_question
from .reading import Reader
from .step_records import TECHNIQUES, Parameter, Step

_READ: Mapping[str, Callable[[Reader, Parameter], object]] = MappingProxyType(
    {
        "number": lambda reader, item: reader.number(item.name, least=item.least, most=item.most),
        "share": lambda reader, item: reader.number(item.name, most=1.0),
        "whole": lambda reader, item: reader.whole(item.name, least=int(item.least)),
        "word": lambda reader, item: reader.word(item.name, item.words, str(item.default)),
        "text": lambda reader, item: reader.text(item.name, str(item.default)),
        "texts": lambda reader, item: reader.names(item.name),
        "fields": lambda reader, item: reader.names(item.name),
    }
)


def read_steps(top: Reader) -> tuple[Step, ...]:
    """The steps in their order; what cannot be read is told and left out."""
    given = top.get("steps")
    if given is None:
        return ()
    if not is_list(given) or not all(isinstance(item, Mapping) for item in given):
        top.report("steps", "It must be a list of tables.", attempt="[[steps]] once for each step.")
        return ()
    readers = [
        Reader(item, where=f"steps[{i}]", problems=top.problems)
        for i, item in enumerate(given)
        if isinstance(item, Mapping)
    ]
    return tuple(step for place, reader in enumerate(readers) if (step := _read(reader, place)) is not None)


def _read(reader: Reader, place: int) -> Step | None:
    name = reader.text("technique")
    if name not in TECHNIQUES:
        said = with_question(f'There is no technique "{name}".', name, tuple(TECHNIQUES)) if name else "It is missing."
        reader.report("technique", said, attempt=f"one of {', '.join(TECHNIQUES)}.")
        return None
    spec = TECHNIQUES[name]
    fields = reader.names("fields")
    settings = {item.name: _setting(reader, item) for item in spec.parameters}
    reader.close()
    return Step(technique=name, fields=fields, settings=settings, place=place)


def _setting(reader: Reader, item: Parameter) -> object:
    if item.kind == "flag":
        said = reader.raw.get(item.name)
        found = reader.flag(item.name)
        return item.default if said is None else found
    if item.needed and item.name not in reader.raw:
        reader.report(item.name, "It is missing.", attempt=f"what it means: {item.meaning}.")
    value = _READ[item.kind](reader, item)
    return item.default if value is None else value


def steps_as_table(steps: tuple[Step, ...]) -> list[dict[str, object]]:
    """The steps in the form of the file, without what is by default."""
    out = []
    for step in steps:
        said = {
            item.name: list(value) if isinstance(value, tuple) else value
            for item in step.spec.parameters
            if (value := step.settings[item.name]) != item.default and value is not None
        }
        fields = {"fields": list(step.fields)} if step.fields else {}
        out.append({"technique": step.technique, **fields, **said})
    return out
