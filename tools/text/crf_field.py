"""The conditional random field while it is trained: how likely labels are, and how that changes
with the weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

LONGEST = 100
"""Tokens of a chain; longer texts are cut."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Tokens of all texts in a row: `features` by number, so many (`counts`) for each, and their
    `labels`."""

    features: np.ndarray
    counts: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray


class Field:
    """The examples on the machine that trains, and the loss over them. Weights are one array:
    states, transitions."""

    def __init__(self, examples: Examples, *, features: int, labels: int, c2: float) -> None:
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.features, self.labels, self.c2 = features, labels, c2
        tokens = len(examples.counts)
        ends = np.concatenate(([0], np.cumsum(examples.counts)))
        self._rows = self._sparse(ends, examples.features, (tokens, features))
        order = np.argsort(examples.features, kind="stable")
        token_of = np.repeat(np.arange(tokens, dtype=np.int32), examples.counts)[order]
        starts = np.searchsorted(examples.features[order], np.arange(features + 1))
        self._columns = self._sparse(starts, token_of, (features, tokens))
        self._gold = torch.from_numpy(examples.labels.astype(np.int64)).to(self.device)
        places = _chains(examples.sizes)
        self._mask = torch.from_numpy(places >= 0).to(self.device)
        self._places = torch.from_numpy(np.maximum(places, 0)).to(self.device)

    def _sparse(
        self, ends: np.ndarray, columns: np.ndarray, shape: tuple[int, int]
    ) -> torch.Tensor:
        values = torch.ones(len(columns), dtype=torch.float64)
        parts = (
            torch.from_numpy(ends.astype(np.int64)),
            torch.from_numpy(columns.astype(np.int64)),
            values,
        )
        return torch.sparse_csr_tensor(*parts, size=shape).to(self.device)

    def start(self) -> torch.Tensor:
        return torch.zeros(
            self.features * self.labels + self.labels**2, dtype=torch.float64, device=self.device
        )

    def parted(self, weights: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Features by labels, and labels by labels."""
        cut = self.features * self.labels
        return weights[:cut].view(self.features, self.labels), weights[cut:].view(
            self.labels, self.labels
        )

    def loss(self, weights: torch.Tensor) -> tuple[float, torch.Tensor]:
        """How unlikely the labels are, with c2 times the squares of all weights, and the
        gradient."""
        states, transitions = self.parted(weights)
        scores = (self._rows @ states).requires_grad_()
        moves = transitions.clone().requires_grad_()
        total = self._unlikelihood(scores, moves)
        total.backward()
        found = self._columns @ scores.grad
        gradient = torch.cat((found.reshape(-1), moves.grad.reshape(-1))) + 2 * self.c2 * weights
        return float(total.detach()) + self.c2 * float((weights * weights).sum()), gradient

    def _unlikelihood(self, scores: torch.Tensor, moves: torch.Tensor) -> torch.Tensor:
        chains, gold = scores[self._places], self._gold[self._places]
        own = (chains.gather(2, gold[:, :, None])[:, :, 0] * self._mask).sum()
        own = own + (moves[gold[:, :-1], gold[:, 1:]] * self._mask[:, 1:]).sum()
        ahead = chains[:, 0]
        for place in range(1, chains.shape[1]):
            following = torch.logsumexp(ahead[:, :, None] + moves, dim=1) + chains[:, place]
            ahead = torch.where(self._mask[:, place, None], following, ahead)
        return torch.logsumexp(ahead, dim=1).sum() - own


def _chains(sizes: np.ndarray) -> np.ndarray:
    """The places of tokens, a row for each chain; -1 where it has ended."""
    rows = []
    start = 0
    for size in sizes.tolist():
        for first in range(start, start + size, LONGEST):
            row = np.full(LONGEST, -1, np.int64)
            row[: min(LONGEST, start + size - first)] = np.arange(
                first, min(first + LONGEST, start + size)
            )
            rows.append(row)
        start += size
    return np.stack(rows)
