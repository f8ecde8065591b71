"""The input of every export: a state of the register, an application or a release, and the manifest
where a folder is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sfumato.errors import Mistake

from ..applications import Application, ApplicationStep
from ..moves import Move, MoveKind
from ..registered_release import RegisteredRelease
from ..release_checks import release_digest
from ..replay import RegisterState
from ..submissions import manifest_facts

URN: Final = "urn:sfumato:"
"""The prefix of names in a register, which have no address."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """The exported facts. `manifest` is that of `release` where its folder was given."""

    state: RegisterState
    moves: tuple[Move, ...] = field(repr=False)
    application: Application | None = None
    release: RegisteredRelease | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        state: RegisterState,
        moves: tuple[Move, ...],
        *,
        name: str = "",
        folder: str | Path | None = None,
    ) -> Export:
        """The export of an application or a release by its name; of everything without one."""
        application = state.applications.get(name)
        releases = {each.name: each for each in state.releases}
        release = releases.get(name)
        if application is not None:
            named = [each for each, about in state.delivered.items() if about == name]
            release = releases[named[-1]] if named else None
        elif release is not None:
            application = state.applications.get(state.delivered.get(release.name, ""))
        if name and application is None and release is None:
            raise Mistake(
                f"An export of {name!r} was asked for.",
                found="No application and no release has this name.",
                attempt="a name that `sfumato register show` lists.",
            )
        manifest: Mapping[str, Any] = {}
        if folder is not None:
            digest = release_digest(Path(folder))
            candidate = application.candidate if application is not None else ""
            if digest not in (candidate, release.digest if release is not None else ""):
                raise Mistake(
                    f"An export was to describe the files in {folder}.",
                    found="They are neither this release nor the candidate of this application.",
                    attempt="the folder that was submitted or delivered.",
                )
            manifest = manifest_facts(Path(folder))
        return cls(
            state=state, moves=moves, application=application, release=release, manifest=manifest
        )

    def about(self) -> Application:
        """The application; Mistake where the export has none."""
        if self.application is None:
            raise Mistake(
                "An export of an application was asked for.",
                found="None is named.",
                attempt="the name of an application.",
            )
        return self.application

    def tables(self) -> Mapping[str, Mapping[str, Any]]:
        """The released tables as the manifest describes them; Mistake without a folder."""
        if not self.manifest:
            raise Mistake(
                "An export that describes files was asked for.",
                found="No folder of the release is given.",
                attempt="--release FOLDER.",
            )
        tables: Mapping[str, Mapping[str, Any]] = self.manifest["tables"]
        return tables

    def moves_about(self, *kinds: str) -> list[Move]:
        """Moves of some kinds, about the application where there is one."""
        return [
            move
            for move in self.moves
            if move.kind in kinds
            and (self.application is None or move.facts.get("application") == self.application.name)
        ]

    def decisions(self) -> list[tuple[Move, ApplicationStep]]:
        """The decisions about the application, each with the step that it decided. A change of the
        charter puts an application back to its policy, so the moves before one do not tell."""
        name, state = self.about().name, RegisterState()
        found = []
        for move in self.moves:
            if move.kind == MoveKind.DECISION and move.facts["application"] == name:
                found.append((move, state.applications[name].step))
            state = state.after(move)
        return found


Maker = Callable[[Export], str]


def as_json(facts: object) -> str:
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


def _exports() -> dict[str, Maker]:
    from .croissant import croissant
    from .dcat import dcat
    from .impact_assessment import impact_assessment
    from .prov import prov
    from .ro_crate import ro_crate

    return {
        "ro-crate": ro_crate,
        "dcat": dcat,
        "croissant": croissant,
        "prov": prov,
        "dpia": impact_assessment,
    }


EXPORTS: Final = ("ro-crate", "dcat", "croissant", "prov", "dpia")
"""The formats, by the names that commands know."""


def export_text(kind: str, export: Export) -> str:
    """An export as the text of its file."""
    makers = _exports()
    if kind not in makers:
        raise Mistake(
            f"An export as {kind!r} was asked for.",
            found="There is no such format.",
            attempt=f"{', '.join(EXPORTS)}.",
        )
    return makers[kind](export)
