"""Sfumato releases as much of your data about people as is safe, and proves it.

    >>> import sfumato as sf
    >>> people = {"age": [34, 36, 38, 52, 55, 57], "diagnosis": ["flu", "gout"] * 3}
    >>> import pandas
    >>> made = sf.release(pandas.DataFrame(people), quasi=["age"], sensitive=["diagnosis"], k=3, l=2)
    >>> made.outcome, sorted(set(made.frame["age"]))
    ('pass', ['30-39', '50-59'])

- `release` makes a checked release of a frame, a file or a database; `made.frame` is the table.
- `survey` describes the fields and proposes a policy; `advise` names changes that keep more of them.
- `assess` measures a release for a review board, and `intrude` plays the intruder.
- `verify` checks a release again, and `sweep` compares settings of a policy.
- `scrub` replaces the personal references in texts.
- `synthesize` draws private synthetic rows, and `tabulate` makes tables of counts.
- `read_policy` reads a policy from a file, a text or a dict.

Protection models are in `sfumato.models`, errors in `sfumato.errors`. Names are imported when they
are first used, so that importing the package stays fast.
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
    from .releases import Advice as Advice
    from .releases import Key as Key
    from .releases import Release as Release
    from .releases import combine_estimates as combine_estimates
    from .releases import prepare as prepare
    from .releases import release as release
    from .releases import synthesize as synthesize
    from .releases import tabulate as tabulate
    from .releases import verify as verify
    from .scrubbing import scrub as scrub
    from .surveys import propose_policy as propose_policy
    from .surveys import survey as survey
    from .views import ProfileReleases as ProfileReleases
    from .views import RefreshedViews as RefreshedViews
    from .views import refresh_views as refresh_views
    from .views import release_profiles as release_profiles

__version__ = "0.2.0"

_HOMES = {
    "Advice": "releases",
    "Assessment": "assessment",
    "Bins": "bins",
    "Intrusion": "assessment",
    "Key": "releases",
    "Policy": "policy",
    "ProfileReleases": "views",
    "RefreshedViews": "views",
    "Release": "releases",
    "Sweep": "assessment",
    "advise": "releases",
    "assess": "assessment",
    "combine_estimates": "releases",
    "intrude": "assessment",
    "open_source": "engines",
    "prepare": "releases",
    "propose_policy": "surveys",
    "read_policy": "policy",
    "refresh_views": "views",
    "release_profiles": "views",
    "release": "releases",
    "scrub": "scrubbing",
    "survey": "surveys",
    "sweep": "assessment",
    "synthesize": "releases",
    "tabulate": "releases",
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
    "Anonymizer": "release",
    "fit_transform": "release",
    "transform": "release",
    "generalize": "release",
    "suppress": "release",
    "protect": "release",
    "k_anonymity": "models.KAnonymity",
    "k_anonymize": "release",
    "l_diversity": "models.LDiversity",
    "t_closeness": "models.TCloseness",
    "synthesise": "synthesize",
    "synthetic": "synthesize",
    "generate": "synthesize",
    "sample": "synthesize",
    "find_quasi_identifiers": "survey",
    "suggest": "survey",
    "is_k_anonymous": "assess with known=[…], which counts any table",
    "check_k_anonymity": "assess with known=[…], which counts any table",
    "k": "assess with known=[…], which counts any table",
    "recommend": "advise",
    "report": "assess, whose result has report(file)",
    "crosstab": "tabulate",
    "pivot_table": "tabulate",
    "value_counts": "tabulate",
    "profile": "survey",
    "analyze": "survey",
    "detect": "survey",
    "scan": "survey",
    "risk": "assess",
    "measure": "assess",
    "evaluate": "assess",
    "attack": "intrude",
    "check": "verify for a release, or sfumato.read_policy for a policy",
    "validate": "verify",
    "compare": "sweep",
    "load": "open_source",
    "load_policy": "read_policy",
    "read_csv": "open_source",
    "DataFrame": "release",
    "views": "refresh_views",
}
"""Names of other libraries, and the name to use here."""


_COMMANDS = ("continuum", "explore", "hierarchy", "reveal", "search", "serve", "register")
"""Verbs of the command line alone."""


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _HOMES:
        return _lazy(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_hint(name)}")


def _hint(name: str) -> str:
    """The name to use in place of one that is not here."""
    if name in _COMMANDS:
        return f". Use the command `sfumato {name}` in a shell."
    if name[:1].isupper() and name not in _MEANT:
        rooms = (room for room in _ROOMS if name in dir(import_module(f".{room}", __name__)))
        return next((f". Use sfumato.{room}.{name}." for room in rooms), "")
    if _MEANT.get(name) == "release":
        return (
            ". Use sfumato.release: nothing here promises to make data anonymous, and a release "
            "states which model holds."
        )
    return f". Use sfumato.{_MEANT[name]}." if name in _MEANT else ""


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS, *(name for name in globals() if name.startswith("__"))})
