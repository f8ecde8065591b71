"""A gate behind the wire for tests, and a client that speaks the protocol by hand, so that it can
speak it wrongly."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gates import a_gate, people

from sfumato.gate.accounts import Right
from sfumato.gate.audit import entries
from sfumato.gate.gate_opener import Gate
from sfumato.gate.limits import Limits
from sfumato.gate.settings import Terms
from sfumato.gate.wire import wire_running

PASSWORD = "twelve letters"
VERSION = 0x0003_0000
Message = tuple[bytes, bytes]


@dataclass(frozen=True)
class Wire:
    """A running gate: where it is, and what is behind it."""

    gate: Gate = field(repr=False)
    host: str
    port: int

    def uri(
        self,
        user: str = "ann",
        *,
        password: str = PASSWORD,
        database: str = "sfumato",
        more: str = "",
    ) -> str:
        secret = password.replace(" ", "%20")
        return f"postgresql://{user}:{secret}@{self.host}:{self.port}/{database}?gssencmode=disable{more}"

    def dial(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=600)

    def told(self) -> list[str]:
        """The kinds of the audit's lines."""
        return [entry["kind"] for entry in entries(self.gate.audit.path)]


@contextmanager
def a_wire(
    folder: Path,
    *,
    rows: list[dict[str, Any]] | None = None,
    terms: Terms | None = None,
    per_minute: int = 10_000,
    **settings: Any,
) -> Iterator[Wire]:
    with a_gate(folder, rows or people(400), terms=terms) as gate:
        gate = replace(gate, settings=replace(gate.settings, wire_port=0, **settings))
        gate.accounts.add("ann", PASSWORD, right=Right.RECIPIENT)
        gate.accounts.add("adam", PASSWORD, right=Right.ADMINISTRATOR)
        with wire_running(gate, limits=Limits(queries_per_minute=per_minute)) as (host, port):
            yield Wire(gate, host, port)


# ---------------------------------------------------------------- by hand


def start(version: int = VERSION, **words: str) -> bytes:
    body = (
        struct.pack("!I", version)
        + b"".join(f"{k}\0{v}\0".encode() for k, v in words.items())
        + b"\0"
    )
    return struct.pack("!I", len(body) + 4) + body


def message(letter: bytes, body: bytes) -> bytes:
    return letter + struct.pack("!I", len(body) + 4) + body


def query(sql: str) -> bytes:
    return message(b"Q", sql.encode() + b"\0")


def received(line: socket.socket) -> Message:
    head = exactly(line, 5)
    return head[:1], exactly(line, struct.unpack("!I", head[1:])[0] - 4)


def exactly(line: socket.socket, count: int) -> bytes:
    out = b""
    while len(out) < count:
        more = line.recv(count - len(out))
        if not more:
            raise ConnectionError
        out += more
    return out


def until(line: socket.socket, letter: bytes = b"Z") -> list[Message]:
    """All messages up to one of a letter."""
    out = [received(line)]
    while out[-1][0] != letter:
        out.append(received(line))
    return out


def everything(line: socket.socket) -> bytes:
    """All that comes until the other side hangs up."""
    out = b""
    try:
        while more := line.recv(65_536):
            out += more
    except ConnectionError:
        pass
    return out


def log_in(
    line: socket.socket, user: str = "ann", password: str = PASSWORD, **words: str
) -> list[Message]:
    """Prove a password by SCRAM, and check the server's proof; the messages from then on."""
    line.sendall(start(words.pop("version", VERSION), user=user, **words))  # type: ignore[arg-type]
    letter, body = received(line)
    assert (letter, body) == (b"R", struct.pack("!I", 10) + b"SCRAM-SHA-256\0\0")
    first = b"n=,r=clientnonce"
    line.sendall(
        message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", len(first) + 3) + b"n,," + first)
    )
    server_first = received(line)[1][4:]
    parts = dict(part.split(b"=", 1) for part in server_first.split(b","))
    salted = hashlib.pbkdf2_hmac(
        "sha256", password.encode(), base64.b64decode(parts[b"s"]), int(parts[b"i"])
    )
    key = hmac.digest(salted, b"Client Key", "sha256")
    last = b"c=biws,r=" + parts[b"r"]
    said = b",".join((first, server_first, last))
    proof = bytes(
        a ^ b
        for a, b in zip(key, hmac.digest(hashlib.sha256(key).digest(), said, "sha256"), strict=True)
    )
    line.sendall(message(b"p", last + b",p=" + base64.b64encode(proof)))
    letter, body = received(line)
    if letter == b"E":
        return [(letter, body)]
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    assert body[4:] == b"v=" + base64.b64encode(hmac.digest(server_key, said, "sha256"))
    return until(line)


def fields(body: bytes) -> dict[str, str]:
    """The fields of an error or a notice."""
    return {part[:1].decode(): part[1:].decode() for part in body.split(b"\0") if part}
