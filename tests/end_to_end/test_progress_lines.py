"""Progress without a terminal: lines on stderr every few seconds, and an estimate where it is long."""

from __future__ import annotations

import io

from rich.console import Console

from sfumato.cli import progress
from sfumato.runs import StepProgress, report_step


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


def test_a_release_without_a_terminal_prints_a_line_now_and_then(capsys):
    now = [0.0]
    with progress.stages(Console(file=io.StringIO()), clock=lambda: now[0]) as stage:
        stage("counting bins")
        now[0] = 19.0
        stage("solving")
        now[0] = 21.0
        stage("writing")
        now[0] = 39.0
        report_step(share=0.25)
        now[0] = 42.0
        report_step(share=0.5)
    assert capsys.readouterr().err == "21 s: writing\n42 s: writing, 50 %, about 21 s more\n"


def test_only_a_long_estimate_is_told(capsys):
    progress.tell_estimate(1.0)
    progress.tell_estimate(20.4)
    assert capsys.readouterr().err == "This takes about 20 CPU seconds.\n"


def test_a_stage_shows_an_estimate_of_a_long_step_and_forgets_it_at_the_next():
    now = [0.0]
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=80, color_system=None)
    with progress.stages(console, clock=lambda: now[0]) as stage:
        stage("counting bins")
        now[0] = 3.0
        report_step(share=0.25)
        stage("solving")
        report_step(seconds=50.0)  # Too early: the stage has just begun.
        now[0] = 6.0
        report_step(seconds=41.0)
    report_step(share=0.5)  # Nobody listens any more.
    words = shown.getvalue()
    assert "at most 41 CPU s more" in words
    assert "at most 50" not in words
    assert "50 %" not in words


def test_an_estimate_begins_anew_with_the_next_query():
    seconds = iter([0.0, 4.0, 10.0, 13.0])
    estimate = progress.StepEstimate(clock=lambda: next(seconds))
    told = [estimate.words(StepProgress(share=share)) for share in (0.5, 0.1, 0.25)]
    assert told == ["50 %, about 4 s more", None, "25 %, about 9 s more"]
