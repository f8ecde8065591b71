"""Whether steps on numbers say what they need, one check per technique."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sfumato.errors import Problem

from .records import Policy
from .step_records import Step

Check = Callable[[Policy, Step, str], Iterator[Problem]]


def _share(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    if step.number("share") == 0.0:
        yield Problem(where=f"{where}.share", found="It is 0, so that nothing would change.")
    yield from _within(policy, step, where)


def _within(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    """Rows that are alike in a field cannot be told by that field once it is changed."""
    for name in step.names("within") if "within" in step.settings else ():
        if name in step.fields:
            yield Problem(where=f"{where}.within", found=f"{name} is changed by this step.", attempt="other fields.")


def _round(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    if step.names("within") and step.word("method") != "controlled":
        yield Problem(
            where=f"{where}.within", found="Only controlled rounding keeps sums.", attempt='method = "controlled".'
        )
    yield from _within(policy, step, where)


def _top_bottom(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    top, bottom = step.settings["top"], step.settings["bottom"]
    shares = {end: step.number(f"{end}_share") for end in ("top", "bottom")}
    if top is None and bottom is None and not any(shares.values()):
        yield Problem(where=where, found="Nothing says what is cut off.", attempt="top, bottom, or a share of each.")
    for end, share in shares.items():
        if step.settings[end] is not None and share:
            yield Problem(
                where=f"{where}.{end}_share", found=f"There is a limit as well: {end}.", attempt="one of them."
            )
    if top is not None and bottom is not None and step.number("bottom") >= step.number("top"):
        yield Problem(where=f"{where}.bottom", found="It is not below top, so that one number would be left.")
    if sum(shares.values()) >= 1.0:
        yield Problem(where=f"{where}.top_share", found="With bottom_share it is 1 or more: nothing would be left.")


def _geo_noise(policy: Policy, step: Step, where: str) -> Iterator[Problem]:
    if step.number("furthest") == 0.0:
        yield Problem(where=f"{where}.furthest", found="It is 0, so that nothing would move.")


NUMBER_CHECKS: Mapping[str, Check] = {
    "outliers": _within,
    "perturb": _share,
    "round": _round,
    "noise": _share,
    "top_bottom": _top_bottom,
    "microaggregate": _within,
    "geo_noise": _geo_noise,
}
