"""From parts of subjects to whole ones: every channel gets a margin, then its numbers are rounded
within it.

A number that is rounded moves by less than one subject, and a channel's limit by less than the sum
of its members' excesses. With that much kept free in every channel, however numbers are rounded the
limits hold. It costs a few subjects for each channel; a search over whole numbers
(`whole_subjects`) saves these again where data are small."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .program import Program
from .rules import Members, Reals, Rules

Used = Callable[[float], Sequence[Members] | None]

RESERVES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5)
"""Shares of harmless subjects that a linear optimum does not use, so that margins can be made of
them."""


def rounded(rules: Rules, excess: Reals, used: Used) -> tuple[Program, Reals] | None:
    """Whole subjects, as a program over the channels that they are in and its amounts; None where
    no margin fits.

    `used` gives the output channels of a linear optimum with a reserve. The least reserve with room
    for margins is taken."""
    sizes, risky = rules.sizes, rules.risky
    for reserve in RESERVES:
        channels = used(reserve)
        if channels is None:
            break
        program = Program(sizes, risky, excess, channels, price=rules.price)
        np.add.at(program.slack, program.channel_of, np.abs(excess)[program.input_of])
        times = np.bincount(program.input_of, minlength=len(sizes))
        program.least = np.where(~risky & (times <= sizes), 1.0, 0.0)[program.input_of]
        amounts = program.solve(whole=False).amounts
        if amounts is not None:
            return program, _whole(program, amounts)
    return None


def _whole(program: Program, amounts: Reals) -> Reals:
    """Each number rounded down or up so that an input channel's sum is what it was, rounded down
    where it may be."""
    amounts = np.where(np.abs(amounts - np.rint(amounts)) < 1e-7, np.rint(amounts), amounts)
    out: Reals = np.floor(amounts)
    total = np.bincount(program.input_of, amounts, minlength=len(program.sizes))
    wanted = np.where(program.risky, program.sizes, np.floor(total + 1e-6))
    missing = np.rint(
        wanted - np.bincount(program.input_of, out, minlength=len(program.sizes))
    ).astype(np.int64)
    order = np.lexsort(
        (out - amounts, program.input_of)
    )  # within an input channel, the largest part cut off first
    place = np.arange(len(order)) - np.searchsorted(
        program.input_of[order], program.input_of[order]
    )
    out[order[place < missing[program.input_of[order]]]] += 1
    return out
