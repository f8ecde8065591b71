"""The file of weights: which features matter, for which label and how much, packed for the wheel
and opened for use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any, BinaryIO, Final
from zipfile import ZIP_LZMA, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from .features import OFFSETS

SLOTS: Final = 1 << 20
"""Places in the table that finds a feature's row from its key's low bits; a training keeps one
feature for each."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """`words` has a row for each feature of a word by itself, with the labels' weights from each
    offset side by side. `contexts` has one for each other feature. Row 0 of both is nothing.
    Weights are whole numbers of `scale`."""

    labels: tuple[str, ...]
    scale: float
    transitions: NDArray[np.float32]
    word_rows: dict[int, int]
    words: NDArray[np.int16]
    context_keys: NDArray[np.uint32]
    context_slots: NDArray[np.int32]
    contexts: NDArray[np.int16]


@dataclass(frozen=True, slots=True, eq=False)
class PackedWeights:
    """Weights as the file has them: for each key how many weights, then their columns and values in
    one row."""

    keys: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    columns: NDArray[np.uint8]
    values: NDArray[np.int8]

    def opened(self, width: int) -> NDArray[np.int16]:
        out = np.zeros((len(self.keys) + 1, width), np.int16)
        out[np.repeat(np.arange(1, len(self.keys) + 1), self.counts), self.columns] = self.values
        return out


def read_weights(file: BinaryIO) -> Weights:
    with np.load(file, allow_pickle=False) as arrays:
        labels = tuple(str(arrays["labels"]).split())
        words, contexts = (
            PackedWeights(
                *(arrays[f"{part}_{name}"] for name in ("keys", "counts", "columns", "values"))
            )
            for part in ("word", "context")
        )
        transitions, scale = arrays["transitions"], float(arrays["scale"])
    keys = np.concatenate(([np.uint32(0)], contexts.keys))
    slots = np.zeros(SLOTS, np.int32)
    slots[keys & np.uint32(SLOTS - 1)] = np.arange(len(keys))
    return Weights(
        labels=labels,
        scale=scale,
        transitions=transitions.astype(np.float32),
        word_rows={key: row for row, key in enumerate(words.keys.tolist(), start=1)},
        words=words.opened(len(OFFSETS) * len(labels)),
        context_keys=keys,
        context_slots=slots,
        contexts=contexts.opened(len(labels)),
    )


def write_weights(
    file: BinaryIO,
    labels: tuple[str, ...],
    *,
    scale: float,
    transitions: NDArray[np.float32],
    words: PackedWeights,
    contexts: PackedWeights,
) -> None:
    """Pack them; the same weights give the same bytes."""
    arrays: dict[str, NDArray[Any]] = {
        f"{part}_{name}": getattr(packed, name)
        for part, packed in (("word", words), ("context", contexts))
        for name in ("keys", "counts", "columns", "values")
    }
    arrays |= {
        "labels": np.array(" ".join(labels)),
        "scale": np.array(scale),
        "transitions": transitions,
    }
    # As numpy.savez_compressed does, in four fifths of its bytes; numpy.load reads it as it is.
    with ZipFile(file, "w", ZIP_LZMA) as archive:
        for name, array in arrays.items():
            packed = BytesIO()
            np.lib.format.write_array(packed, np.asanyarray(array), allow_pickle=False)
            archive.writestr(ZipInfo(f"{name}.npy"), packed.getvalue(), ZIP_LZMA)


@cache
def packaged() -> Weights:
    """The packaged weights of Sfumato; docs/text/crf-card.md states how they were made and
    measured."""
    return read_weights(BytesIO((files(__package__) / "crf.npz").read_bytes()))
