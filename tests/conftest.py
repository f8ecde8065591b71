"""Which tests there are, which engines they run on, which of them are long, how processes share
them, and which skips are expected.

Doctests are collected from the package; in here only files called test_* are tests. Nothing is
timed."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Generator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent / "services"))
if find_spec("sfumato_text_model") is None:  # Run from a source tree, as PYTHONPATH=src does.
    _model = str(Path(__file__).parents[1] / "packages" / "text-model" / "src")
    sys.path.append(_model)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), _model]))

from engine_names import ENGINES, read_engines, split
from example_counts import MANY
from long_tests import long_places, without_cells
from skip_reasons import SkipAudit
from work_units import FileScheduling, slow_tests

# Whether a change lands must not depend on what was drawn, so `make test` draws the same each time.
_SLOW = [HealthCheck.too_slow]
settings.register_profile(
    "same", deadline=None, suppress_health_check=_SLOW, derandomize=True, max_examples=25
)
settings.register_profile("chance", deadline=None, suppress_health_check=_SLOW, max_examples=MANY)
settings.load_profile("same")

LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sfumato")
    group.addoption(
        "--engines",
        default=",".join(ENGINES),
        help="run the tests that name these engines, or none",
    )
    group.addoption(
        "--fast", action="store_true", help="leave out the tests of tests/services/slow_tests.txt"
    )
    group.addoption(
        "--all-cells",
        action="store_true",
        help="run also the tests that `make matrix` runs, because others cover what they see",
    )
    group.addoption(
        "--long",
        action="store_true",
        help="run the tests that are marked `long`, and no others, as `make long` does",
    )
    group.addoption(
        "--chance",
        action="store_true",
        help="draw Hypothesis's examples by chance, and many more where a test names no number",
    )
    group.addoption(
        "--allow-skips", action="store_true", help="a skip for an unexpected reason fails nothing"
    )


GARBAGE = 20_000
"""Objects after which Python looks for garbage: seven hundred, its own number, are soon there."""


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # Until all tests are collected, which makes no garbage.
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # A shell starts what runs in the background like this.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--chance"):
        settings.load_profile("chance")
    try:
        read_engines(config.getoption("--engines"))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[LEFT_OUT] = Counter()
    if not hasattr(config, "workerinput") and not config.getoption("--allow-skips"):
        config.pluginmanager.register(SkipAudit(), "skip-audit")
    _allow_open_sockets(config)


def _allow_open_sockets(config: pytest.Config) -> None:
    """PySpark 4.0 leaves the sockets that results come through to the garbage collector, which
    warns of each."""
    if _installed("pyspark").startswith("4.0."):
        config.addinivalue_line("filterwarnings", "ignore:unclosed <socket:ResourceWarning")


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if collection_path.suffix == ".py" and not collection_path.name.startswith("test_"):
        return True
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], Any]:
    """No test has an example in its docstring, and looking for them takes each process a second."""
    found = yield
    return [each for each in found if not isinstance(each, DoctestModule)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    names = [item.nodeid for item in items]
    kept, left_out = split(names, read_engines(config.getoption("--engines")))
    if config.getoption("--fast"):
        slow = slow_tests()
        fast = [place for place in kept if names[place].partition("[")[0] not in slow]
        left_out["slow"], kept = len(kept) - len(fast), fast
    if not config.getoption("--all-cells"):
        pairs = [place for place in kept if not items[place].get_closest_marker("all_cells")]
        left_out["make matrix"], kept = len(kept) - len(pairs), pairs
    kept, left_out["make long"] = _chosen_by_length(config, items, kept)
    config.stash[LEFT_OUT] = +left_out
    if len(kept) < len(items):
        places = set(kept)
        config.hook.pytest_deselected(
            items=[item for place, item in enumerate(items) if place not in places]
        )
        items[:] = [items[place] for place in kept]


def _chosen_by_length(
    config: pytest.Config, items: list[pytest.Item], kept: list[int]
) -> tuple[list[int], int]:
    """The places of the tests to run, and how many long ones are left out. A test that is named by
    itself runs, whatever its length."""
    long = long_places(items)
    if config.getoption("--long"):
        return [place for place in kept if place in long], 0
    if any("::" in word for word in config.args):
        return kept, 0
    if empty := without_cells(items, long):
        raise pytest.UsageError(f"no cell stays in `make test` of {', '.join(empty)}")
    short = [place for place in kept if place not in long]
    return short, len(kept) - len(short)


@pytest.fixture
def without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of an assessment has tables in place of charts, which take seconds to draw."""
    monkeypatch.setattr("sfumato.assessment.page.page.can_draw", lambda: False)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Thousands of tests stay to the end: no search for garbage looks at them again."""
    gc.freeze()
    atexit.register(gc.unfreeze)  # What is frozen when Python ends counts as leaked.
    gc.set_threshold(GARBAGE)
    gc.enable()


# ---------------------------------------------------------------------------------------------
# several processes


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    if config.getoption("dist") != "load":
        return None
    return FileScheduling(config, log)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash[LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    left_out = config.stash[LEFT_OUT]
    if left_out:
        counted = ", ".join(f"{kind} ({number} tests)" for kind, number in sorted(left_out.items()))
        terminalreporter.line(f"left out as chosen: {counted}", yellow=True)
