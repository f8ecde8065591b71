"""The tables that the five papers print, and a policy for each: files for `sfumato demo paper` and
the examples. They are about nobody: the papers made them up."""

from __future__ import annotations

import shutil
from pathlib import Path

from sfumato.errors import Mistake, TargetError

PAPERS = {
    "foundations": "Sweeney 2000, Foundations of privacy protection",
    "datafly": "Sweeney 1997, Guaranteeing anonymity when sharing medical data, the Datafly system",
    "channels": "Garfinkel, Gopal and Thompson 2007, Releasing individually identifiable microdata",
    "government": "Garfinkel 2016, De-identifying government datasets",
    "cellsecu": "Chiang, Hsu, Kuo, Liau and Wang 2001, the Cellsecu system",
}
"""The short name of each paper, and its description."""

_FILES = Path(__file__).parent / "papers"


def write_paper(name: str, folder: str | Path) -> Path:
    """Write the tables and policies of a paper into a folder, which is made where it is not."""
    if name not in PAPERS:
        raise Mistake(f'No paper is called "{name}".', attempt=f"one of {', '.join(PAPERS)}.")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    files = sorted((_FILES / name).iterdir())
    strange = [
        file.name
        for file in files
        if (target / file.name).exists() and (target / file.name).read_bytes() != file.read_bytes()
    ]
    if strange:
        raise TargetError(
            f"{target} holds other files called {', '.join(strange)}.",
            attempt="a new folder; nothing was touched.",
        )
    for file in files:
        shutil.copyfile(file, target / file.name)
    return target
