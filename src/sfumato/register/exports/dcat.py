"""DCAT 3: the catalogue of releases as JSON-LD, with the mandatory properties of DCAT-AP 3.0.
https://www.w3.org/TR/vocab-dcat-3/"""

from __future__ import annotations

from typing import Any, Final

from sfumato.policy import AccessClass

from ..agreements import DUO
from ..registered_release import RegisteredRelease
from .export import URN, Export, as_json

_RIGHTS: Final = "http://publications.europa.eu/resource/authority/access-right/"
_ACCESS: Final = {
    AccessClass.PUBLIC: "PUBLIC",
    AccessClass.SEMI_PUBLIC: "RESTRICTED",
    AccessClass.SEMI_PRIVATE: "RESTRICTED",
    AccessClass.PRIVATE: "NON_PUBLIC",
}
_CONTEXT: Final = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "duo": "http://purl.obolibrary.org/obo/",
}


def dcat(export: Export) -> str:
    """A catalogue of all releases, or of one."""
    chosen = (export.release,) if export.release is not None else export.state.releases
    return as_json(
        {
            "@context": _CONTEXT,
            "@id": f"{URN}register",
            "@type": "dcat:Catalog",
            "dct:title": "Releases of a register",
            "dct:description": "Every release about the same people, and who holds it.",
            "dct:publisher": _publisher(),
            "dct:modified": _time(export.state.head.time),
            "dcat:dataset": [_dataset(export, each) for each in chosen],
        }
    )


def _publisher() -> dict[str, Any]:
    return {"@id": f"{URN}holder", "@type": "foaf:Agent", "foaf:name": "The data holder"}


def _time(time: str) -> dict[str, str]:
    return {"@value": time, "@type": "xsd:dateTime" if "T" in time else "xsd:date"}


def _dataset(export: Export, release: RegisteredRelease) -> dict[str, Any]:
    about = export.state.applications.get(export.state.delivered.get(release.name, ""))
    agreed = about.agreement if about is not None else None
    access = agreed.access if agreed is not None else AccessClass.PRIVATE
    terms = agreed.terms if agreed is not None else ()
    return {
        "@id": f"{URN}release:{release.digest}",
        "@type": "dcat:Dataset",
        "dct:title": release.name,
        "dct:description": about.form.purpose if about is not None else f"For {release.group}.",
        "dct:identifier": f"sha256:{release.digest}",
        "dct:issued": _time(release.time),
        "dct:publisher": _publisher(),
        "dct:accessRights": {"@id": f"{_RIGHTS}{_ACCESS[access]}", "@type": "dct:RightsStatement"},
        "dct:rights": [
            {"@type": "dct:RightsStatement", "rdfs:label": each.value}
            | ({"rdfs:seeAlso": {"@id": f"duo:{DUO[each]}"}} if each in DUO else {})
            for each in terms
        ],
        "dcat:keyword": [*release.fields, *release.sensitive],
    }
