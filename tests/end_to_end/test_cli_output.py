"""What every command can be told about its output: JSON, more, less, a log, a shell's completion."""

from __future__ import annotations

import argparse
import io
import json
import stat
import subprocess
import sys

import pytest

from sfumato.cli import COMMANDS, main, parser

TABLE = "zip,problem\n" + "02138,flu\n02139,gout\n" * 5
POLICY = """
[fields]
zip = { role = "quasi", hierarchy = { prefix = [4, 3] } }
problem = "insensitive"
[require]
k = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "people.policy.toml").write_text(POLICY)
    return tmp_path


def _parsers(command: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    inner = [a for a in command._actions if isinstance(a, argparse._SubParsersAction)]
    return [each for action in inner for each in action.choices.values()]


def _flags(command: argparse.ArgumentParser) -> set[str]:
    return {flag for action in command._actions for flag in action.option_strings}


@pytest.fixture(scope="module")
def commands() -> dict[str, argparse.ArgumentParser]:
    (action,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    return dict(action.choices)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_options_of_a_run(commands, name):
    assert {"-v", "--verbose", "--log"} <= _flags(commands[name])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_part_of_one_prints_json(commands, name):
    of = _parsers(commands[name]) or [commands[name]]
    assert [each.prog for each in of if "--json" not in _flags(each)] == []


def test_explore_prints_each_view_as_a_line_of_json(here, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("zip +\nzip 99\nwhat\nundo\nredo\ndone\n"))
    assert main(["explore", "people.csv", "--json"]) == 0
    first, up, refused, unread, back, again, kept = map(
        json.loads, capsys.readouterr().out.splitlines()
    )
    assert (first["levels"], first["bins"], first["smallest"]) == ({"zip": 0}, 2, 5)
    assert (up["levels"], up["bins"]) == ({"zip": 1}, 1) == (again["levels"], again["bins"])
    assert first["choices"]["zip"]["1"]["bins"] == 1
    assert back == first
    assert "99" in refused["error"]
    assert "FIELD LEVEL" in unread["error"]
    assert kept == {"policy": {"solve": {"solver": "given", "levels": {"zip": 1}}}}


def test_a_completion_as_json_has_commands_options_and_script(capsys):
    assert main(["completion", "bash", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["commands"].keys() == COMMANDS.keys()
    assert "--to" in found["commands"]["release"]
    assert main(["completion", "bash"]) == 0
    assert capsys.readouterr().out == found["script"] + "\n"


def test_a_release_as_json(here, capsys):
    assert main(["release", "people.csv", "--to", "out", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["outcome"], found["rows"]) == ("pass", 10)
    assert "out/release.csv" in found["places"]


def test_an_error_as_json(here, capsys):
    assert main(["release", "nobody.csv", "--to", "out", "--json"]) == 2
    heard = capsys.readouterr()
    assert json.loads(heard.out)["error"] == "SourceError"
    assert heard.err.startswith("SourceError: ")


def test_check_and_hierarchy_as_json(here, capsys):
    assert main(["check", "people.policy.toml", "people.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["checked_against_source"]
    assert found["policy"]["require"]["k"] == 3
    assert main(["hierarchy", "people.csv", "zip", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["values"], found["builder"]) == (2, "prefix")


def test_a_hierarchy_in_a_file_is_called_csv(here, capsys):
    (here / "zip.csv").write_text("02138;0213*\n02139;0213*\n")
    policy = POLICY.replace("{ prefix = [4, 3] }", '"zip.csv"')
    (here / "people.policy.toml").write_text(policy)
    assert main(["hierarchy", "people.csv", "zip", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["builder"] == "csv"


BOTH_ORDERS = [
    ["people.policy.toml", "people.csv", "--json"],
    ["people.policy.toml", "--json", "people.csv"],
    ["people.csv", "--policy", "people.policy.toml", "--json"],
    ["--json", "--policy", "people.policy.toml", "people.csv"],
]


@pytest.mark.parametrize("words", BOTH_ORDERS)
@pytest.mark.parametrize("command", ["check", "advise"])
def test_policy_and_source_are_taken_in_both_orders(here, capsys, command, words):
    expected = main([command, *BOTH_ORDERS[0]]), capsys.readouterr().out
    assert (main([command, *words]), capsys.readouterr().out) == expected
    assert expected[0] in (0, 3)


def test_a_policy_is_checked_alone_in_both_orders(here, capsys):
    for words in (["people.policy.toml"], ["--policy", "people.policy.toml"]):
        assert main(["check", *words]) == 0
        assert "is valid" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("check", []),
        ("check", ["people.policy.toml", "people.csv", "--policy", "people.policy.toml"]),
        ("advise", ["people.policy.toml"]),
        ("advise", ["--policy", "people.policy.toml"]),
        ("advise", []),
    ],
)
def test_a_missing_or_third_argument_is_refused_with_what_to_try(here, capsys, command, words):
    assert main([command, *words]) == 2
    assert f"Try sfumato {command} SOURCE --policy POLICY." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "advise"])
def test_the_help_shows_both_orders(commands, command):
    usage = commands[command].format_usage()
    assert f"sfumato {command} SOURCE --policy POLICY" in usage
    assert f"sfumato {command} POLICY SOURCE" in usage


def test_quiet_prints_nothing_and_verbose_each_stage(here, capsys):
    assert main(["release", "people.csv", "--to", "one", "-q"]) == 0
    heard = capsys.readouterr()
    assert (heard.out, heard.err) == ("", "")
    assert main(["release", "people.csv", "--to", "two", "-v"]) == 0
    heard = capsys.readouterr()
    assert "counting what was written" in heard.err
    assert "ended with exit code 0" in heard.err
    with pytest.raises(SystemExit):
        main(["release", "people.csv", "--to", "three", "-v", "-q"])


def test_a_log_has_stages_and_no_cell(here, capsys):
    assert main(["release", "people.csv", "--to", "one", "--log", "run.log"]) == 0
    assert main(["release", "nobody.csv", "--to", "two", "--log", "run.log"]) == 2
    log = (here / "run.log").read_text()
    assert stat.S_IMODE((here / "run.log").stat().st_mode) == 0o600
    for line in ("release started", "solving with", "exit code 0", "ended with SourceError"):
        assert line in log
    assert not [cell for cell in ("02138", "02139", "gout", "flu") if cell in log]
    assert "started" not in capsys.readouterr().err
    assert main(["release", "people.csv", "--to", "x", "--log", "no/such/run.log"]) == 2


def test_the_package_is_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", "--version"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    first, *others = done.stdout.splitlines()
    assert first.startswith("sfumato 0.")
    assert any(line.startswith("extras: ") and "excel" in line for line in others)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(shell, capsys):
    assert main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    assert "release" in printed
    assert "quote-formulas" in printed


def test_bash_completes(tmp_path, capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out + (
        "\nCOMP_WORDS=(sfumato release --qu); COMP_CWORD=2; _sfumato; echo ${COMPREPLY[@]}"
        "\nCOMP_WORDS=(sfumato sur); COMP_CWORD=1; _sfumato; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True)
    assert done.stdout.split() == ["--quote-formulas", "--quiet", "survey"], done.stderr


def test_an_assessment_prints_json_where_no_file_is_named(here, capsys):
    words = ["people.csv", "--policy", "people.policy.toml", "--quick", "--to", "page.html"]
    assert main(["assess", *words, "--json"]) in (0, 1, 3)
    printed = json.loads(capsys.readouterr().out)
    assert (here / "page.html").exists()
    assert main(["assess", *words, "--replace", "--json", "numbers.json"]) in (0, 1, 3)
    assert json.loads((here / "numbers.json").read_text()).keys() == printed.keys()


def test_all_kinds_of_parts_are_listed(capsys):
    assert main(["list"]) == 0
    assert "models: " in capsys.readouterr().out
    assert main(["list", "--json"]) == 0
    assert "optimal" in json.loads(capsys.readouterr().out)["solvers"]
