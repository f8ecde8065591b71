"""Translating Spark's errors into ours. Its messages hold cell values, so none of their text is
passed on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.logger import PySparkLogger

from sfumato.errors import Bug, SfumatoError, SourceError, TargetError
from sfumato.runs import watch

TROUBLE = (PySparkException, Py4JError, ConnectionError, EOFError)

# Conditions are Spark's names for what went wrong. None of those told here names a cell, nor does
# what is told of them.
_CANNOT_READ = {
    "PARQUET_TYPE_ILLEGAL": "It has a field of a type that Spark does not read, such as nanoseconds.",
    "PARQUET_TYPE_NOT_SUPPORTED": "It has a field of a type that Spark does not read.",
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION": "It has a decimal field with more digits than Spark's 38.",
    "CANNOT_MERGE_SCHEMAS": "Its files do not all have the same fields with the same types.",
    "FAILED_READ_FILE": "A file is missing, damaged or not of the kind that its name says.",
    "CANNOT_READ_FILE_FOOTER": "A file is damaged or not Parquet.",
    "PATH_NOT_FOUND": "There is nothing at that path, as Spark sees it.",
    "UNABLE_TO_INFER_SCHEMA": "It holds no Parquet file that Spark would read.",
}
_NO_TABLE = (
    "TABLE_OR_VIEW_NOT_FOUND",
    "SCHEMA_NOT_FOUND",
    "CATALOG_NOT_FOUND",
    "REQUIRES_SINGLE_PART_NAMESPACE",
)
_FULL = ("no space left on device", "disk quota exceeded")
_MEMORY = ("java.lang.outofmemoryerror", "sparkoutofmemoryerror", "maxresultsize")
_LOST = (
    "executorlostfailure",
    "sparkcontext was shut down",
    "sparkcontext has been shutdown",
    "stopped sparkcontext",
)
_CANCELLED = (
    "job_cancelled",
    "operation_canceled",
    "cancelled part of cancelled job",
    "sparkcontext was cancelled",
)
_NO_READING = (
    "is not a parquet file",
    "could not read footer",
    "could not read page",
    "can not read value",
)


# PySpark's own loggers, which write the message of an error, with its values, to stderr as it is
# raised.
_LOGGERS = (
    "SQLQueryContextLogger",
    "DataFrameQueryContextLogger",
    "py4j.java_gateway",
    "py4j.clientserver",
)
_ASKING = threading.local()


class _Silence(logging.Filter):
    """Drops what is logged while this thread asks Spark for us."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not getattr(_ASKING, "now", False)


_SILENCE = _Silence()


@contextmanager
def silence() -> Iterator[None]:
    """No message of Spark in Python is logged meanwhile, in this thread."""
    for name in _LOGGERS:
        logger = (
            logging.getLogger(name) if name.startswith("py4j") else PySparkLogger.getLogger(name)
        )
        logger.addFilter(_SILENCE)
    before, _ASKING.now = getattr(_ASKING, "now", False), True
    try:
        yield
    finally:
        _ASKING.now = before


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Errors raised inside are about reading the source called `name`."""
    with watch() as interrupts:
        try:
            yield
        except TROUBLE as error:
            interrupts.check()
            raise _about_reading(name, error) from None


@contextmanager
def writing(name: str, target: str) -> Iterator[None]:
    """Errors raised inside are about writing `target`, or about reading the source while doing
    so."""
    with watch() as interrupts:
        try:
            yield
        except TROUBLE as error:  # first: a connection that is cut is an OSError too
            interrupts.check()
            raise _about_writing(target, error) or _about_reading(name, error) from None
        except OSError as error:
            interrupts.check()
            raise _cannot_write(target, error.strerror or "") from None


def _condition(error: BaseException) -> str:
    """Spark's name for the error, without its finer part."""
    found = error.getCondition() if isinstance(error, PySparkException) else None
    return (found or "").split(".")[0]


def _words(error: BaseException) -> str:
    """The whole text of an error, to be searched and never passed on."""
    words = str(error)
    if isinstance(error, Py4JJavaError):
        words += str(error.java_exception)
    return words.lower()


def _about_writing(target: str, error: BaseException) -> SfumatoError | None:
    words = _words(error)
    if any(full in words for full in _FULL) and target.lower() in words:
        return _cannot_write(target, "No space left on device")
    if "mkdirs failed to create" in words or "permission denied" in words:
        return _cannot_write(target, "Permission denied")
    return None


def _cannot_write(target: str, why: str) -> TargetError:
    full = why.lower() in _FULL
    return TargetError(
        f"The release cannot be written to {target}.",
        found="The disk is full."
        if full
        else "The folder does not exist or does not accept new files.",
        attempt=f"{'freeing space, or ' if full else ''}another folder with --to; nothing was "
        "released.",
    )


def _about_reading(name: str, error: BaseException) -> BaseException:
    """The error to raise instead of `error`."""
    condition, words = _condition(error), _words(error)
    if any(cancelled in words for cancelled in _CANCELLED):
        return KeyboardInterrupt()
    known = next(
        (
            told
            for said, told in _CANNOT_READ.items()
            if said == condition or f"[{said.lower()}" in words
        ),
        "",
    )
    if not known and any(said in words for said in _NO_READING):
        known = _CANNOT_READ["FAILED_READ_FILE"]
    if known:
        return SourceError(
            f"{name} cannot be read.", found=known, attempt="mending it, or reading it with DuckDB."
        )
    if condition in _NO_TABLE:
        return SourceError(
            f"{name} is not a table that Spark knows.",
            attempt="its name with the database before it, or a session in which the catalog is "
            "set up.",
        )
    if isinstance(error, ParseException | AnalysisException):
        return Bug(f"Spark refused a query over {name} with {condition or type(error).__name__}.")
    return _about_space(name, error, words)


def _about_space(name: str, error: BaseException, words: str) -> SfumatoError:
    if any(full in words for full in _FULL):
        return SourceError(
            f"{name} could not be worked on: the disk for Spark's own files is full.",
            attempt="setting TMPDIR (or spark.local.dir) to a folder with more space; nothing was "
            "released.",
        )
    if any(memory in words for memory in _MEMORY):
        return SourceError(
            f"{name} needs more memory than Spark was given.",
            attempt="a larger --memory; nothing was released.",
        )
    if (
        isinstance(error, ConnectionError | EOFError)
        or any(lost in words for lost in _LOST)
        or _is_gone(error)
    ):
        return SourceError(
            f"{name} could not be worked on to the end: Spark, or a worker of it, stopped.",
            attempt="looking at the cluster (often its memory) and running again; nothing was "
            "released.",
        )
    return SourceError(
        f"{name} cannot be read.",
        found=f"Spark stopped with {_condition(error) or type(error).__name__}; "
        "its message is held back because it may hold values.",
        attempt="checking that the source is whole and that its fields hold what the policy says.",
    )


def _is_gone(error: BaseException) -> bool:
    """Whether Java itself does not answer any more."""
    return isinstance(error, Py4JError) and not isinstance(error, Py4JJavaError)
