"""Sfumato: a release is a source seen through a recoding, and every protection claim is a verdict
about its bins.

    >>> import sfumato
    >>> sorted(sfumato.__all__)[:4]
    ['Assessment', 'Bins', 'Intrusion', 'Key']

Names are imported when they are first used, so that importing the package stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .lazy_names import lazy_names

if TYPE_CHECKING:
    from . import models as models
    from .assessment import Assessment as Assessment
    from .assessment import Intrusion as Intrusion
    from .assessment import Sweep as Sweep
    from .assessment import assess as assess
    from .assessment import intrude as intrude
    from .assessment import sweep as sweep
    from .bins import Bins as Bins
    from .engines import open_source as open_source
    from .policy import Policy as Policy
    from .policy import read_policy as read_policy
    from .releases import Key as Key
    from .releases import Release as Release
    from .releases import prepare as prepare
    from .releases import release as release
    from .releases import verify as verify
    from .scrubbing import scrub as scrub
    from .surveys import propose_policy as propose_policy
    from .surveys import survey as survey

__version__ = "0.1.0"

_HOMES = {
    "Assessment": "assessment",
    "Bins": "bins",
    "Intrusion": "assessment",
    "Key": "releases",
    "Policy": "policy",
    "Release": "releases",
    "Sweep": "assessment",
    "assess": "assessment",
    "intrude": "assessment",
    "open_source": "engines",
    "prepare": "releases",
    "propose_policy": "surveys",
    "read_policy": "policy",
    "release": "releases",
    "scrub": "scrubbing",
    "survey": "surveys",
    "sweep": "assessment",
    "verify": "releases",
}

__all__ = [*_HOMES, "models"]


_lazy = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    return import_module(".models", __name__) if name == "models" else _lazy(name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
