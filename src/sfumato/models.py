"""Requirements of a release, for Python: `sfumato.models.KAnonymity(k=5)` asks for k-anonymity.

Each name is that of a declared protection model's record, without "Requirement": `TCloseness`,
`LDiversity`, `KMap`, … Models of installed packages are here too. `sfumato.release(source,
require=[...], to=...)` takes the records.

    >>> from sfumato import models
    >>> models.KAnonymity(k=5)
    KAnonymityRequirement(k=5)
"""

from __future__ import annotations

from typing import Any

from sfumato.parts import did_you_mean
from sfumato.policy import MODELS, model_keys


def _records() -> dict[str, type]:
    records = (MODELS[key].record for key in model_keys())
    return {record.__name__.removesuffix("Requirement"): record for record in records}


def __getattr__(name: str) -> Any:
    found = None if name.startswith("_") else _records().get(name)
    if found is None:
        near = "" if name.startswith("_") else did_you_mean(name, tuple(_records()))
        said = f"module 'sfumato.models' has no attribute {name!r}"
        raise AttributeError(f"{said}. {near}" if near else said)
    return found


def __dir__() -> list[str]:
    return sorted(_records())
