"""Train the transformer: python tools/text/train_transformer.py FOLDER --to FILE [--all] [--epochs
6] [--begin ZIP]

FOLDER is what tools/text/transformer_examples.py wrote; FILE the trained weights in 16 bits, which
tools/text/export_transformer.py makes into the package's. Needs PyTorch, and a GPU to end soon.
`--begin` goes on from the weights of a package (needs onnx); without it, training starts from the
model of `base.npz`. Without `--all`, the held-out decisions are not learned from; what is found of
them, and of texts made with held-out rules, is printed."""

from __future__ import annotations

import argparse
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformer_net import FACTS, Net, begin_from

COURT, POST, MADE, HELD_COURT, HELD_MADE, WARD, HELD_WARD = range(7)
"""As in transformer_examples, which is not imported: this file runs without Sfumato."""
PIECES, LABELS = 30_522, 21
ROOM, GAPS, SHAPES = 254, 5, 45
CLS, SEP, MASK, FIRST_WORD = 101, 102, 103, 1996
SMALL = np.array([0, 1, 1, 1, 1, 1, 6, 7, 8])
CAPITALS = np.array([0, 3, 3, 3, 3, 5, 6, 7, 8])
"""How a word is written where all is in small letters, or in capitals."""
SEED = 20241115
PER_BATCH = 16_384


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@dataclass(frozen=True)
class Read:
    """Numbers, shapes, lexicons' facts, labels and first pieces of all texts; each text's place and
    source."""

    parts: tuple[np.ndarray, ...]
    begins: np.ndarray
    sources: np.ndarray


def read(folder: Path) -> Read:
    with np.load(folder / "examples.npz") as file:
        parts = tuple(file[name] for name in ("ids", "shapes", "known", "labels", "firsts"))
        return Read(parts, np.concatenate(([0], np.cumsum(file["sizes"]))), file["sources"])


def cut_up(
    texts: Read, sources: dict[int, int], dice: np.random.Generator | None
) -> list[tuple[int, int]]:
    """Windows over texts, from chance places and now and then short ones; each source as many times
    as said."""
    out = []
    for number, source in enumerate(texts.sources):
        low, high = texts.begins[number], texts.begins[number + 1]
        for _ in range(sources.get(int(source), 0)):
            place = low if dice is None or high - low <= ROOM else low - dice.integers(ROOM)
            while place < high:
                size = ROOM if dice is None or dice.random() < 0.7 else int(dice.integers(12, ROOM))
                if place + size > low:
                    out.append((int(max(low, place)), int(min(high, place + size))))
                place += size
    return out


def batches(
    spans: list[tuple[int, int]], dice: np.random.Generator | None
) -> Iterator[list[tuple[int, int]]]:
    """Windows of like length together."""
    order = sorted(
        spans, key=lambda span: span[1] - span[0] + (0 if dice is None else dice.integers(16))
    )
    out: list[list[tuple[int, int]]] = [[]]
    for span in order:
        if (len(out[-1]) + 1) * (span[1] - span[0] + 2) > PER_BATCH:
            out.append([])
        out[-1].append(span)
    if dice is not None:
        dice.shuffle(out)
    yield from out


def tensors(
    texts: Read, spans: list[tuple[int, int]], dice: np.random.Generator | None, noise: float
) -> tuple[np.ndarray, ...]:
    """Windows in arrays of one width: numbers, shapes, facts as bits, where there is a piece, labels,
    first pieces."""
    width = max(end - start for start, end in spans) + 2
    ids, shapes, known = (np.zeros((len(spans), width), np.int32) for _ in range(3))
    labels = np.full((len(spans), width), -100, np.int8)
    firsts, mask = (np.zeros((len(spans), width), bool) for _ in range(2))
    for row, (start, end) in enumerate(spans):
        size = end - start
        ids[row, 0], ids[row, size + 1] = CLS, SEP
        mask[row, : size + 2] = True
        for to, part in zip((ids, shapes, known, labels, firsts), texts.parts, strict=True):
            to[row, 1 : size + 1] = part[start:end]
    if dice is not None:
        ids, shapes, known = disturbed(ids, shapes, known, labels, dice, noise)
    return ids, shapes, known, mask, labels, firsts


