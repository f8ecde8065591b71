"""Sfumato: a release is a source seen through a recoding, and every protection claim is a verdict about its bins.

    >>> import sfumato
    >>> sorted(sfumato.__all__)[:4]
    ['Assessment', 'Bins', 'Intrusion', 'Key']

Names are imported when they are first used, so that importing the package stays fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import models as models
    from .bins import Bins as Bins
    from .policy import Policy as Policy
    from .policy import read_policy as read_policy
    from .releases import Key as Key
    from .releases import Release as Release
    from .releases import prepare as prepare
    from .releases import release as release
    from .releases import verify as verify
    from .releases.scrubbing import scrub as scrub
    from .reviews import Assessment as Assessment
    from .reviews import Intrusion as Intrusion
    from .reviews import Sweep as Sweep
    from .reviews import assess as assess
    from .reviews import intrude as intrude
    from .reviews import sweep as sweep
    from .sources import open_source as open_source
    from .sources.survey import propose_policy as propose_policy
    from .sources.survey import survey as survey

__version__ = "0.1.0"

_HOMES = {
    "Assessment": "reviews",
    "Bins": "bins",
    "Intrusion": "reviews",
    "Key": "releases",
    "Policy": "policy",
    "Release": "releases",
    "Sweep": "reviews",
    "assess": "assess",
    "intrude": "reviews",
    "open_source": "sources",
    "prepare": "releases",
    "propose_policy": "sources.survey",
    "read_policy": "policy",
    "release": "releases",
    "scrub": "releases.scrubbing",
    "survey": "sources.survey",
    "sweep": "reviews",
    "verify": "releases",
}

__all__ = [*_HOMES, "models"]


def __getattr__(name: str) -> Any:
    if name == "models":
        return import_module(".models", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    home = import_module(f".{_HOMES[name]}", __name__)
    if home.__class__ is _Verb:
        return home
    value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


class _Verb(ModuleType):
    """A room with the name of a verb: `sfumato.assess` is the room of measures, and `sfumato.assess(...)` assesses.

    Python binds a package's name in the package above it when it is first imported, so whichever came first, room or
    verb, would hide the other.
    """

    def __call__(self, *given: Any, **named: Any) -> Any:
        from .reviews import assess

        return assess(*given, **named)


class _Front(ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        if name == "assess" and isinstance(value, ModuleType):
            value.__class__ = _Verb
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Front
