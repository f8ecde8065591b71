"""gate.toml: the settings of a gate at its start; every problem of the file at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from math import inf, isfinite
from pathlib import Path
from typing import Final

from sfumato.accounting import rho_of
from sfumato.errors import PolicyError, Problem
from sfumato.policy import Reader

from .noise.budgets import LEAST_PART
from .settings import (
    Audience,
    Budget,
    HeldTable,
    Lifetime,
    LinkedCopy,
    Mode,
    Settings,
    Terms,
    ValidationTerms,
)

_PERIOD: Final = "period = 0.2 and period_days = 30."
_HOST_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}")


def read_settings(path: Path) -> Settings:
    """Read and check a gate's file; files that it names are looked for beside it."""
    path = Path(path)
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise _unreadable(path, f"The file cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise _unreadable(path, "The file is not TOML in UTF-8.") from None
    return settings_from_table(table, folder=path.parent, name=path.stem)


def settings_from_table(
    table: Mapping[str, object], *, folder: Path = Path(), name: str = "gate"
) -> Settings:
    """The settings that a table in the form of the file describes.

    Example:
        >>> tables = {"people": {"source": "people.csv", "policy": "policy.toml"}}
        >>> settings_from_table({"tables": tables}).tables["people"].source
        'people.csv'
    """
    problems: list[Problem] = []
    top = Reader(table, where="", problems=problems)
    usual = Settings(folder=folder, tables={})
    certificate, key = top.text("certificate"), top.text("certificate_key")
    if bool(certificate) != bool(key):
        top.report(
            "certificate",
            "A certificate needs its key, and a key its certificate.",
            attempt="both, or none.",
        )
    found = Settings(
        folder=folder / (top.text("folder") or f"{name}-state"),
        tables=_tables(top, folder),
        terms=_terms(top),
        host=top.text("host") or usual.host,
        hosts=_hosts(top),
        http_port=_or(top.whole("http_port", least=0, most=65535), usual.http_port),
        wire_port=_or(top.whole("wire_port", least=0, most=65535), usual.wire_port),
        certificate=folder / certificate if certificate else None,
        certificate_key=folder / key if key else None,
        queries_per_minute=_or(top.whole("queries_per_minute", least=1), usual.queries_per_minute),
        session_minutes=_or(top.whole("session_minutes", least=1), usual.session_minutes),
        anchor=folder / anchor if (anchor := top.text("anchor")) else None,
        connections=_or(top.whole("connections", least=8), usual.connections),
        connections_per_address=_or(
            top.whole("connections_per_address", least=1), usual.connections_per_address
        ),
        lifetime=_lifetime(top),
        reload=_flag(top, "reload", usual=usual.reload),
        reload_hours=top.number("reload_hours", least=0.01, most=8760.0) or usual.reload_hours,
        register=folder / register if (register := top.text("register")) else None,
        people_key=folder / given if (given := top.text("people_key")) else None,
        account=folder / account if (account := top.text("account")) else None,
    )
    if found.people_key is not None and found.register is None:
        top.report(
            "people_key", "It is the key of a register, and there is none.", attempt="register."
        )
    top.close()
    _check_lifetime(found, top)
    if not found.tables and not problems:
        top.report(
            "tables", "There is no table to ask.", attempt="[tables.NAME] with source and policy."
        )
    if problems:
        raise PolicyError(problems, name=f"Gate {name}")
    return found


def _flag(top: Reader, key: str, *, usual: bool) -> bool:
    return top.flag(key) if key in top.raw else usual


def _or(found: int | None, usual: int) -> int:
    return usual if found is None else found


def _hosts(top: Reader) -> tuple[str, ...]:
    given = top.get("hosts")
    names = given if isinstance(given, list) else [] if given is None else [given]
    wrong = [name for name in names if not isinstance(name, str) or not _HOST_NAME.fullmatch(name)]
    if wrong:
        top.report(
            "hosts",
            "A name of a host is needed, without a scheme and a port.",
            attempt='["gate.example.org"].',
        )
        return ()
    return tuple(names)


def _tables(top: Reader, folder: Path) -> dict[str, HeldTable]:
    inner = top.table("tables")
    out: dict[str, HeldTable] = {}
    for name in inner.raw if inner else ():
        reader = inner.table(name) if inner else None
        if reader is None:
            continue
        source, policy = reader.text("source"), reader.text("policy")
        for key, given in (("source", source), ("policy", policy)):
            if not given:
                reader.report(
                    key,
                    "It is missing.",
                    attempt="the rows' file or address, and the policy's file.",
                )
        coarsest, table, people = _coarsest(reader), reader.text("table"), reader.text("people")
        most = _or(reader.whole("rows_per_person", least=1), 0)
        synthetic = _synthetic(reader, folder)
        reader.close()
        here = source if "://" in source else str(folder / source)
        out[name] = HeldTable(
            name=name,
            source=here,
            policy=folder / policy,
            table=table,
            coarsest=coarsest,
            people=people,
            rows_per_person=most,
            synthetic=synthetic,
        )
    return out


def _synthetic(reader: Reader, folder: Path) -> LinkedCopy | None:
    """The release that recipients work on, by its digest: a rewritten one is noticed."""
    inner = reader.table("synthetic")
    if inner is None:
        return None
    release, digest = inner.text("release"), inner.text("digest")
    for key, given in (("release", release), ("digest", digest)):
        if not given:
            inner.report(
                key, "It is missing.", attempt="the folder of a synthetic release, and its digest."
            )
    inner.close()
    return LinkedCopy(release=folder / release, digest=digest)


def _coarsest(reader: Reader) -> dict[str, int]:
    inner = reader.table("coarsest")
    if inner is None:
        return {}
    found = {name: inner.whole(name, least=0) for name in inner.raw}
    return {name: level for name, level in found.items() if level is not None}


def _terms(top: Reader) -> dict[str, Terms]:
    inner = top.table("terms")
    out: dict[str, Terms] = {}
    usual = Terms()
    for name in inner.raw if inner else ():
        reader = inner.table(name) if inner else None
        if reader is None:
            continue
        budget = _budget(reader)
        out[name] = Terms(
            mode=reader.choice("mode", Mode, usual.mode),
            audience=reader.choice("audience", Audience, usual.audience),
            budget=budget,
            least=_or(reader.whole("least", least=1), usual.least),
            rows_per_person=_or(reader.whole("rows_per_person", least=1), usual.rows_per_person),
            bounds=_bounds(reader),
            steps=_steps(reader),
            clamp=reader.flag("clamp"),
            validation=_validation(reader, budget),
        )
        reader.close()
    return out


def _budget(reader: Reader) -> Budget:
    inner, usual = reader.table("budget"), Budget()
    if inner is None:
        return usual
    parts = {key: inner.number(key) for key in ("query", "person", "table", "period", "most")}
    parts["delta"] = inner.number("delta", least=1e-15, most=1e-3)
    days = inner.whole("period_days", least=1)
    inner.close()
    given = {key: value for key, value in parts.items() if value is not None}
    found = Budget(**given, period_days=days or 0)
    if not 0 < found.query <= found.person <= found.table:
        reader.report(
            "budget",
            "A query may not cost more than a person's budget, nor a person's budget exceed "
            "the table's.",
        )
    if found.most and not found.query <= found.most <= found.person:
        reader.report(
            "budget",
            "The most of a question is between what a query costs and a person's budget.",
            attempt="most = 0.1.",
        )
    if bool(found.period_days) != bool(found.period):
        reader.report("budget", "A period needs its epsilon and its days.", attempt=_PERIOD)
    elif found.period and not _has_room(found, found.period, found.delta):
        reader.report("budget", "A query costs more than a period allows.", attempt=_PERIOD)
    return found


def _validation(reader: Reader, budget: Budget) -> ValidationTerms:
    """A profile whose terms have the table may validate."""
    inner = reader.table("validation")
    if inner is None:
        return ValidationTerms()
    epsilon = inner.number("epsilon") or 0.0
    inner.close()
    least, most = budget.query * LEAST_PART, max(budget.query, budget.most)
    if epsilon and not least <= epsilon <= most:
        reader.report(
            "validation",
            f"A question may have an epsilon between {least:g} and {most:g} under this profile.",
            attempt="an epsilon between these, or another budget.most.",
        )
    return ValidationTerms(allowed=True, epsilon=epsilon)


def _has_room(budget: Budget, epsilon: float, delta: float) -> bool:
    """Whether a question fits into a limit; in rho, a part of a large limit may be above a small
    one."""
    try:
        return budget.question_rho <= rho_of(epsilon, delta / 2)
    except (ValueError, ZeroDivisionError):
        return True  # The budget itself is wrong, and that is reported.


def _check_lifetime(settings: Settings, top: Reader) -> None:
    life = settings.lifetime
    for name, terms in settings.terms.items() if life is not None else ():
        if life is not None and not _has_room(terms.budget, life.epsilon, life.delta):
            top.report(
                "lifetime",
                f"A query under terms.{name} costs more than a lifetime allows.",
                attempt="a smaller query or person there.",
            )


def _lifetime(top: Reader) -> Lifetime | None:
    inner = top.table("lifetime")
    if inner is None:
        return None
    epsilon = inner.number("epsilon", least=1e-6, most=100.0)
    delta = inner.number("delta", least=1e-15, most=1e-3)
    if epsilon is None and "epsilon" not in inner.raw:
        inner.report("epsilon", "It is missing.", attempt="epsilon = 1.0.")
    inner.close()
    usual = Lifetime(epsilon=epsilon or 1.0)
    return usual if delta is None else Lifetime(epsilon=usual.epsilon, delta=delta)


def _bounds(reader: Reader) -> dict[str, tuple[float, float]]:
    out: dict[str, tuple[float, float]] = {}
    given = reader.get("bounds")
    for name, pair in given.items() if isinstance(given, Mapping) else ():
        plain = (
            isinstance(pair, list)
            and len(pair) == 2
            and all(isinstance(n, int | float) and isfinite(n) for n in pair)
        )
        if not plain or not pair[0] < pair[1]:
            reader.report("bounds", f"{name}: two numbers are needed, the smaller first.")
        else:
            out[str(name)] = (float(pair[0]), float(pair[1]))
    return out


def _steps(reader: Reader) -> dict[str, float]:
    given = reader.get("steps")
    out: dict[str, float] = {}
    for name, step in given.items() if isinstance(given, Mapping) else ():
        if isinstance(step, bool) or not isinstance(step, int | float) or not 0 < step < inf:
            reader.report("steps", f"{name}: a number above 0 is needed.")
        else:
            out[str(name)] = float(step)
    return out


def _unreadable(path: Path, found: str) -> PolicyError:
    return PolicyError([Problem(where=path.name, found=found)], name=f"Gate {path.stem}")
