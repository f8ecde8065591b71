"""Random pseudonyms and the file that remembers them (Garfinkel 2016, section 4.3.1: "randomly
assigned").

The file is a SQLite database from Python's own library. Ten million values are found and added
without being held in memory, and a batch is added whole or not at all. Two releases that extend it
at once wait for each other. It holds the originals in clear, so it is its owner's alone and belongs
where the key would be kept."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sfumato.errors import SecretError, SourceError
from sfumato.files import check_owner_only, create_secret
from sfumato.keys import Key
from sfumato.policy import Method

from .description import beginning

PSEUDONYM_BYTES = 16
APPLICATION_ID = 0x5366756D
WAIT_SECONDS = 60
SCHEMA = """
    CREATE TABLE pseudonyms (
        domain TEXT NOT NULL, original TEXT NOT NULL, pseudonym TEXT NOT NULL, PRIMARY KEY (domain, original)
    ) WITHOUT ROWID
"""


class LookupFile:
    """A file of originals and their pseudonyms, one set for each domain."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pseudonyms(self, domain: str, originals: Sequence[str]) -> list[str]:
        """The pseudonyms of these originals; those that have none get one, and it is kept before
        this returns."""
        if not self.path.exists():
            self._create()
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            find = "SELECT pseudonym FROM pseudonyms WHERE domain = ? AND original = ?"
            found = {
                original: database.execute(find, (domain, original)).fetchone()
                for original in originals
            }
            new = {
                original: secrets.token_hex(PSEUDONYM_BYTES)
                for original, row in found.items()
                if row is None
            }
            entries = ((domain, original, pseudonym) for original, pseudonym in new.items())
            database.executemany("INSERT INTO pseudonyms VALUES (?, ?, ?)", entries)
            database.execute("COMMIT")
        return [
            new[original] if original in new else str(found[original][0]) for original in originals
        ]

    def original(self, pseudonym: str) -> str | None:
        """The value that has this pseudonym, in whichever domain; None where there is none."""
        with self._open() as database:
            find = "SELECT original FROM pseudonyms WHERE pseudonym = ?"
            row = database.execute(find, (pseudonym,)).fetchone()
        return None if row is None else str(row[0])

    def _create(self) -> None:
        """An empty file, made aside and then linked into place, unless someone else was faster."""
        aside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}.part")
        create_secret(aside, b"")
        try:
            with self._connected(aside) as database:
                database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                database.execute(SCHEMA)
            os.link(aside, self.path)
        except FileExistsError:
            pass
        except OSError as error:
            raise SecretError(
                f"{self.path} cannot be created.", found=f"{error.strerror}."
            ) from None
        finally:
            aside.unlink()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        check_owner_only(self.path)
        with self._connected(self.path) as database:
            if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise _not_a_lookup(self.path)
            yield database

    @contextmanager
    def _connected(self, path: Path) -> Iterator[sqlite3.Connection]:
        """A connection, closed at the end. Messages of the driver are not passed on: they may quote
        a value."""
        try:
            uri = f"{path.absolute().as_uri()}?mode=rw"
            with closing(
                sqlite3.connect(uri, uri=True, timeout=WAIT_SECONDS, isolation_level=None)
            ) as database:
                yield database
        except sqlite3.OperationalError:
            raise SecretError(
                f"The lookup file {self.path} cannot be used.",
                found=f"Another release held it for {WAIT_SECONDS} seconds, or the disk is full "
                "or read-only.",
                attempt="waiting for the other release, or another disk.",
            ) from None
        except sqlite3.DatabaseError:
            raise _not_a_lookup(self.path) from None
        except UnicodeEncodeError:
            raise SourceError("A value to be looked up is not valid Unicode text.") from None


class LookupReplacer:
    """A random pseudonym of 128 bits for each value, from a lookup file that later releases extend.

    Without a file the pseudonyms are those of a random key that is forgotten with this object.
    Without the key they are as good as random, and nothing has to be stored for a second pass."""

    redrawn: int = 0

    def __init__(self, path: Path | None, *, domain: str) -> None:
        self._file = LookupFile(path) if path is not None else None
        self._domain = domain
        self._passing = Key.generate().derive("lookup", domain)

    def replace(self, values: Sequence[str]) -> list[str]:
        if self._file is not None:
            return self._file.pseudonyms(self._domain, values)
        digest = self._passing.digest
        return [
            digest(value.encode("utf-8", "surrogatepass"))[:PSEUDONYM_BYTES].hex()
            for value in values
        ]

    def describe(self) -> str:
        if self._file is not None:
            return (
                f"{beginning(Method.LOOKUP)}, remembered in the holder's lookup file for "
                "later releases"
            )
        return (
            f"{beginning(Method.LOOKUP)} made for this release and kept nowhere; no later "
            "release can repeat it"
        )


def _not_a_lookup(path: Path) -> SecretError:
    return SecretError(
        f"{path} is not a lookup file of Sfumato.",
        attempt="the file that an earlier release made, or a name that is not taken yet.",
    )
