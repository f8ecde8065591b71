"""The reasons for which a test may be skipped. Any other skip fails the run: a test that nobody ran
has not passed."""

from __future__ import annotations

import re
from collections import Counter

import pytest

EXPECTED = (
    # Data and programs that a machine may lack.
    r"left out: SFUMATO_DATA .*",
    r"left out: no R with DBI .*",
    r"left out: R has no dbplyr",
    r"left out: no JDBC driver .*",
    r"left out: no Tesseract, or no Pillow",
    r"no chromium on PATH .*",
    r"no node on PATH: .*",
    r"psql is not here",
    r"these binaries come without .*",
    r"servers before 14 .*",
    # Systems that cannot do what is tested.
    r"root may read everything",
    r"only root runs it as somebody else",
    r"there is no /dev/full here",
    r"no /dev/full here",
    r"limits the size of a file as POSIX does",
    r"a child that dies with its parent is Linux's",
    r"this machine does not let a test open that many sockets",
    # Combinations of parameters that mean nothing.
    r"it writes what Python's csv module writes",
    r"the same column as in Arrow",
    r"DuckDB takes a backslash in the path .*",
)


def is_expected(reason: str) -> bool:
    """Whether a test may be skipped for this reason."""
    return any(re.fullmatch(each, reason.removeprefix("Skipped: "), re.DOTALL) for each in EXPECTED)


class SkipAudit:
    """Fails a run in which a test was skipped for a reason that is not expected."""

    def __init__(self) -> None:
        self.unexpected: Counter[tuple[str, str]] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not is_expected(reason):
            self.unexpected[report.nodeid.partition("[")[0], reason] += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unexpected and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.unexpected:
            return
        terminalreporter.section("skips that nobody expects", red=True)
        for (name, reason), times in sorted(self.unexpected.items()):
            terminalreporter.line(f"{name} ({times}): {reason}")
        terminalreporter.line(
            "Mend what is missing, add the reason to tests/services/skip_reasons.py, or allow it."
        )
