"""The network that is trained: MiniLM, told how words are written and what lexicons know of
them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

WIDTH, HEADS, INNER = 384, 12, 1536
FACTS = 15
"""What lexicons tell of a word, in bits."""


class Layer(nn.Module):
    """Attention over the window, then two sums with a bend between them; each added to what was
    there."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.asked = nn.Linear(WIDTH, 3 * WIDTH)
        self.told = nn.Linear(WIDTH, WIDTH)
        self.first_norm, self.second_norm = (nn.LayerNorm(WIDTH, eps=1e-12) for _ in range(2))
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.dropout = nn.Dropout(dropout)

    def forward(self, values: Tensor, mask: Tensor | None) -> Tensor:
        texts, length, _ = values.shape
        asked = (
            self.asked(values)
            .reshape(texts, length, 3, HEADS, WIDTH // HEADS)
            .permute(2, 0, 3, 1, 4)
        )
        scores = asked[0] @ asked[1].transpose(-1, -2) * (WIDTH // HEADS) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None], -1e4)
        shares = self.dropout(scores.softmax(-1))
        told = (shares @ asked[2]).transpose(1, 2).reshape(texts, length, WIDTH)
        values = self.first_norm(values + self.dropout(self.told(told)))
        bent = nn.functional.gelu(self.up(values))
        return self.second_norm(values + self.dropout(self.down(bent)))


class Net(nn.Module):
    """Scores of each label at each piece. `mask` is left out where a window is read by itself."""

    def __init__(
        self,
        pieces: int,
        labels: int,
        *,
        shapes: int,
        window: int,
        layers: int,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(pieces, WIDTH)
        self.places = nn.Embedding(window, WIDTH)
        self.shapes = nn.Embedding(shapes, WIDTH)
        self.known = nn.Linear(FACTS, WIDTH, bias=False)
        nn.init.zeros_(self.shapes.weight)
        nn.init.zeros_(self.known.weight)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)
        self.labels = nn.Linear(WIDTH, labels)

    def forward(
        self, ids: Tensor, shapes: Tensor, known: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        values = (
            self.words(ids)
            + self.places.weight[: ids.shape[1]]
            + self.shapes(shapes)
            + self.known(known)
        )
        values = self.dropout(self.norm(values))
        for layer in self.layers:
            values = layer(values, mask)
        return self.labels(self.dropout(values))


def begin_from(net: Net, base: Mapping[str, np.ndarray], layers: tuple[int, ...]) -> None:
    """Take the weights of BERT's names, those layers of it only."""
    taken = {
        "words.weight": base["embeddings.word_embeddings.weight"],
        "places.weight": base["embeddings.position_embeddings.weight"]
        + base["embeddings.token_type_embeddings.weight"][:1],
        **_both("norm", base, "embeddings.LayerNorm"),
    }
    for number, layer in enumerate(layers):
        to, of = f"layers.{number}", f"encoder.layer.{layer}"
        for kind in ("weight", "bias"):
            parts = [
                base[f"{of}.attention.self.{name}.{kind}"] for name in ("query", "key", "value")
            ]
            taken[f"{to}.asked.{kind}"] = np.concatenate(parts)
        taken |= _both(f"{to}.told", base, f"{of}.attention.output.dense")
        taken |= _both(f"{to}.first_norm", base, f"{of}.attention.output.LayerNorm")
        taken |= _both(f"{to}.up", base, f"{of}.intermediate.dense")
        taken |= _both(f"{to}.down", base, f"{of}.output.dense")
        taken |= _both(f"{to}.second_norm", base, f"{of}.output.LayerNorm")
    missing, unknown = net.load_state_dict(
        {k: torch.tensor(v).float() for k, v in taken.items()}, strict=False
    )
    assert set(missing) == {"shapes.weight", "known.weight", "labels.weight", "labels.bias"}
    assert not unknown


def _both(to: str, base: Mapping[str, np.ndarray], of: str) -> dict[str, np.ndarray]:
    return {f"{to}.{kind}": base[f"{of}.{kind}"] for kind in ("weight", "bias")}
