"""Progress on a terminal: the stage, a spinner and the time it took."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .run_log import LOG, is_quiet

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.runs import StepProgress

LONG = 5.0
"""Seconds after which a user wonders whether the run continues."""
UNWATCHED = 20.0
"""Seconds between two lines of a release whose output is no terminal."""
UNSAID = 2.0
"""Seconds that a step takes before an estimate of its end is shown."""


@contextmanager
def stages(
    console: Console, *, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[str], None]]:
    """Shows each stage as it starts, an estimate of the end of its present step, and how long the
    last one took. Where output is not a terminal, a line on stderr every twenty seconds."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from sfumato.runs import listening

    if not console.is_terminal:
        with _stage_lines(clock) as next_line:
            yield next_line
        return
    columns = (
        SpinnerColumn(finished_text="[green]✓[/]"),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        TextColumn("{task.fields[estimate]}", markup=False, style="dim"),
    )
    with Progress(*columns, console=console, transient=False) as bar:
        current = None
        estimate = StepEstimate(clock)

        def end_stage() -> None:
            if current is not None:
                bar.update(current, total=1, completed=1, estimate="")

        def next_stage(name: str) -> None:
            nonlocal current, estimate
            LOG.info("%s", name)
            end_stage()
            current, estimate = bar.add_task(name, total=None, estimate=""), StepEstimate(clock)

        def step(progress: StepProgress) -> None:
            words = estimate.words(progress)
            if words is not None and current is not None:
                bar.update(current, estimate=words, refresh=True)

        with listening(step):
            yield next_stage
        end_stage()


@contextmanager
def _stage_lines(clock: Callable[[], float]) -> Iterator[Callable[[str], None]]:
    """The stage, and an estimate of the end of its present step, as a line on stderr now and
    then."""
    from sfumato.runs import listening

    began = told = clock()
    stage, estimate = "", StepEstimate(clock)

    def tell(*words: str) -> None:
        nonlocal told
        now = clock()
        if now - told >= UNWATCHED and not is_quiet():
            told = now
            line = ", ".join((stage, *words))
            print(f"{now - began:.0f} s: {line}", file=sys.stderr, flush=True)

    def next_stage(name: str) -> None:
        nonlocal stage, estimate
        LOG.info("%s", name)
        stage, estimate = name, StepEstimate(clock)
        tell()

    def step(progress: StepProgress) -> None:
        words = estimate.words(progress)
        if words is not None:
            tell(words)

    with listening(step):
        yield next_stage


class StepEstimate:
    """The time that a step still takes, in words, at most every half a second.

    A query takes as long for the rest as it took for the share that is done; a smaller share than
    before is another query. A search says itself how long it may take.

    Example:
        >>> from sfumato.runs import StepProgress
        >>> seconds = iter([0.0, 0.5, 1.0, 4.0])
        >>> estimate = StepEstimate(clock=lambda: next(seconds))
        >>> [estimate.words(StepProgress(share=share)) for share in (0.1, 0.2, 0.5)]
        [None, None, '50 %, about 4 s more']
    """

    EVERY = 0.5

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = self._told = clock()
        self._share = 0.0

    def words(self, progress: StepProgress) -> str | None:
        """The estimate; None where it is too early for one, or the last one is new."""
        now = self._clock()
        if progress.share is not None:
            if progress.share < self._share:
                self._began = now
            self._share = progress.share
        if now - self._began < UNSAID or now - self._told < self.EVERY:
            return None
        self._told = now
        if progress.share:
            left = (now - self._began) * (1 - progress.share) / progress.share
            return f"{progress.share * 100:.0f} %, about {left:.0f} s more"
        return f"at most {progress.seconds:.0f} CPU s more" if progress.seconds else None


@contextmanager
def search_progress(console: Console) -> Iterator[Callable[[int, float, float], None]]:
    """A line that moves while the lattice is searched: nodes counted, best loss, proven bound."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("searching", total=None)

        def moved(visited: int, best: float, bound: float) -> None:
            if visited % 16 == 0:
                bar.update(
                    task,
                    description=f"{visited:,} nodes counted, best {best:.5f}, bound {bound:.5f}",
                )

        yield moved


@contextmanager
def bar(
    console: Console, *, silent: bool = False
) -> Iterator[tuple[Callable[[str], None], Callable[[float], None]]]:
    """A bar that fills as work is done, with what is being done beside it. Where stdout is no
    terminal, a line on stderr every few seconds."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(bar_width=24),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    if not silent and not console.is_terminal:
        yield _lines()
        return
    with Progress(*columns, console=console, transient=True, disable=silent) as shown:
        task = shown.add_task("opening the release", total=1.0)

        def stage_started(stage: str) -> None:
            LOG.info("%s", stage)
            shown.update(task, description=stage)

        yield (
            stage_started,
            lambda share: shown.update(task, completed=share),
        )


def tell_estimate(seconds: float) -> None:
    """Print an estimate of the time on stderr, where it is long."""
    if seconds >= LONG and not is_quiet():
        print(f"This takes about {seconds:.0f} CPU seconds.", file=sys.stderr, flush=True)


def _lines() -> tuple[Callable[[str], None], Callable[[float], None]]:
    """The stage as a line on stderr, at most one every few seconds."""
    began = told = time.monotonic()

    def next_stage(name: str) -> None:
        nonlocal told
        LOG.info("%s", name)
        now = time.monotonic()
        if now - told >= LONG and not is_quiet():
            told = now
            print(f"{now - began:.0f} s: {name}", file=sys.stderr, flush=True)

    return next_stage, lambda share: None


@contextmanager
def counted(what: str) -> Iterator[Callable[[int], None]]:
    """How many are done, on stderr, so that stdout can be piped on; silent when stderr is not a
    terminal."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,.0f} {task.description}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done: shown.update(task, completed=done)


@contextmanager
def counted_stages() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each stage on stderr, filled as files are done; silent when stderr is not a
    terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as shown:
        tasks: dict[str, TaskID] = {}

        def moved(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                LOG.info("%s", stage)
                tasks[stage] = shown.add_task(stage, total=total)
            shown.update(tasks[stage], completed=done, total=total)

        yield moved
