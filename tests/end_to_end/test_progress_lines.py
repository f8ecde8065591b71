"""Progress without a terminal: lines on stderr every few seconds, and an estimate where it is long."""

from __future__ import annotations

import io

from rich.console import Console

from sfumato.cli import progress


def test_stages_are_lines_where_stdout_is_no_terminal(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.bar(Console(file=io.StringIO())) as (stage, moved):
        stage("soon")
        now[0] = 6.0
        stage("later")
        now[0] = 7.0
        stage("too soon after")
        moved(0.5)
    assert capsys.readouterr().err == "6 s: later\n"


def test_only_a_long_estimate_is_told(capsys):
    progress.tell_estimate(1.0)
    progress.tell_estimate(20.4)
    assert capsys.readouterr().err == "This takes about 20 CPU seconds.\n"
