"""`sfumato completion`: the lines that make a shell complete commands, options and files."""

from __future__ import annotations

import argparse

from .shared_arguments import add_json, print_json

SHELLS = ("bash", "zsh", "fish")


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "shell",
        choices=SHELLS,
        help="name of the shell; load the output with: source <(sfumato completion bash)",
    )
    add_json(command, what="commands, options and the script")


def run(options: argparse.Namespace) -> int:
    flags = _options()
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell](flags)
    if options.json:
        commands = {name: dict(found) for name, found in flags.items()}
        print_json({"shell": options.shell, "commands": commands, "script": script})
    else:
        print(script)
    return 0


def _options() -> dict[str, tuple[tuple[str, str], ...]]:
    """The options of each command with their help, read from the parsers themselves."""
    from . import COMMANDS, parser

    top = parser()
    (commands,) = (each for each in top._actions if isinstance(each, argparse._SubParsersAction))
    out = {}
    for name in COMMANDS:
        actions = commands.choices[name]._actions
        long = [
            (flag, each.help or "")
            for each in actions
            for flag in each.option_strings
            if flag.startswith("--")
        ]
        out[name] = tuple(long)
    return out


def _bash(options: dict[str, tuple[tuple[str, str], ...]]) -> str:
    cases = "\n".join(
        f'    {name}) words="{" ".join(flag for flag, _ in flags)}" ;;'
        for name, flags in options.items()
    )
    return f"""_sfumato() {{
  local now="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(options)} --help --version" -- "$now"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  case "$now" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$now")) ;;
    *) COMPREPLY=($(compgen -f -- "$now")) ;;
  esac
}}
complete -o filenames -F _sfumato sfumato"""


def _zsh(options: dict[str, tuple[tuple[str, str], ...]]) -> str:
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash(options)}"


def _fish(options: dict[str, tuple[tuple[str, str], ...]]) -> str:
    from . import COMMANDS

    lines = [
        f"complete -c sfumato -n __fish_use_subcommand -f -a {name} -d {_quoted(COMMANDS[name])}"
        for name in options
    ]
    lines += [
        f"complete -c sfumato -n '__fish_seen_subcommand_from {name}' "
        f"-l {flag.removeprefix('--')} -d {_quoted(said)}"
        for name, flags in options.items()
        for flag, said in flags
    ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
