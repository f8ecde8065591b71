"""Minimising a smooth sum plus c1 times the sum of all weights' sizes: OWL-QN (Andrew and Gao, ICML
2007).

L-BFGS whose steps stay in one orthant and whose direction is taken from the pseudo-gradient, so
that most weights come out as 0. Written for arrays of PyTorch, which hold millions of weights on
whatever machine there is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import torch

Loss = Callable[[torch.Tensor], tuple[float, torch.Tensor]]
"""From weights to the smooth part of what is minimised and its gradient."""


def minimised(
    loss: Loss,
    weights: torch.Tensor,
    *,
    c1: float,
    iterations: int,
    memory: int = 6,
    told: Callable[[int, float], None] | None = None,
) -> torch.Tensor:
    """The weights after so many steps, or when no step goes down any more."""
    value, gradient = loss(weights)
    value += c1 * float(weights.abs().sum())
    steps: deque[tuple[torch.Tensor, torch.Tensor]] = deque(maxlen=memory)
    for number in range(iterations):
        slope = pseudo_gradient(weights, gradient, c1)
        direction = -_two_loops(slope, steps)
        direction[direction * slope >= 0] = 0.0
        orthant = torch.where(weights != 0, weights.sign(), -slope.sign())
        size = 1.0 if steps else 1.0 / float(slope.norm())
        falls = float((slope * direction).sum())
        for _ in range(25):
            tried = weights + size * direction
            tried[tried * orthant <= 0] = 0.0
            after, new_gradient = loss(tried)
            after += c1 * float(tried.abs().sum())
            if after <= value + 1e-4 * size * falls:
                break
            size *= 0.5
        else:
            return weights
        step, change = tried - weights, new_gradient - gradient
        if float((step * change).sum()) > 1e-12:
            steps.append((step, change))
        weights, gradient, value = tried, new_gradient, after
        if told is not None:
            told(number, value)
    return weights


def pseudo_gradient(weights: torch.Tensor, gradient: torch.Tensor, c1: float) -> torch.Tensor:
    """Where the sum falls fastest; 0 for a weight that is 0 and better stays so."""
    at_zero = torch.where(
        gradient + c1 < 0,
        gradient + c1,
        torch.where(gradient - c1 > 0, gradient - c1, torch.zeros_like(gradient)),
    )
    return torch.where(weights != 0, gradient + c1 * weights.sign(), at_zero)


def _two_loops(
    slope: torch.Tensor, steps: deque[tuple[torch.Tensor, torch.Tensor]]
) -> torch.Tensor:
    """The slope times the inverse of the curvature that the last steps tell of."""
    out = slope.clone()
    shares: list[float] = []
    for step, change in reversed(steps):
        share = float((step * out).sum() / (step * change).sum())
        out -= share * change
        shares.append(share)
    if steps:
        step, change = steps[-1]
        out *= (step * change).sum() / (change * change).sum()
    for (step, change), share in zip(steps, reversed(shares), strict=True):
        out += (share - float((change * out).sum() / (step * change).sum())) * step
    return out
