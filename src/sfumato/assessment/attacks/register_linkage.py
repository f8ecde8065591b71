"""The motivated intruder: a register with names is linked to the release (Sweeney 2000, Fig. 12;
Garfinkel 2016, section 5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.errors import Mistake, SourceError
from sfumato.measures import Records, Subject

from .attack_run import AttackRun, Story, judged, unsaid
from .attack_setup import TARGETS, Scene
from .claims import single_rows
from .fuzzy_linkage import ahead
from .identity import Identity, fields_that_identify
from .linkage import alone, picked_blindly
from .rates import Rate
from .row_fit import people_for_rows, rows_for_people, weigh

Places = NDArray[np.int64]
EXACT = "register"
FUZZY = "register with errors"
TITLES = {
    EXACT: "A register beside the release: whose rows are these?",
    FUZZY: "A register with errors beside the release: whose rows are these?",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedRegister:
    """A register, and its name among the attacks where there are several."""

    people: Engine
    name: str = ""

    def attack(self, kind: str) -> str:
        return f"{kind}:{self.name}" if self.name else kind


@dataclass(frozen=True, eq=False, kw_only=True)
class Intruder:
    """A register and a release over the fields that both have. `drawn` are the people of the
    register who are looked for, with what identifies them; `everyone` the whole register over the
    shared fields."""

    scene: Scene
    everyone: Bins
    drawn: Records
    shared: tuple[str, ...]
    identity: Identity | None
    named: NamedRegister

    def title(self, words: str) -> str:
        return (
            words.replace("A register", f"The register {self.named.name}")
            if self.named.name
            else words
        )


def shared_fields(subject: Subject, register: Engine, on: Sequence[str] = ()) -> tuple[str, ...]:
    """The fields to link on: those asked for, else all known fields that the register has."""
    have = [info.name for info in register.fields()]
    released = [info.name for info in subject.release.fields()]
    missing = [name for name in on if name not in have or name not in released]
    if missing:
        raise Mistake(
            f"{', '.join(missing)} cannot be linked on.",
            found=f"The register has {', '.join(have)}; the release {', '.join(released)}.",
            attempt="fields that both have.",
        )
    shared = tuple(on) or tuple(name for name in subject.known if name in have)
    if not shared:
        raise SourceError(
            f"{register.title} shares no field with {subject.release.title} that could be "
            "linked on.",
            found=f"The register has {', '.join(have)}; the known fields are "
            f"{', '.join(subject.known) or 'none'}.",
            attempt=_renamed(have, subject.known)
            or "a register with fields of the same name, or the fields to link on.",
        )
    return shared


def _renamed(have: Sequence[str], known: Sequence[str]) -> str:
    """The fields to rename: those whose names differ from known ones in case and marks alone."""

    def plain(name: str) -> str:
        return "".join(filter(str.isalnum, name.casefold()))

    of_known = {plain(name): name for name in known}
    found = [f"{name} to {of_known[plain(name)]}" for name in have if plain(name) in of_known]
    return f"renaming {', '.join(found)} in the register." if found else ""


def intruder(
    subject: Subject,
    named: NamedRegister | Engine,
    *,
    on: Sequence[str] = (),
    targets: int = TARGETS,
) -> Intruder:
    """Link the register to the release; `targets` of its people are looked for."""
    named = named if isinstance(named, NamedRegister) else NamedRegister(people=named)
    register = named.people
    shared = shared_fields(subject, register, on)
    if not register.count_rows():
        raise SourceError(
            f"{register.title} holds no row.", attempt="a register with at least one person."
        )
    linking = replace(
        subject, known=shared, sensitive=tuple(n for n in subject.sensitive if n not in shared)
    )
    if not linking.released.rows:
        raise SourceError(
            f"{subject.release.title} holds no row.", attempt="a release with at least one row."
        )
    identity = _identity(linking, register)
    by = identity.by if identity is not None else ()
    everyone = Records.of(register, tuple(dict.fromkeys((*shared, *by))))
    return Intruder(
        scene=Scene(subject=linking, targets=None, control=None),
        everyone=Bins.count(register, shared),
        drawn=everyone.drawn(targets, subject.generator("who of the register")),
        shared=shared,
        identity=identity,
        named=named,
    )


def _identity(subject: Subject, register: Engine) -> Identity | None:
    if subject.source is None:
        return None
    of_source = [info.name for info in subject.source.fields()]
    missing = [name for name in (*subject.known, *subject.sensitive) if name not in of_source]
    if missing:
        raise SourceError(
            f"{subject.source.title}, the source, has no field {', '.join(missing)}, which "
            "the release has.",
            attempt="the table that the release was made from.",
        )
    released = [info.name for info in subject.release.fields()]
    by = fields_that_identify([info.name for info in register.fields()], of_source, released)
    fields = tuple(dict.fromkeys((*subject.known, *subject.sensitive, *by)))
    return Identity(subject=subject, people=Bins.count(subject.source, fields), by=by)


def story(here: Intruder, *, errors: bool) -> Story:
    return Story(
        attacker=f"Somebody with a register of {here.everyone.rows:,} people, with their names.",
        knows="Of everyone in the register "
        f"{', '.join(here.shared)}{', not without errors' if errors else ''}.",
        tries=(
            "For each person they look for the nearest row, and claim it where it is near "
            "and no other is as near."
            if errors
            else "They claim a row for a person where only this row fits the person and only "
            "this person fits the row."
        ),
        guess="A row picked blindly for each person.",
    )


def register_linkage(here: Intruder) -> AttackRun:
    """Exact linkage: pairs of a person and a row that fit each other and nobody else."""
    _, claimed = alone(here.scene, here.drawn)
    who = np.flatnonzero(claimed >= 0)
    rows = single_rows(here.scene, claimed[who])
    bare = Records(here.shared, rows.labels[: len(here.shared)], rows.codes[:, : len(here.shared)])
    people = people_for_rows(here.scene.subject, bare, here.everyone).totals(here.everyone.counts)
    return _told(here, EXACT, who[people == 1], claimed[who[people == 1]])


def register_linkage_with_errors(here: Intruder) -> AttackRun:
    """Fuzzy linkage: the nearest row, where it is ahead of the second."""
    claimed = ahead(here.scene, here.drawn, fields=here.shared)
    who = np.flatnonzero(claimed >= 0)
    return _told(here, FUZZY, who, claimed[who])


def _told(here: Intruder, name: str, who: Places, claimed: Places) -> AttackRun:
    told, attempts = story(here, errors=name == FUZZY), len(here.drawn)
    title = here.title(TITLES[name])
    name = here.named.attack(name)
    chance = here.scene.chance(name)
    if here.identity is None and not len(who):
        nothing, blind = (
            Rate(successes=0, attempts=attempts),
            picked_blindly(here.scene, attempts, chance=chance),
        )
        return judged(
            name,
            title,
            told,
            claims=0,
            rate=nothing,
            baseline=blind,
            notes=(_chances(here),),
        )
    if here.identity is None:
        return unsaid(
            name,
            title,
            told,
            reason="without the source, no claim can be checked",
            attempts=attempts,
            claims=len(who),
            got=f"{len(who):,} claims about {attempts:,} people of the register. {_chances(here)}",
        )
    claimants = here.drawn.only(who)
    good = here.identity.right(single_rows(here.scene, claimed), claimants, chance=chance)
    present = here.identity.present(here.drawn)
    blindly = present & (chance.random(attempts) * here.scene.rows < 1)
    absent = int((~present[who]).sum())
    return judged(
        name,
        title,
        told,
        claims=len(who),
        rate=Rate(successes=int(good.sum()), attempts=attempts),
        baseline=Rate(successes=int(blindly.sum()), attempts=attempts),
        guess=1 / max(here.scene.rows, 1),
        notes=(
            f"{int(present.sum()):,} of the {attempts:,} people looked for are in the source; "
            f"{absent:,} claims are about people who are not.",
            _chances(here),
        ),
    )


def _chances(here: Intruder) -> str:
    """How many rows fit a person as a rule."""
    fits = rows_for_people(here.scene.subject, here.drawn, here.scene.released, here.shared)
    fitting = np.concatenate(
        [weigh(found, here.scene.released.counts) for _, found in fits.batches()]
    )
    some = fitting[fitting > 0]
    if not len(some):
        return "No released row fits any of them."
    return f"For {len(some):,} of them some row fits, {float(np.median(some)):,.0f} rows as a rule."
