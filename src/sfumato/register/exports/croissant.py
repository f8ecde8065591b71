"""Croissant 1.0: the files of a release and their fields, for machine learning.
https://docs.mlcommons.org/croissant/docs/croissant-spec.html

Every field is text: a released label may be a range or a prefix."""

from __future__ import annotations

from typing import Any, Final

from ..release_content import released_fields
from .export import URN, Export, as_json

_CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_FORMATS: Final = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".parquet": "application/x-parquet",
    ".jsonl": "application/jsonlines",
    ".json": "application/json",
}


def croissant(export: Export) -> str:
    """The text of croissant.json for one release; its folder is needed."""
    tables = {name: table for name, table in export.tables().items() if "file" in table}
    about, release = export.application, export.release
    agreed = about.agreement if about is not None else None
    name = release.name if release is not None else about.name if about is not None else "release"
    digest = release.digest if release is not None else about.candidate if about is not None else ""
    return as_json(
        {
            "@context": _CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.0",
            "name": name,
            "description": about.form.purpose if about is not None else "A release.",
            "url": f"{URN}release:{digest}",
            "version": "1.0.0",
            "datePublished": str(export.manifest.get("created", ""))[:10],
            "license": ", ".join(agreed.terms) if agreed and agreed.terms else "No terms recorded.",
            "citeAs": f"{name}, sha256:{digest}",
            "distribution": [_file(table) for table in tables.values()],
            "recordSet": [_records(each, table) for each, table in tables.items()],
        }
    )


def _file(table: Any) -> dict[str, Any]:
    file = str(table["file"])
    suffix = "." + file.rpartition(".")[2]
    return {
        "@type": "cr:FileObject",
        "@id": file,
        "name": file,
        "contentUrl": file,
        "contentSize": f"{table['bytes']} B",
        "encodingFormat": _FORMATS.get(suffix, "application/octet-stream"),
        "sha256": str(table["sha256"]),
    }


def _records(name: str, table: Any) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": f"records/{name}",
        "name": f"records/{name}",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"records/{name}/{field}",
                "name": field,
                "dataType": "sc:Text",
                "source": {
                    "fileObject": {"@id": str(table["file"])},
                    "extract": {"column": field},
                },
            }
            for field in released_fields(table)
        ],
    }
