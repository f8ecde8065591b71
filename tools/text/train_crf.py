"""Train the conditional random field and write its file of weights: python tools/text/train_crf.py
[--to FILE]

    python tools/text/train_crf.py --write-examples EXAMPLES.json     # needs Faker
    python tools/text/train_crf.py --examples EXAMPLES.json           # needs PyTorch; may run on another machine

Without `--examples` both are done in one go. The package itself needs neither. What `generate.py
--held-out` makes, of rules and names kept from training, is to measure what this writes. Same
examples, same weights, but for the last bits of sums that a graphics card adds up in any order."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import BinaryIO

import numpy as np
from training_data import Example, court_decisions, noisy_posts

from sfumato.text.learned.features import OFFSETS, context_keys
from sfumato.text.learned.stream import Vocabulary, stream_of
from sfumato.text.learned.weights import SLOTS, PackedWeights, write_weights

LABELS = tuple(
    "O NAME STREET TOWN REGION COUNTRY POSTCODE DATE TIME AGE PHONE NUMBER EMAIL URL "
    "HOSPITAL ORGANISATION TEAM "
    "PROFESSION DEMOGRAPHIC QUANTITY OTHER".split()
)
SEED = 20241115
HELD_FROM = 160
"""Of the 202 decisions, in the seed's order, those from here on are held out when measuring."""
HERE = Path(__file__).parents[2] / "src" / "sfumato" / "text" / "learned" / "crf.npz"
LARGEST = 6.0
"""Weights are cut here and kept in 127 steps."""
LEAST = 3
"""Features seen fewer times are left out."""
_CONTEXT = len(OFFSETS)
"""Stands where an offset would, for a feature that joins several tokens."""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--to", type=Path, default=HERE)
    asked.add_argument("--examples", type=Path)
    asked.add_argument("--write-examples", type=Path)
    asked.add_argument(
        "--measuring", action="store_true", help="leave out some decisions too, to measure on them"
    )
    asked.add_argument("--generated", type=int, default=8000)
    asked.add_argument("--iterations", type=int, default=120)
    asked.add_argument("--c1", type=float, default=0.05)
    asked.add_argument("--c2", type=float, default=0.3)
    given = asked.parse_args()
    examples = (
        read(given.examples) if given.examples else made(given.generated, measuring=given.measuring)
    )
    if given.write_examples:
        given.write_examples.write_text(
            json.dumps([[each.text, each.spans] for each in examples]), encoding="utf-8"
        )
        return
    began = time.time()
    names, states, transitions = trained(
        examples, iterations=given.iterations, c1=given.c1, c2=given.c2
    )
    with given.to.open("wb") as file:
        exported(names, states, transitions, file)
    say(f"{time.time() - began:.0f} s, {given.to.stat().st_size / 1e6:.2f} MB")


def made(count: int, *, measuring: bool) -> list[Example]:
    """Court decisions, noisy posts and generated texts."""
    from generate import generated  # Not at the top: it needs Faker.

    courts = [example for _, example in shuffled_courts()[: HELD_FROM if measuring else None]]
    return [*courts, *noisy_posts(SEED), *generated(count, seed=SEED, held_out=False)]


def read(file: Path) -> list[Example]:
    return [
        Example(text, tuple((start, end, label) for start, end, label in spans))
        for text, spans in json.loads(file.read_text(encoding="utf-8"))
    ]


def shuffled_courts() -> list[tuple[str, Example]]:
    """The decisions in an order of the seed's, so that the last ones can be held out."""
    out = court_decisions()
    random.Random(SEED).shuffle(out)
    return out


