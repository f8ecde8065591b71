"""All attacks on one release, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from sfumato.engines import Engine
from sfumato.errors import MissingExtra, Mistake
from sfumato.measures import Records, Subject

from .attack_run import AttackRun, Attacks, unsaid
from .attack_setup import Scene, affordable, drawn_from, set_scene
from .bounded_attacker import FEWEST_PEOPLE, BoundedAttacker, added_up, over_sets
from .count_changes import changes
from .differencing import differencing
from .fuzzy_linkage import TITLE, fuzzy_linkage, story
from .homogeneity import homogeneity
from .inference import inference
from .intersection import Second, intersection
from .linkability import linkability
from .linkage import NAME as LINKAGE
from .linkage import WIDER, linkage, wider_linkage
from .pseudonym_linkage import (
    CHANGED,
    NAME,
    NEWCOMERS,
    VALUES,
    changed_pseudonyms,
    joined_values,
    newcomer_pseudonyms,
    pseudonym_linkage,
    shared_pseudonyms,
)
from .register_linkage import (
    EXACT,
    FUZZY,
    NamedRegister,
    intruder,
    register_linkage,
    register_linkage_with_errors,
)
from .singling_out import singling_out

Attack = Callable[[Scene], AttackRun]
PREDICATES = 500
"""How many predicates are looked for in singling out."""


def run_attacks(
    subject: Subject,
    *,
    targets: int | None = None,
    registers: Sequence[NamedRegister] = (),
    on: Sequence[str] = (),
    second: Second | None = None,
    newcomers: Engine | None = None,
    only: Sequence[str] = (),
    also_known: Sequence[str] = (),
    bounded: BoundedAttacker | None = None,
    moved: Callable[[float], None] = lambda _: None,
) -> Attacks:
    """Run every attack that the subject gives the means for, or `only` those named.

    `targets` people are drawn from the source and attacked, and as many from the control group
    where there is one. The default is 2,000, and fewer for a release with very many bins. Each of
    `registers` is linked to the release over the known fields, or those in `on`. `second` is
    another release about the same people, and `newcomers` those who joined between the two.
    `also_known` are further fields with few values that somebody might know of a person; linkage is
    tried with them too. With `bounded` the attacker knows no more than that; further fields take
    the place of others. `moved` is called after each attack with the share of the work that is
    done."""
    started = time.perf_counter()
    subject.progress("drawing who is attacked")
    scene = set_scene(subject, targets=targets)
    targets = affordable(len(subject.released)) if targets is None else targets
    attacks = _attacks(scene)
    if also_known:
        wider: Attack = partial(wider_linkage, also_known=tuple(also_known), targets=targets)
        attacks = {LINKAGE: attacks[LINKAGE], WIDER: wider} | attacks
    if bounded is not None:
        attacks = _bounded(scene, bounded, targets=targets, also_known=tuple(also_known))
    for named in registers:
        attacks |= _with_register(subject, named, on, targets)
    if second is not None:
        attacks |= _with_second(scene, second, drawn_from(subject, newcomers, "newcomers", targets))
    attacks = _chosen(attacks, only)
    runs = []
    for number, (name, attack) in enumerate(attacks.items(), start=1):
        subject.progress(f"attack {number} of {len(attacks)}: {name}")
        began = time.perf_counter()
        try:
            run = attack(scene)
        except MissingExtra as missing:
            run = _not_installed(scene, name, missing)
        runs.append(replace(run, seconds=time.perf_counter() - began))
        moved(number / len(attacks))
    attacked = len(scene.targets) if scene.targets is not None else 0
    return Attacks(
        runs=tuple(runs), targets=attacked, seed=subject.seed, seconds=time.perf_counter() - started
    )


def _not_installed(scene: Scene, name: str, missing: MissingExtra) -> AttackRun:
    """Linkage with errors compares texts with a library that may be absent; the other attacks need
    none."""
    return unsaid(
        name,
        TITLE,
        story(scene),
        reason=f"{missing.asked.rstrip('.')}: {missing.attempt.rstrip('.')}",
    )


def _attacks(scene: Scene, *, predicates: int = PREDICATES) -> dict[str, Attack]:
    """The attacks by name; those about a sensitive value once for each."""
    attacks: dict[str, Attack] = {
        LINKAGE: linkage,
        "fuzzy linkage": fuzzy_linkage,
        "singling out:one field": partial(singling_out, wanted=predicates, at_once=1),
        "singling out:several fields": partial(singling_out, wanted=predicates),
        "linkability": linkability,
    }
    for name in scene.sensitive:
        attacks[f"inference:{name}"] = partial(inference, name=name)
        attacks[f"homogeneity:{name}"] = partial(homogeneity, name=name)
    return attacks


def _bounded(
    scene: Scene, bounded: BoundedAttacker, *, targets: int, also_known: tuple[str, ...]
) -> dict[str, Attack]:
    """The same attacks by somebody who knows no more than the policy assumes."""
    subject = scene.subject
    scenes = bounded.scenes(scene)
    known = _attacks(scene, predicates=max(PREDICATES // len(scenes), 1))
    attacks: dict[str, Attack] = {
        name: lambda _, attack=attack: over_sets(attack, scenes)  # type: ignore[misc]
        for name, attack in known.items()
    }
    sets = bounded.sets(subject, among=(*subject.known, *also_known))
    wider = [others for others in sets if set(others) & set(also_known)]
    if wider:
        people = max(targets // len(wider), FEWEST_PEOPLE)
        attacks = {
            LINKAGE: attacks[LINKAGE],
            WIDER: lambda _: added_up(
                [_wider(scene, bounded, others, also_known, people) for others in wider]
            ),
        } | attacks
    return attacks


def _wider(
    scene: Scene,
    bounded: BoundedAttacker,
    others: tuple[str, ...],
    also_known: tuple[str, ...],
    people: int,
) -> AttackRun:
    """Linkage by the register fields and a set of others, of which the policy counts some as
    unknown."""
    subject = scene.subject
    known = tuple(name for name in subject.known if name in (*bounded.register, *others))
    here = replace(scene, subject=replace(subject, known=known))
    further = tuple(name for name in others if name in also_known)
    return wider_linkage(here, also_known=further, targets=people)


def _with_register(
    subject: Subject, named: NamedRegister, on: Sequence[str], targets: int
) -> dict[str, Attack]:
    here = intruder(subject, named, on=on, targets=targets)
    return {
        named.attack(EXACT): lambda _: register_linkage(here),
        named.attack(FUZZY): lambda _: register_linkage_with_errors(here),
    }


def _with_second(scene: Scene, second: Second, newcomers: Records | None) -> dict[str, Attack]:
    attacks: dict[str, Attack] = {}
    for name in scene.sensitive:
        attacks[f"intersection:{name}"] = partial(intersection, second=second, name=name)
        attacks[f"changes:{name}"] = partial(changes, second=second, name=name)
        if newcomers is not None:
            attacks[f"differencing:{name}"] = partial(
                differencing, second=second, newcomers=newcomers, name=name
            )
    taken = (*scene.known, *scene.sensitive)
    for name in shared_pseudonyms(scene.subject.release, second.release, apart_from=taken):
        attacks[f"{NAME}:{name}"] = partial(pseudonym_linkage, second=second, name=name)
        attacks[f"{CHANGED}:{name}"] = partial(changed_pseudonyms, second=second, name=name)
        for value in scene.sensitive:
            attacks[f"{VALUES}:{value}"] = partial(
                joined_values, second=second, name=name, value=value
            )
        if newcomers is not None:
            found = partial(newcomer_pseudonyms, second=second, newcomers=newcomers, name=name)
            attacks[f"{NEWCOMERS}:{name}"] = found
    return attacks


def _chosen(attacks: dict[str, Attack], only: Sequence[str]) -> dict[str, Attack]:
    """By whole name, or by the part before the colon."""
    if not only:
        return attacks
    chosen = {
        name: attack
        for name, attack in attacks.items()
        if name in only or name.split(":")[0] in only
    }
    wanted = [
        word for word in only if word not in (NAME, NEWCOMERS, CHANGED, VALUES)
    ]  # Only where the two releases share a pseudonym.
    strange = [
        word for word in wanted if not any(word in (name, name.split(":")[0]) for name in attacks)
    ]
    if strange:
        raise Mistake(
            f"There is no attack {', '.join(strange)} here.", attempt=f"{', '.join(attacks)}."
        )
    return chosen
