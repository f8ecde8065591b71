"""The gate as a process of its own: served over loopback, ended, killed, with a full disk,
encrypted."""

from __future__ import annotations

import json
import re
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import command_server
import httpx
import pytest

from sfumato.datasets import write_hospital_gate
from sfumato.gate.accounts import Right
from sfumato.gate.audit import entries, verify_chain
from sfumato.gate.gate_opener import open_office
from sfumato.gate.settings_file import read_settings

PASSWORD = "a password of nobody"
SQL = "SELECT zip, sex, diagnosis FROM patients"
RUN = "import sys; from sfumato.cli import main; sys.exit(main(sys.argv[1:]))"
SMALL_DISK = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_100_000, 1_100_000)); "


def sfumato(*words: str | Path, before: str = "") -> list[str]:
    """A gate is killed and has its limits: it is a Python of its own, and other commands are not."""
    if words[0] in ("serve", "demo"):
        return [sys.executable, "-c", before + RUN, *map(str, words)]
    return [command_server.running().sfumato, *map(str, words)]


@pytest.fixture
def gate_file(tmp_path) -> Path:
    return write_hospital_gate(tmp_path, rows=800, http_port=0, wire_port=0)


def added(file: Path, name: str) -> str:
    """A recipient, added without a process."""
    with open_office(read_settings(file)) as office:
        office.accounts.add(name, PASSWORD, right=Right.RECIPIENT, profile="research")
    return PASSWORD


def added_by_command(file: Path, name: str, right: str) -> str:
    words = sfumato(
        "accounts", "--config", file, "add", name, "--right", right, "--profile", "research"
    )
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return re.search(rf"^{name}: (\S+)$", done.stdout, re.MULTILINE)[1]


