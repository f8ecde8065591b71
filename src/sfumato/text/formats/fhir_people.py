"""Whose a FHIR resource is, and what the file's patients are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .fhir_elements import is_human_name
from .json_trees import Array, Leaf, Node, Object

_SUBJECTS = ("subject", "patient", "beneficiary", "individual", "for")


@dataclass(frozen=True, slots=True)
class FhirPeople:
    """What the file knows of patients: who is meant by an address, and what they are called."""

    addresses: Mapping[str, str] = field(repr=False)
    names: Mapping[str, tuple[str, ...]] = field(repr=False)

    @classmethod
    def of(cls, trees: Sequence[Node]) -> FhirPeople:
        addresses: dict[str, str] = {}
        names: dict[str, tuple[str, ...]] = {}
        for full_url, resource in _resources(trees):
            whose = f"{resource.string('resourceType')}/{resource.string('id')}"
            if full_url:
                addresses[full_url] = whose
            if whose.startswith("Patient/"):
                names[whose] = tuple(dict.fromkeys(_names(resource)))
        return cls(addresses, names)

    def person(self, resource: Object) -> str:
        if resource.string("resourceType") == "Patient":
            return f"Patient/{resource.string('id')}" if resource.string("id") else ""
        for key in _SUBJECTS:
            holder = resource.get(key)
            reference = holder.string("reference") if isinstance(holder, Object) else ""
            if reference:
                whose = self.addresses.get(
                    reference, "/".join(reference.partition("/_history")[0].split("/")[-2:])
                )
                if whose.startswith("Patient/"):
                    return whose
        return ""


def _resources(nodes: Sequence[Node]) -> Iterator[tuple[str, Object]]:
    """The resources of a file with the addresses that a Bundle gives them."""
    for node in nodes:
        if isinstance(node, Object):
            yield "", node
            entries = node.get("entry")
            for entry in entries.items if isinstance(entries, Array) else ():
                if isinstance(entry, Object) and isinstance(inner := entry.get("resource"), Object):
                    yield entry.string("fullUrl"), inner


def _names(patient: Object) -> Iterator[str]:
    names = patient.get("name")
    for name in names.items if isinstance(names, Array) else ():
        if isinstance(name, Object) and is_human_name(name, "name"):
            given = name.get("given")
            words = (
                [item.text for item in given.items if isinstance(item, Leaf)]
                if isinstance(given, Array)
                else []
            )
            yield from filter(None, (*words, name.string("family"), name.string("text")))
