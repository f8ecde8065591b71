"""Sfumato: a release is a source seen through a recoding, and every protection claim is a verdict
about its bins.

    >>> import sfumato
    >>> sorted(sfumato.__all__)[:4]
    ['Assessment', 'Bins', 'Intrusion', 'Key']

`release(frame, quasi=[...], sensitive=[...], k=5).frame` is the whole of it; `survey` looks a table
over, `assess` measures a release, `scrub` is for texts, `synthesize` draws rows of a private model,
`verify` re-checks, `read_policy` reads a policy from a file, a text or a dict.

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
    from .releases import synthesize as synthesize
    from .releases import verify as verify
    from .scrubbing import scrub as scrub
    from .surveys import propose_policy as propose_policy
    from .surveys import survey as survey

__version__ = "0.2.0"

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
    "synthesize": "releases",
    "verify": "releases",
}

_ROOMS = ("errors", "models", "solvers", "techniques")
"""Parts that are one level below: `sfumato.models.KAnonymity`, `sfumato.errors.PolicyError`."""

__all__ = [*_HOMES, "models"]


_lazy = lazy_names(__name__, _HOMES)


_MEANT = {
    "anonymize": "release",
    "anonymise": "release",
    "deidentify": "release",
    "de_identify": "release",
    "deidentify_text": "scrub",
    "anonymize_text": "scrub",
    "redact": "scrub",
    "pseudonymize": "release",
    "mask": "release",
    "protect": "release",
    "k_anonymity": "models.KAnonymity",
    "k_anonymize": "release",
    "l_diversity": "models.LDiversity",
    "t_closeness": "models.TCloseness",
    "synthesise": "synthesize",
    "profile": "survey",
    "analyze": "survey",
    "detect": "survey",
    "scan": "survey",
    "risk": "assess",
    "measure": "assess",
    "evaluate": "assess",
    "attack": "intrude",
    "check": "verify",
    "validate": "verify",
    "load_policy": "read_policy",
    "read_csv": "open_source",
    "DataFrame": "release",
}
"""What other libraries call it, and what to use here."""


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _MEANT:
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}. Use sfumato.{_MEANT[name]}: nothing "
            "here promises to make data anonymous, and a release states which model holds."
            if _MEANT[name] == "release"
            else f"module {__name__!r} has no attribute {name!r}. Use sfumato.{_MEANT[name]}."
        )
    return _lazy(name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
