"""`python crate_check.py FOLDER`: the required rules of RO-Crate 1.2, with the context of the
specification from the package `rocrate`, so that nothing is fetched. Run by the validators' Python."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from types import SimpleNamespace

from requests import Response
from rocrate_validator import services
from rocrate_validator.models import ValidationSettings
from rocrate_validator.utils.http import HttpRequester

CONTEXT = files("rocrate").joinpath("data/ro-crate.jsonld").read_bytes()


def get(url: str, **_: object) -> Response:
    """The context, and nothing else."""
    found = Response()
    found.url, found.status_code = url, 200 if url.endswith("/context") else 504
    found._content = CONTEXT if url.endswith("/context") else b""
    found.headers["Content-Type"] = "application/ld+json"
    return found


def check(folder: str) -> int:
    json.loads(CONTEXT)
    HttpRequester.__getattr__ = lambda self, name: get  # type: ignore[method-assign]
    settings = ValidationSettings(
        rocrate_uri=folder, profile_identifier="ro-crate-1.2", requirement_severity="REQUIRED",
        offline=True,
    )  # fmt: skip
    found = services.validate(settings)
    issues = [SimpleNamespace(words=str(each.message)) for each in found.get_issues()]
    sys.stdout.write("\n".join(each.words for each in issues) + "\n")
    return 1 if issues else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]))