def disturbed(
    ids: np.ndarray,
    shapes: np.ndarray,
    known: np.ndarray,
    labels: np.ndarray,
    dice: np.random.Generator,
    noise: float,
) -> tuple[np.ndarray, ...]:
    """Now and then all in small letters or in capitals; other pieces in a name's place, or none;
    fewer facts."""
    roll = dice.random(len(ids))[:, None]
    cases, gaps = shapes // GAPS, shapes % GAPS
    cases = np.where(roll < 0.08, SMALL[cases], np.where(roll < 0.12, CAPITALS[cases], cases))
    rolls = dice.random(ids.shape)
    share = np.where(labels > 0, noise, noise / 5)
    inside = labels >= 0
    ids = np.where(inside & (rolls < share), dice.integers(FIRST_WORD, PIECES, ids.shape), ids)
    ids = np.where(inside & (rolls > 1 - share / 2), MASK, ids)
    forgotten = (dice.random(ids.shape) < share) | (dice.random(len(ids)) < noise)[:, None]
    return ids, cases * GAPS + gaps, np.where(forgotten, 0, known)


def trained(texts: Read, folder: Path, given: argparse.Namespace) -> Net:
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = _begun(folder, given).to(device).train()
    sources = {COURT: given.courts, POST: given.posts, MADE: 1, WARD: given.wards}
    if given.all:
        sources[HELD_COURT] = given.courts
    dice = np.random.default_rng(SEED)
    steps = given.steps or int(
        given.epochs * len(list(batches(cut_up(texts, sources, dice), dice)))
    )
    optimiser = optimiser_of(net, given.rate)
    began = time.time()
    for step, arrays in enumerate(_prepared(texts, sources, given), start=1):
        if step == _PACED and given.seconds:
            steps = min(steps, int(given.seconds / (time.time() - began) * _PACED))
        for group in optimiser.param_groups:
            group["lr"] = group["most"] * rate_at(step / steps)
        *told, labels = _on(device, arrays[:5])
        with torch.autocast(device, torch.bfloat16):
            scores = net(*told).float()
        loss = nn.functional.cross_entropy(
            scores.flatten(0, 1), labels.flatten(), label_smoothing=given.smoothing
        )
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        if step % 200 == 0:
            say(f"step {step}/{steps} loss {loss.item():.4f} {time.time() - began:.0f} s")
        if step >= steps:
            break
    return net.eval()


_PACED = 150
"""Steps after which `--seconds` settles how many there will be."""
_AHEAD = 48
"""Batches that are prepared while others are learned from."""


def _begun(folder: Path, given: argparse.Namespace) -> Net:
    if given.begin is not None:
        from packaged_weights import packaged_weights  # Not at the top: it needs onnx.

        state = {
            name: torch.from_numpy(array) for name, array in packaged_weights(given.begin).items()
        }
        layers = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
        net = Net(PIECES, LABELS, shapes=SHAPES, window=ROOM + 2, layers=layers)
        net.load_state_dict(state)
        return net
    net = Net(PIECES, LABELS, shapes=SHAPES, window=ROOM + 2, layers=len(given.layers))
    with np.load(folder / "base.npz") as base:
        begin_from(net, base, tuple(given.layers))
    return net


def _on(device: str, arrays: tuple[np.ndarray, ...]) -> Iterator[torch.Tensor]:
    """Arrays as the network wants them: numbers, shapes, facts one by one, where there is a piece,
    and labels."""
    ids, shapes, known, mask, *labels = (torch.from_numpy(each).to(device) for each in arrays)
    yield from (ids.long(), shapes.long())
    yield (known[..., None] >> torch.arange(FACTS, device=device) & 1).float()
    yield mask
    yield from (each.long() for each in labels)


def _prepared(
    texts: Read, sources: dict[int, int], given: argparse.Namespace
) -> Iterator[tuple[np.ndarray, ...]]:
    """Batches without end, prepared by other processes, in an order that does not depend on them."""
    global _TEXTS
    _TEXTS = texts
    with ProcessPoolExecutor(given.processes, mp_context=get_context("fork")) as pool:
        waiting: deque[Future[tuple[np.ndarray, ...]]] = deque()
        try:
            for number, spans in enumerate(endless(texts, sources)):
                waiting.append(pool.submit(_disturbed_batch, spans, number, given.noise))
                if len(waiting) > _AHEAD:
                    yield waiting.popleft().result()
        finally:
            for each in waiting:
                each.cancel()


_TEXTS: Read


