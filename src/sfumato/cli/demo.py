"""`sfumato demo`: the main job on a made-up hospital table."""

from __future__ import annotations

import argparse
from pathlib import Path


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument("--to", type=Path, default=Path("demo-release"), help="a new folder (default: demo-release)")
    command.add_argument("--rows", type=int, default=10_000, help="how many patients to make up (default: 10,000)")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.errors import Mistake, TargetError
    from sfumato.made_up import HOSPITAL_POLICY, write_hospital
    from sfumato.releases import Key, release

    from .release import EXIT, show_release
    from .showing import stages

    if options.rows < 1:
        raise Mistake(f"--rows is {options.rows}, and must be 1 or more.")
    console = Console()
    folder: Path = options.to
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TargetError(f"{folder} cannot be made.", found=f"{error.strerror}.") from None
    secret = folder / "pseudonyms.key"
    if (folder / "patients.csv").exists() and not secret.exists():
        raise TargetError(
            f"{folder} holds a patients.csv that is not the demo's.",
            attempt="a new folder with --to; it was not touched.",
        )
    source = write_hospital(folder / "patients.csv", rows=options.rows)
    policy = folder / "patients.policy.toml"
    policy.write_text(HOSPITAL_POLICY, encoding="utf-8")
    key = Key.from_file(secret) if secret.exists() else Key.create_file(secret)
    console.print(f"{options.rows:,} made-up patients: {source}", highlight=False, soft_wrap=True)
    with stages(console) as progress:
        made = release(source, policy, to=folder / "release", key=key, replace=True, progress=progress)
    show_release(made, console)
    console.print(f"Next: open {made.folder / 'report.html'}, and run: sfumato verify {made.folder}", soft_wrap=True)
    return EXIT[made.outcome]
