"""A synthetic release that was made, and what its rows may be used for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.errors import Mistake
from sfumato.report import table, tag
from sfumato.synthesis import CombinedEstimate, CombiningRule, combined
from sfumato.wording import counted

from ..finished_release import written
from ..verification import manifest_of


@dataclass(frozen=True, eq=False, kw_only=True)
class SyntheticRelease:
    """A synthetic table that was made: its manifest, its account, and its folder or its frames.
    Without an account, `epsilon` and `delta` are None: the rows are not private."""

    manifest: Mapping[str, Any] = field(repr=False)
    rows: int
    epsilon: float | None = None
    delta: float | None = None
    epsilon_of_all: float | None = None
    """The cost to a person of all runs of the account, including this one."""
    folder: Path | None = None
    frame: Any = field(default=None, repr=False)
    frames: tuple[Any, ...] = field(default=(), repr=False)
    """All copies, of which `frame` is the first."""
    digest: str = ""
    outcome: str = "pass"

    def __repr__(self) -> str:
        place = f"in {self.folder}" if self.folder is not None else "in memory"
        return f"<SyntheticRelease {place}: {counted(self.rows, 'row')}, {self._cost()}>"

    def _repr_html_(self) -> str:
        facts = self.manifest["synthesis"]
        words = [tag("p", tag("b", self.outcome), f": {counted(self.rows, 'synthetic row')}")]
        words.append(tag("p", self._cost()))
        if "bins" in facts:
            rows = [(name, counted(bins, "bin")) for name, bins in facts["bins"].items()]
            words.append(table(("field", "bins that were measured"), rows, caption="Fields"))
        return str(tag("div", *words))

    def _cost(self) -> str:
        """The cost of the table to a person, and that of the whole account where it is more."""
        if self.epsilon is None or self.delta is None:
            method = self.manifest["synthesis"]["method"]
            return "no source was read" if method == "domains" else "not private"
        cost = f"epsilon {self.epsilon:.4g} at delta {self.delta:g}"
        if self.epsilon_of_all and self.epsilon_of_all > self.epsilon * (1 + 1e-6):
            cost += f"; {self.epsilon_of_all:.4g} for all that the account has paid for"
        return cost


def combine_estimates(
    release: SyntheticRelease | str | PathLike[str] | Mapping[str, Any],
    estimates: Sequence[float],
    variances: Sequence[float],
    *,
    level: float = 0.95,
) -> CombinedEstimate:
    """One estimate with its error from an analysis that was made on each copy of a release.

    `estimates` and `variances` (squared standard errors) are in the order of the copies. The rule
    is the one that the release's manifest names, by the kind of its synthesis. Private rows are
    refused: no rule here knows their noise."""
    facts: Mapping[str, Any]
    if isinstance(release, SyntheticRelease):
        facts = release.manifest
    elif isinstance(release, Mapping):
        facts = release
    else:
        facts = manifest_of(written(Path(release)))
    rule = facts.get("synthesis", {}).get("combining_rule")
    if rule is None:
        private = "account" in facts
        raise Mistake(
            "A combined estimate was asked for.",
            found="These rows are private, and no combining rule knows their noise."
            if private
            else "These rows were not made from a source by trees.",
            attempt="estimates without errors, or a question at the gate."
            if private
            else 'rows of method = "trees".',
        )
    return combined(CombiningRule(**rule), estimates, variances, level=level)