def _disturbed_batch(
    spans: list[tuple[int, int]], number: int, noise: float
) -> tuple[np.ndarray, ...]:
    return tensors(_TEXTS, spans, np.random.default_rng([SEED, 1, number]), noise)


def endless(texts: Read, sources: dict[int, int]) -> Iterator[list[tuple[int, int]]]:
    for epoch in count():
        dice = np.random.default_rng([SEED, 0, epoch])
        yield from batches(cut_up(texts, sources, dice), dice)


def optimiser_of(net: Net, rate: float) -> torch.optim.Optimizer:
    """Small steps for what was learned before and ten times larger ones for what is new."""
    fresh = ("shapes.", "known.", "labels.")
    slow = [value for name, value in net.named_parameters() if not name.startswith(fresh)]
    fast = [value for name, value in net.named_parameters() if name.startswith(fresh)]
    return torch.optim.AdamW(
        [{"params": slow, "most": rate}, {"params": fast, "most": 10 * rate}],
        lr=rate,
        weight_decay=0.01,
        fused=next(net.parameters()).is_cuda,
    )


def rate_at(part: float) -> float:
    """The share of the largest rate: rising, then falling."""
    return min(1.0, part / 0.06) * max(0.02, 1 - part)


@torch.no_grad()
def measure(net: Net, texts: Read, source: int) -> str:
    """Of words, how many that are part of a reference are found, and how many found ones are; from
    two scores on."""
    device = next(net.parameters()).device
    sure, wanted, right = [], [], []
    for spans in batches(cut_up(texts, {source: 1}, None), None):
        *told, labels, firsts = tensors(texts, spans, None, 0)
        scores = net(*_on(str(device), tuple(told))).float().softmax(-1).cpu()
        likely = scores.numpy()[firsts]
        sure.append(1 - likely[:, 0])
        wanted.append(labels[firsts])
        right.append(likely[:, 1:].argmax(1) + 1 == labels[firsts])
    sure_, wanted_, right_ = (np.concatenate(each) for each in (sure, wanted, right))
    out = []
    for least in (0.5, 0.15):
        hit = ((sure_ >= least) & (wanted_ > 0)).sum()
        out.append(
            f"at {least}: recall {hit / (wanted_ > 0).sum():.4f} precision "
            f"{hit / (sure_ >= least).sum():.4f}"
        )
    return (
        "; ".join(out)
        + f"; of the right kind {right_[wanted_ > 0].mean():.4f}; name {_named(sure_, wanted_):.4f}"
    )


def _named(sure: np.ndarray, wanted: np.ndarray) -> float:
    return float((sure[wanted == 1] >= 0.5).mean())


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("folder", type=Path)
    asked.add_argument("--to", type=Path, required=True)
    asked.add_argument("--all", action="store_true", help="learn from the held-out decisions too")
    asked.add_argument("--epochs", type=float, default=6)
    asked.add_argument("--steps", type=int, default=0)
    asked.add_argument("--layers", type=int, nargs="+", default=[0, 1, 2, 3])
    asked.add_argument("--rate", type=float, default=2e-4)
    asked.add_argument("--smoothing", type=float, default=0.01)
    asked.add_argument("--noise", type=float, default=0.1)
    asked.add_argument(
        "--courts", type=int, default=4, help="times that each decision is read in an epoch"
    )
    asked.add_argument("--posts", type=int, default=2)
    asked.add_argument("--wards", type=int, default=1)
    asked.add_argument("--begin", type=Path, help="go on from the weights of a package")
    asked.add_argument("--seconds", type=float, help="take fewer steps, to end in about this time")
    asked.add_argument("--processes", type=int, default=2, help="processes that prepare batches")
    given = asked.parse_args()
    texts = read(given.folder)
    held = (("decisions", HELD_COURT), ("made up", HELD_MADE), ("wards", HELD_WARD))
    if given.begin is not None:
        begun = (
            _begun(given.folder, given).to("cuda" if torch.cuda.is_available() else "cpu").eval()
        )
        for name, source in held:
            say(f"before, {name}: {measure(begun, texts, source)}")
    net = trained(texts, given.folder, given)
    for name, source in held:
        say(f"{given.to.name} {name}: {measure(net, texts, source)}")
    np.savez(
        given.to, **{name: value.cpu().half().numpy() for name, value in net.state_dict().items()}
    )


if __name__ == "__main__":
    main()
