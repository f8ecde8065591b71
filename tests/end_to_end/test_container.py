"""The image of the gate: its file by the rules for such files, and its commands in a fresh
environment with the rights of a normal user. The image itself is not built here."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import tomllib
from pathlib import Path

import pytest
from fresh_environment import ROOT, FreshEnvironment, build_wheel

from sfumato.datasets import write_hospital_gate

FILE = ROOT / "Containerfile"
SECRET = re.compile(r"PASS|SECRET|TOKEN|KEY|CREDENTIAL", re.IGNORECASE)


def instructions() -> list[list[tuple[str, str]]]:
    """The instructions of each stage, continued lines joined."""
    text = re.sub(r"\\\n", " ", FILE.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    stages: list[list[tuple[str, str]]] = []
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stages.append([])
        stages[-1].append((word, " ".join(rest.split())))
    return stages


def given(word: str) -> list[str]:
    """What the last stage says with this word."""
    return [rest for each, rest in instructions()[-1] if each == word]


def test_only_the_package_gets_into_a_layer():
    copied = {
        name.removeprefix("./")
        for stage in instructions()
        for word, rest in stage
        if word == "COPY" and "--from=" not in rest
        for name in rest.split()[:-1]
    }
    assert "src" in copied
    assert [name for name in copied if not (ROOT / name).exists()] == []
    first, *others = [
        line
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert first == "*"
    assert {line[1:] for line in others if line.startswith("!")} == copied
    everything = [word for stage in instructions() for word, _ in stage]
    assert "ADD" not in everything
    assert "ARG" not in everything


def test_the_extras_of_the_image_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (extras,) = re.findall(r"'\.\[([\w,]+)\]'", FILE.read_text(encoding="utf-8"))
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    assert "gate" in extras.split(",")


def test_the_image_starts_from_a_named_version_of_no_particular_registry():
    bases = [stage[0][1].split()[0] for stage in instructions()]
    for base in bases:
        name, _, version = base.partition(":")
        assert "/" not in name
        assert re.fullmatch(r"\d+\.\d+-slim", version)
    assert len(set(bases)) == 1, "compiled packages would not fit another version"


def test_the_image_runs_as_a_normal_user_and_says_how_it_is():
    (user,) = given("USER")
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    words = [word for word, _ in instructions()[-1]]
    assert "RUN" not in words[words.index("USER") :]
    assert json.loads(given("VOLUME")[0]) == ["/state"]
    assert given("EXPOSE") == ["8417 5417"]
    assert given("STOPSIGNAL") == ["SIGTERM"]
    for word in ("ENTRYPOINT", "CMD"):
        assert isinstance(json.loads(given(word)[0]), list), "a shell would not pass signals on"
    assert not [each for each in given("ENV") + given("LABEL") if SECRET.search(each)]


def test_the_page_names_what_the_file_has():
    page = (ROOT / "docs" / "gate-container.md").read_text(encoding="utf-8")
    for words in ("--read-only", "--tmpfs /tmp", "--cap-drop ALL", ":/gate:ro", ":/state"):
        assert words in page
    assert f"| user | {given('USER')[0].split(':')[0]}," in page


# ---------------------------------------------------------------------------------------------------
# its commands, outside of an image


def commands(gate: Path) -> tuple[list[str], list[str]]:
    """How the image starts and how it asks for its health, with /gate at another place."""
    starts = json.loads(given("ENTRYPOINT")[0]) + json.loads(given("CMD")[0])
    asks = json.loads(given("HEALTHCHECK")[0].partition("CMD ")[2])
    return tuple([word.replace("/gate/", f"{gate}/") for word in words] for words in (starts, asks))


def as_normal_user() -> list[str]:
    """Words that take from root what a normal user does not have."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return []
    words = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--no-new-privs"]
    works = subprocess.run([*words, "true"], capture_output=True).returncode == 0
    return words if works else []


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> FreshEnvironment:
    folder = tmp_path_factory.mktemp("image")
    made = FreshEnvironment(folder / "venv")
    made.install(build_wheel(ROOT, folder))
    made.link(made.requirements("sfumato", "gate", "postgres"))
    return made


@pytest.mark.long("a whole container's start; tests of its file stay")
def test_the_gate_opens_answers_its_health_check_and_closes(environment, tmp_path):
    gate, state, home = tmp_path / "gate", tmp_path / "state", tmp_path / "tmp"
    for folder in (gate, state, home):
        folder.mkdir(mode=0o700)
    file = write_hospital_gate(gate, rows=300, http_port=free_port(), wire_port=free_port())
    text = re.sub(r'folder = ".*?"', f'folder = "{state}"', file.read_text(encoding="utf-8"))
    file.write_text(text, encoding="utf-8")
    for path in (*gate.iterdir(), gate):  # as it is mounted
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sorted(gate.iterdir())
    variables = environment.variables() | {"HOME": str(home), "TMPDIR": str(home)}
    starts, asks = ([*as_normal_user(), *words] for words in commands(gate))

    def health() -> subprocess.CompletedProcess[str]:
        return subprocess.run(asks, env=variables, cwd=gate, capture_output=True, text=True)

    assert (health().returncode, health().stdout) == (1, "The gate does not answer.\n")
    process = subprocess.Popen(
        starts, env=variables, cwd=gate, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        deadline = time.monotonic() + 300
        while (seen := health()).returncode and time.monotonic() < deadline:
            assert process.poll() is None, process.stdout.read()
        assert (seen.returncode, seen.stdout) == (0, "The gate answers.\n"), seen.stderr
    finally:
        process.send_signal(signal.SIGTERM)
        printed, _ = process.communicate(timeout=300)
    assert process.returncode == 0, printed
    assert health().returncode == 1
    assert sorted(gate.iterdir()) == before
    assert (state / "audit.jsonl").exists()
    assert list(home.iterdir()) == []