@contextmanager
def served(file: Path, *, before: str = "") -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A gate that is open, and its address."""
    process = subprocess.Popen(
        sfumato("serve", "--config", file, before=before),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    clock = threading.Timer(600, process.kill)
    clock.start()
    try:
        for line in process.stdout:
            if found := re.search(r"(https?://\S+:\d+)/$", line.strip()):
                yield process, found[1]
                break
        else:
            pytest.fail(process.stderr.read())
    finally:
        clock.cancel()
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)


@contextmanager
def logged_in(address: str, name: str, password: str, **given) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{address}/api/v1", timeout=600, **given) as client:
        me = (
            client.post("/log-in", json={"name": name, "password": password})
            .raise_for_status()
            .json()
        )
        client.headers["X-Sfumato-Changes"] = me["token_for_changes"]
        yield client


def test_a_journey_from_the_first_administrator_to_a_verified_audit(gate_file):
    password = added_by_command(gate_file, "adam", "administrator")
    with served(gate_file) as (process, address):
        with logged_in(address, "adam", password) as adam:
            for name, right in (("ann", "recipient"), ("stella", "steward")):
                account = {
                    "name": name,
                    "password": f"a password of {name}",
                    "right": right,
                    "profile": "research",
                }
                adam.post("/accounts", json=account).raise_for_status()
        with logged_in(address, "ann", "a password of ann") as ann:
            offer = ann.post("/look", json={"sql": SQL}).json()
            answer = ann.post(
                "/ask", json={"sql": SQL, "shape": offer["shapes"][0]["shape"]}
            ).json()
            fine = {"sql": "SELECT birth, zip, diagnosis FROM patients", "shape": "birth=0,zip=0"}
            refused = ann.post("/ask", json=fine)
            assert refused.status_code == 403
        with logged_in(address, "stella", "a password of stella") as stella:
            told = stella.get(f"/explain/{refused.json()['query']}").json()
            assert "not answered" in told["because"][0]
            newest = stella.get("/audit/verify").json()
        assert len(answer["rows"]) == offer["shapes"][0]["rows"]
        process.send_signal(signal.SIGTERM)
        out, error = process.communicate(timeout=600)
    assert (process.returncode, error) == (0, "")
    assert "The gate is closed." in out
    audit = gate_file.parent / "state" / "audit.jsonl"
    lines = list(entries(audit))
    assert lines[-1]["kind"] == "closed"
    assert newest["digest"] in {line["digest"] for line in lines}
    words = sfumato("audit", "verify", audit, "--ends-in", lines[-1]["digest"])
    assert (
        "The chain holds"
        in subprocess.run(words, capture_output=True, text=True, check=True).stdout
    )
    audit.write_text("".join(f"{json.dumps(line)}\n" for line in lines[:-1]))
    cut = subprocess.run(words, capture_output=True, text=True, check=False)
    assert cut.returncode == 1
    assert "cut off" in cut.stderr


@pytest.mark.long("a gate that is killed; tests/unit/gate/test_state_journal.py stays")
def test_a_gate_that_is_killed_has_a_line_for_every_answer_that_left(gate_file):
    password = added(gate_file, "ann")
    audit = gate_file.parent / "state" / "audit.jsonl"
    left: list[str] = []

    def asks(client: httpx.Client, number: int) -> None:
        sql = f"SELECT sex, diagnosis FROM patients WHERE birth > '{1930 + number}-01-01'"
        try:
            told = client.post("/ask", json={"sql": sql}).json()
            left.append(told["query"])
        except httpx.HTTPError:
            return

    with served(gate_file) as (process, address), logged_in(address, "ann", password) as ann:
        with ThreadPoolExecutor(8) as pool:
            waiting = [pool.submit(asks, ann, number) for number in range(40)]
            while len(left) < 10:
                time.sleep(0.01)
            process.kill()
        assert all(each.done() for each in waiting)
    written = {entry.get("query") for entry in entries(audit)}
    assert 10 <= len(left) < 40
    assert set(left) <= written
    with served(gate_file) as (_, address), logged_in(address, "ann", password) as ann:
        kinds = [entry["kind"] for entry in ann.get("/history").json()["entries"]]
        assert len(kinds) >= len(left)
    verify_chain(audit)


@pytest.mark.long("a gate on a full disk; the journey through a gate stays")
def test_a_full_disk_stops_answers_and_what_was_written_stays_whole(gate_file):
    """Files may grow no further, which is how a disk looks that is full: what cannot be counted is
    not answered."""
    password = added(gate_file, "ann")
    audit = gate_file.parent / "state" / "audit.jsonl"
    told = []
    with (
        served(gate_file, before=SMALL_DISK) as (_, address),
        logged_in(address, "ann", password) as ann,
    ):
        for number in range(40):
            codes = ", ".join(f"'{number:05d}{code:05d}'" for code in range(1_300))
            told.append(
                ann.post(
                    "/ask",
                    json={"sql": f"SELECT sex, diagnosis FROM patients WHERE zip NOT IN ({codes})"},
                )
            )
            if told[-1].status_code == 503:
                break
    assert told[-1].status_code == 503
    assert told[-1].json()["code"] == "stopped"
    answered = [each.json()["query"] for each in told if each.status_code == 200]
    assert set(answered) <= {entry.get("query") for entry in entries(audit)}
    verify_chain(audit)


def test_with_a_certificate_everything_is_encrypted(gate_file):
    certificate, key = made_certificate(gate_file.parent)
    text = gate_file.read_text()
    gate_file.write_text(
        f'certificate = "{certificate.name}"\ncertificate_key = "{key.name}"\n{text}'
    )
    password = added(gate_file, "ann")
    trusted = ssl.create_default_context(cafile=str(certificate))
    with served(gate_file) as (_, address):
        assert address.startswith("https://")
        with logged_in(address, "ann", password, verify=trusted) as ann:
            assert ann.get("/me").json()["name"] == "ann"
        with httpx.Client(verify=trusted) as bare:
            came = bare.post(f"{address}/api/v1/log-in", json={"name": "ann", "password": password})
            assert "secure" in came.headers["set-cookie"].lower()
            with pytest.raises(httpx.HTTPError):
                bare.get(address.replace("https", "http") + "/api/v1/openapi.json")


def made_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that nobody else vouches for."""
    x509 = pytest.importorskip("cryptography.x509")
    from datetime import UTC, datetime, timedelta
    from ipaddress import ip_address

    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "gate")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "gate.crt", folder / "gate.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    return certificate, secret


@pytest.mark.long("two gates as processes; tests/unit/gate/test_state_journal.py stays")
def test_two_gates_do_not_share_a_folder(gate_file):
    added(gate_file, "ann")
    with served(gate_file):
        second = subprocess.run(
            sfumato("serve", "--config", gate_file), capture_output=True, text=True, check=False
        )
    assert second.returncode == 2
    assert "another gate" in second.stderr


def test_the_demo_opens_tells_who_may_come_and_leaves_nothing(tmp_path):
    folder = tmp_path / "demo"
    words = sfumato(
        "demo", "gate", "--rows", "300", "--to", folder, "--http-port", "0", "--wire-port", "0"
    )
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    clock = threading.Timer(600, process.kill)
    clock.start()
    said = ""
    for line in process.stdout:
        said += line
        if line.startswith("Try:"):
            break
    address = re.search(r"(http://\S+:\d+)/", said)[1]
    for name in ("ann", "stella", "adam"):
        password = re.search(rf"^{name}\s+\w+\s+(\S+)", said, re.MULTILINE)[1]
        with logged_in(address, name, password) as client:
            assert client.get("/me").json()["name"] == name
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=600)[1] == ""
    clock.cancel()
    assert process.returncode == 0
    assert not folder.exists()