def trained(
    examples: Sequence[Example], *, iterations: int, c1: float, c2: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The names of the features, their weights by label, and the weights of one label following
    another."""
    from crf_field import Examples, Field
    from owl_qn import minimised

    with Pool() as pool:
        parts = pool.map(features_of, examples, chunksize=16)
    names, features, often = np.unique(
        np.concatenate([part[0] for part in parts]), return_inverse=True, return_counts=True
    )
    counts = np.concatenate([part[1] for part in parts])
    kept = often >= LEAST
    number = np.cumsum(kept) - 1
    token = np.repeat(np.arange(len(counts)), counts)[kept[features]]
    say(f"{len(counts)} tokens, {kept.sum()} of {len(names)} features")
    field = Field(
        Examples(
            features=number[features[kept[features]]].astype(np.int32),
            counts=np.bincount(token, minlength=len(counts)),
            labels=np.concatenate([part[2] for part in parts]),
            sizes=np.array([len(part[1]) for part in parts]),
        ),
        features=int(kept.sum()),
        labels=len(LABELS),
        c2=c2,
    )
    weights = minimised(
        field.loss,
        field.start(),
        c1=c1,
        iterations=iterations,
        told=lambda step, value: say(f"step {step + 1}: {value:.0f}") if step % 25 == 24 else None,
    )
    states, transitions = (part.cpu().numpy() for part in field.parted(weights))
    return names[kept], states, transitions


def features_of(example: Example) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each token's features as one row of names (a key and from where it is seen), how many each
    has, its labels."""
    vocabulary = Vocabulary()
    seen = vocabulary.learn()
    stream, fresh = stream_of([example.text], vocabulary)
    forms = [*seen, *fresh]
    count = len(stream)
    ids = stream.ids.tolist()
    contexts = (context_keys(stream, vocabulary).astype(np.uint64) * 8 + _CONTEXT).T
    rows: list[list[int]] = contexts.tolist()
    for number, offset in enumerate(OFFSETS):
        reach = abs(offset)
        named = {
            form: [
                key * 8 + number
                for keys, far in ((forms[form].far, 2), (forms[form].near, 1), (forms[form].own, 0))
                if reach <= far
                for key in keys
            ]
            for form in set(ids)
        }
        for place, row in enumerate(rows):
            row += named[ids[min(max(place + offset, 0), count - 1)]]
    labels = [
        LABELS.index(label) for label in labels_of(example, stream.starts - stream.origins[0])
    ]
    flat = np.fromiter((name for row in rows for name in row), np.uint64)
    return flat, np.array([len(row) for row in rows]), np.array(labels, np.uint8)


def labels_of(example: Example, starts: np.ndarray) -> list[str]:
    labels = ["O"] * len(starts)
    for start, end, label in example.spans:
        for place in range(np.searchsorted(starts, start), np.searchsorted(starts, end)):
            labels[place] = label
    return labels


def exported(
    names: np.ndarray, states: np.ndarray, transitions: np.ndarray, file: BinaryIO
) -> None:
    """Write the weights that are not next to nothing; of features in one slot of the table, the
    heaviest."""
    scale = LARGEST / 127
    values = np.rint(np.clip(states, -LARGEST, LARGEST) / scale).astype(int)
    words: dict[int, list[tuple[int, int]]] = defaultdict(list)
    contexts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row, column in zip(*np.nonzero(values), strict=True):
        key, offset = divmod(int(names[row]), 8)
        value = int(values[row, column])
        if offset == _CONTEXT:
            contexts[key].append((int(column), value))
        else:
            words[key].append((offset * len(LABELS) + int(column), value))
    slotted: dict[int, int] = {}
    for key in sorted(contexts, key=lambda key: sum(abs(value) for _, value in contexts[key])):
        slotted[key % SLOTS] = key
    kept = {key: contexts[key] for key in slotted.values() if key}
    say(
        f"{len(words)} word features, {len(contexts)} contexts, {len(kept)} kept, "
        f"{sum(map(len, words.values())) + sum(map(len, kept.values()))} weights"
    )
    moves = transitions.astype(np.float32)
    write_weights(
        file, LABELS, scale=scale, transitions=moves, words=_packed(words), contexts=_packed(kept)
    )


def _packed(rows: dict[int, list[tuple[int, int]]]) -> PackedWeights:
    keys = sorted(rows)
    flat = [pair for key in keys for pair in sorted(rows[key])]
    return PackedWeights(
        keys=np.array(keys, np.uint32),
        counts=np.array([len(rows[key]) for key in keys], np.uint8),
        columns=np.array([column for column, _ in flat], np.uint8),
        values=np.array([value for _, value in flat], np.int8),
    )


if __name__ == "__main__":
    main()
