"""Translating PostgreSQL's errors into ours. Its messages may hold cell values, so none of their
text is passed on.

libpq's message about a failed connection may hold a part of a mistyped password: it is read, and
not passed on either."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from sfumato.errors import Bug, SfumatoError, SourceError, TargetError
from sfumato.runs import watch

NOTHING = "nothing was released."
PASSWORDS = "the usual places of libpq: PGPASSWORD, ~/.pgpass or a service file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The server and the user: the facts about a connection that may be disclosed."""

    host: str
    database: str
    role: str
    version: int
    encoding: str
    timeout: str
    """Its statement_timeout; `0` for none."""

    def title(self) -> str:
        return f"{self.host}/{self.database}"


@contextmanager
def connecting(given: Mapping[str, Any]) -> Iterator[None]:
    """Errors raised inside are about reaching the server."""
    with watch() as interrupts:
        try:
            yield
        except psycopg.Error as error:
            interrupts.check()
            raise _about_connecting(given, str(error)) from None


@contextmanager
def reading(name: str, server: Server) -> Iterator[None]:
    """Errors raised inside are about reading the source called `name`."""
    with watch() as interrupts:
        try:
            yield
        except (psycopg.Error, UnicodeError) as error:
            interrupts.check()
            raise _about_reading(name, server, error) from None


@contextmanager
def writing(name: str, server: Server, target: str) -> Iterator[None]:
    """Errors raised inside are about writing `target`, or about reading the source while doing
    so."""
    with watch() as interrupts:
        try:
            yield
        except (OSError, psycopg.Error, UnicodeError) as error:
            interrupts.check()
            raise _about_writing(target, error) or _about_reading(name, server, error) from None


# The first pattern that is found in what libpq or the server says decides. Servers may speak other
# languages: then the last words are all there is.
_CONNECTING = (
    (r"password authentication failed|no password supplied", "The server refused the password, or none was given.",
     f"another password, from {PASSWORDS}."),
    (r'role ".*" does not exist', "The server knows no such role.", "another user in the address."),
    (r'database ".*" does not exist', "The server has no database of that name.", "another name after the host."),
    (r"no pg_hba\.conf entry|pg_hba\.conf rejects", "The server's pg_hba.conf does not let this role in from here.",
     "sslmode=require in the address, or asking the administrator of the server."),
    (r"server does not support SSL", "TLS was asked for, and the server does not offer it.",
     "sslmode=prefer in the address, where the network is trusted."),
    (r"certificate|SSL error", "The server's certificate could not be trusted.",
     "sslrootcert with the authority's certificate, and the name that is in the server's."),
    (r"could not translate host name|Name or service not known|resolve|name resolution", "No host has that name.",
     "checking the host in the address; in a password @ : / and % are written %40 %3A %2F and %25."),
    (r"refused|No such file or directory|No route|unreachable|Is the server running",
     "Nothing answers there.", "checking host and port, and that the server runs and listens there."),
    (r"timeout|timed out", "It did not answer in time.", "checking host, port and firewall, or connect_timeout."),
    (r"too many (clients|connections)|remaining connection slots", "All its connections are taken.", "again, later."),
    (r"starting up|shutting down|recovery", "The server is starting up or shutting down.", "again, in a moment."),
    (r"definition of service", "No service of that name is in the service file.", "pg_service.conf, or PGSERVICEFILE."),
)  # fmt: skip


def _about_connecting(given: Mapping[str, Any], text: str) -> SourceError:
    """libpq's message is not passed on, nor what it took for host and port where a password broke
    the address in two."""
    host = str(given.get("host", ""))
    where = f" at {host}" if re.fullmatch(r"[A-Za-z0-9.-]+", host) else ""
    where += (
        f":{given['port']}"
        if where and given.get("user") and str(given.get("port", "")).isdecimal()
        else ""
    )
    asked = f"The PostgreSQL server{where} cannot be used."
    for pattern, found, attempt in _CONNECTING:
        if re.search(pattern, text):
            return SourceError(asked, found=found, attempt=attempt)
    return SourceError(asked, attempt="psql with the same address, which says more.")


def _about_writing(target: str, error: Exception) -> TargetError | None:
    if isinstance(error, OSError):
        return TargetError(
            f"The release cannot be written to {target}.",
            found=f"{error.strerror or type(error).__name__}.",
            attempt=f"another folder with --to, or more space; {NOTHING}",
        )
    if isinstance(error, psycopg.errors.DuplicateTable | psycopg.errors.UniqueViolation):
        return TargetError(
            f"Another process made {target} meanwhile.", attempt=f"another schema; {NOTHING}"
        )
    return None


def _about_reading(name: str, server: Server, error: Exception) -> BaseException:
    """The error to raise instead of `error`."""
    if not isinstance(error, psycopg.Error) or error.sqlstate == "22021":
        return SourceError(
            f"{name} holds bytes that are not text.",
            found=f"The database's encoding is {server.encoding}, which does not say what they "
            "mean.",
            attempt="a database whose encoding is UTF8.",
        )
    state = error.sqlstate or ""
    if not state or state.startswith("08") or state in ("57P01", "57P02", "57P03", "57P05"):
        return _lost(name)
    return _about_limits(name, server, state) or _about_question(name, server, state)


def _lost(name: str) -> SourceError:
    return SourceError(
        f"The connection to the server was lost while {name} was being worked on.",
        found="The server or the network went away, or someone ended the connection.",
        attempt=f"again; {NOTHING}",
    )


def _about_limits(name: str, server: Server, state: str) -> SfumatoError | None:
    """The server stopped a question that it understood."""
    if state in ("57014", "25P04"):
        limit = (
            f"; the server's statement_timeout is {server.timeout}" if server.timeout != "0" else ""
        )
        return SourceError(
            f"The server stopped a question about {name}.",
            found=f"It took too long, or someone cancelled it{limit}.",
            attempt="PGOPTIONS='-c statement_timeout=0', or a longer one for the role.",
        )
    if state in ("53100", "53400"):
        return SourceError(
            f"{name} could not be worked on: the server has no more space for temporary files.",
            attempt="freeing space there, or a higher temp_file_limit for the role.",
        )
    if state == "53200":
        return SourceError(
            f"{name} needs more memory than the server has.", attempt="a smaller --memory."
        )
    if state in ("55P03", "40P01", "40001"):
        return SourceError(
            f"{name} is locked by someone else.", attempt="again, when their work is done."
        )
    if state == "25P03":
        return SourceError(
            f"The server ended a transaction about {name} that was idle.", attempt="again."
        )
    return None


def _about_question(name: str, server: Server, state: str) -> SfumatoError:
    """The server would not or could not answer."""
    if state == "42501":
        return SourceError(
            f"Role {server.role} may not read all of {name}.",
            attempt=f'GRANT SELECT on it, and USAGE on its schema, to "{server.role}".',
        )
    if state == "25P02":
        return SourceError(
            f"{name} cannot be asked any more: an earlier question was stopped half-way.",
            attempt="opening it again.",
        )
    if state == "22P05":
        return SourceError(
            f"A label cannot be written in {server.encoding}, the encoding of database "
            f"{server.database}.",
            attempt="labels in its letters, or a database whose encoding is UTF8.",
        )
    if state.startswith("42") and state not in ("42883", "42P01", "42703"):
        return Bug(f"PostgreSQL refused a query over {name} with {state}.")
    return SourceError(
        f"{name} cannot be read.",
        found=f"The server stopped with {state}; its message is held back because it may hold "
        "values.",
        attempt="the same table in psql, whether a view over it still works, and whether every "
        "date in it is one.",
    )
