"""Sfumato: a release is a source seen through a recoding, and every protection claim is a verdict about its bins.

    >>> import sfumato
    >>> sorted(sfumato.__all__)[:4]
    ['Bins', 'Key', 'Policy', 'Release']

Names are imported when they are first used, so that importing the package stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bins import Bins as Bins
    from .policy import Policy as Policy
    from .policy import read_policy as read_policy
    from .releases import Key as Key
    from .releases import Release as Release
    from .releases import prepare as prepare
    from .releases import release as release
    from .releases import verify as verify
    from .sources import open_source as open_source
    from .sources.survey import propose_policy as propose_policy
    from .sources.survey import survey as survey

__version__ = "0.1.0"

_HOMES = {
    "Bins": "bins",
    "Key": "releases",
    "Policy": "policy",
    "Release": "releases",
    "open_source": "sources",
    "prepare": "releases",
    "propose_policy": "sources.survey",
    "read_policy": "policy",
    "release": "releases",
    "survey": "sources.survey",
    "verify": "releases",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
