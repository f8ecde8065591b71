"""Train the conditional random field and write its file of weights: python tools/text/train_crf.py [--to FILE]

Needs python-crfsuite (Okazaki 2007; MIT), which the package itself does not. Same data, seed and version, same file.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from generate import generated
from training_data import Example, court_decisions, noisy_posts

from sfumato.text.learned.features import OFFSETS, context_keys
from sfumato.text.learned.stream import Vocabulary, stream_of
from sfumato.text.learned.weights import SLOTS, Packed, write_weights

LABELS = tuple(
    "O NAME STREET TOWN REGION COUNTRY POSTCODE DATE TIME AGE PHONE NUMBER EMAIL URL HOSPITAL ORGANISATION TEAM "
    "PROFESSION DEMOGRAPHIC QUANTITY OTHER".split()
)
SEED = 20241115
HELD_FROM = 160
"""Of the 202 decisions, in the seed's order, those from here on are held out when measuring."""
HERE = Path(__file__).parents[2] / "src" / "sfumato" / "text" / "learned" / "crf.npz"
LARGEST = 6.0
"""Weights are cut here and kept in 127 steps."""

Sequence_ = tuple[list[list[str]], list[str]]


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--to", type=Path, default=HERE)
    asked.add_argument("--measuring", action="store_true", help="leave out what is held out, to measure on it")
    asked.add_argument("--generated", type=int, default=2500)
    asked.add_argument("--iterations", type=int, default=45)
    asked.add_argument("--c1", type=float, default=0.2)
    asked.add_argument("--c2", type=float, default=0.03)
    given = asked.parse_args()
    examples = [example for _, example in shuffled_courts()[: HELD_FROM if given.measuring else None]]
    examples += noisy_posts(SEED)
    examples += generated(given.generated, seed=SEED, held_out=False if given.measuring else None)
    began = time.process_time()
    model = trained(examples, iterations=given.iterations, c1=given.c1, c2=given.c2)
    with given.to.open("wb") as file:
        exported(model, file)
    say(f"{time.process_time() - began:.0f} CPU s, {given.to.stat().st_size / 1e6:.2f} MB")


def shuffled_courts() -> list[tuple[str, Example]]:
    """The decisions in an order of the seed's, so that the last ones can be held out."""
    out = court_decisions()
    random.Random(SEED).shuffle(out)
    return out


def trained(examples: Sequence[Example], *, iterations: int, c1: float, c2: float, least: int = 3) -> object:
    """The model's weights as python-crfsuite reports them; features seen fewer than `least` times are left out."""
    import pycrfsuite

    sequences = [features_of(example) for example in examples]
    seen = Counter(name for rows, _ in sequences for row in rows for name in row)
    say(f"{sum(len(rows) for rows, _ in sequences)} tokens, {len(seen)} features")
    trainer = pycrfsuite.Trainer(
        algorithm="lbfgs",
        params={"c1": c1, "c2": c2, "max_iterations": iterations, "feature.possible_transitions": True},
        verbose=False,
    )
    for rows, labels in sequences:
        kept = [[name for name in row if seen[name] >= least] for row in rows]
        for place in range(0, len(kept), 100):
            trainer.append(kept[place : place + 100], labels[place : place + 100])
    del sequences
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/model")
        tagger = pycrfsuite.Tagger()
        tagger.open(f"{folder}/model")
        return tagger.info()


def features_of(example: Example) -> Sequence_:
    """Each token's features by name, `key@offset` for a word's own and `key` for the rest, and its label."""
    vocabulary = Vocabulary()
    seen = vocabulary.learn()
    stream, fresh = stream_of([example.text], vocabulary)
    forms = [*seen, *fresh]
    count = len(stream)
    rows: list[list[str]] = [[] for _ in range(count)]
    ids = stream.ids.tolist()
    for offset in OFFSETS:
        reach = abs(offset)
        named = {
            number: [
                f"{key}@{offset}"
                for keys, far in ((forms[number].far, 2), (forms[number].near, 1), (forms[number].own, 0))
                if reach <= far
                for key in keys
            ]
            for number in set(ids)
        }
        for place, row in enumerate(rows):
            row += named[ids[min(max(place + offset, 0), count - 1)]]
    for keys in context_keys(stream, vocabulary):
        for row, name in zip(rows, keys.tolist(), strict=True):
            row.append(str(name))
    return rows, labels_of(example, stream.starts - stream.origins[0])


def labels_of(example: Example, starts: np.ndarray) -> list[str]:
    labels = ["O"] * len(starts)
    for start, end, label in example.spans:
        for place in range(np.searchsorted(starts, start), np.searchsorted(starts, end)):
            labels[place] = label
    return labels


def exported(model: object, file: object) -> None:
    """Write the weights that are not next to nothing; of features in one slot of the table, the heaviest."""
    scale = LARGEST / 127
    words: dict[int, list[tuple[int, int]]] = defaultdict(list)
    contexts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (name, label), weight in model.state_features.items():
        value = round(max(-LARGEST, min(LARGEST, weight)) / scale)
        if value:
            key, _, offset = name.partition("@")
            column = LABELS.index(label)
            if offset:
                words[int(key)].append((OFFSETS.index(int(offset)) * len(LABELS) + column, value))
            else:
                contexts[int(key)].append((column, value))
    transitions = np.zeros((len(LABELS), len(LABELS)), np.float32)
    for (first, second), weight in model.transitions.items():
        transitions[LABELS.index(first), LABELS.index(second)] = weight
    slotted: dict[int, int] = {}
    for key in sorted(contexts, key=lambda key: sum(abs(value) for _, value in contexts[key])):
        slotted[key % SLOTS] = key
    kept = {key: contexts[key] for key in slotted.values() if key}
    say(
        f"{len(words)} word features, {len(contexts)} contexts, {len(kept)} kept, "
        f"{sum(map(len, words.values())) + sum(map(len, kept.values()))} weights"
    )
    write_weights(file, LABELS, scale=scale, transitions=transitions, words=_packed(words), contexts=_packed(kept))


def _packed(rows: dict[int, list[tuple[int, int]]]) -> Packed:
    keys = sorted(rows)
    flat = [pair for key in keys for pair in sorted(rows[key])]
    return Packed(
        keys=np.array(keys, np.uint32),
        counts=np.array([len(rows[key]) for key in keys], np.uint8),
        columns=np.array([column for column, _ in flat], np.uint8),
        values=np.array([value for _, value in flat], np.int8),
    )


if __name__ == "__main__":
    main()
