"""Methods of making synthetic rows of one table, and what a method declares.

Each file `releases/synthetic/*_run.py` declares one method, and so may an installed package. Reading and
writing of `[synthesis]`, its JSON Schema, the tables of the docs, `sfumato synthesize` and
`sfumato verify` follow from the declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from sfumato.parts import Parameter, Registry, parameters_of


class MethodRun(Protocol):
    """One run of a method."""

    def read(self, engine: Any) -> None:
        """Read the source; where the method has an account, charge and measure too."""
        ...

    def write(self, folder: Path, file_format: str, created: str) -> dict[str, Any]:
        """Draw and write the tables; the manifest's facts."""
        ...

    def result(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """What a caller learns of the release besides its folder, its frames and its digest."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisMethod:
    """The declaration of a method: `key` is its word in a policy, `doc` what it does, `record` the
    policy that it reads, with its parameters.

    `read` takes a policy file or a dict, and returns the record or raises PolicyError; `as_table` writes
    it back. `run` makes a run of a policy, of a function that is told each stage, and of a source of
    chance. `verify` takes a written release and its manifest, and yields checks. `has_account`: what is
    drawn follows from charged noise. `wants_source`: rows of a source are read; a method without one
    refuses a source."""

    key: str
    doc: str
    record: type
    read: Callable[..., Any]
    as_table: Callable[[Any], dict[str, object]]
    run: Callable[[Any, Callable[[str], None], Any], MethodRun]
    verify: Callable[[Any, dict[str, Any]], Iterable[Any]]
    has_account: bool = False
    wants_source: bool = True

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return parameters_of(self.record)


SYNTHESIS_METHODS: Final[Registry[SynthesisMethod]] = Registry(
    "method of synthesis",
    room="sfumato.releases.synthetic",
    group="sfumato.synthesis_methods",
)
"""Every method of `[synthesis]`, by its key in a policy."""
