"""RO-Crate 1.2 with the Five Safes profile 0.4: the applicant, the project, the policy, and who
signed it off. https://w3id.org/5s-crate/0.4"""

from __future__ import annotations

from typing import Any, Final

from ..application_form import QUESTIONS
from ..applications import Application, ApplicationState, ApplicationStep
from .export import URN, Export, as_json

PROFILE: Final = "https://w3id.org/5s-crate/0.4"
_SAFES: Final = ("projects", "people", "settings", "data", "outputs")
_STATUS: Final = "http://schema.org/"
Entity = dict[str, Any]


def ro_crate(export: Export) -> str:
    """The text of ro-crate-metadata.json for one application."""
    about = export.about()
    checks = _checks(export, about)
    files = _files(export)
    made = _run(export, about, files)
    root: Entity = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{about.name} for {about.group}",
        "description": about.form.purpose,
        "datePublished": about.since[:10],
        "license": {"@id": "#terms"},
        "conformsTo": {"@id": PROFILE},
        "hasPart": [{"@id": _policy(about)}, *({"@id": each["@id"]} for each in files)],
        "mainEntity": {"@id": _policy(about)},
        "mentions": [{"@id": each["@id"]} for each in (made, *checks)],
        "sourceOrganization": {"@id": "#project"},
    }
    graph = [
        {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.2"},
        },
        root,
        {"@id": PROFILE, "@type": "Profile", "name": "Five Safes RO-Crate profile"},
        *_context(export, about),
        made,
        *checks,
        *files,
    ]
    return as_json({"@context": "https://w3id.org/ro/crate/1.2/context", "@graph": graph})


def _policy(about: Application) -> str:
    return f"{URN}policy:{about.policy or about.proposed or 'none'}"


def _person(name: str) -> str:
    return f"#member-{_slug(name)}"


def _slug(name: str) -> str:
    return "".join(
        each if each.isascii() and each.isalnum() else f"-{ord(each):x}-" for each in name
    )


def _context(export: Export, about: Application) -> list[Entity]:
    """People, the project with the answers to the Five Safes, the agreement and the policy."""
    agreed = about.agreement
    decided = (move.author for move in export.moves_about("decision"))
    who = dict.fromkeys((about.applicant, *decided))
    people = [
        {
            "@id": _person(name),
            "@type": "Person",
            "name": name,
            **({"memberOf": {"@id": "#project"}} if name == about.applicant else {}),
            **({"affiliation": {"@id": "#recipient"}} if name == about.applicant else {}),
        }
        for name in who
    ]
    safes = [
        {"@id": f"#safe-{each}", "@type": "PropertyValue", "name": QUESTIONS[each],
         "value": getattr(about.form, each)}
        for each in _SAFES
    ]  # fmt: skip
    return [
        *people,
        {
            "@id": "#project",
            "@type": "Project",
            "name": about.name,
            "description": about.form.purpose,
            "member": {"@id": "#recipient"},
            "identifier": [{"@id": each["@id"]} for each in safes],
        },
        *safes,
        {
            "@id": "#recipient",
            "@type": "Organization",
            "name": agreed.recipient if agreed is not None else about.group,
        },
        {
            "@id": "#origin",
            "@type": "CreativeWork",
            "name": "The data that was asked for",
            "description": about.form.origin,
        },
        {
            "@id": "#terms",
            "@type": "CreativeWork",
            "name": "Terms of use",
            "description": ", ".join(agreed.terms) or "none" if agreed is not None else "none",
            **({"expires": agreed.until, "sha256": agreed.digest} if agreed is not None else {}),
        },
        {
            "@id": _policy(about),
            "@type": "Dataset",
            "name": "The policy by which Sfumato makes the release",
            "description": "Roles of fields, hierarchies and requirements, by its digest.",
            "conformsTo": {"@id": "https://w3id.org/workflowhub/workflow-ro-crate/1.0"},
        },
    ]


def _run(export: Export, about: Application, files: list[Entity]) -> Entity:
    """The requested run: completed where a candidate was delivered, also if it is withdrawn since."""
    delivered, submitted = export.moves_about("delivery"), export.moves_about("submission")
    done = bool(delivered)
    over = about.state in (ApplicationState.REFUSED, ApplicationState.WITHDRAWN)
    ended = delivered or (export.moves_about("decision", "withdrawal") if over else [])
    status = "Completed" if done else "Failed" if over else "Active" if submitted else "Potential"
    return {
        "@id": f"#release-{_slug(about.name)}",
        "@type": "CreateAction",
        "name": f"Make a release for {about.name}",
        "agent": {"@id": _person(about.applicant)},
        "instrument": {"@id": _policy(about)},
        "object": {"@id": "#origin"},
        "actionStatus": f"{_STATUS}{status}ActionStatus",
        **({"startTime": submitted[-1].time} if submitted else {}),
        **({"endTime": ended[-1].time} if ended else {}),
        **({"result": _one([{"@id": each["@id"]} for each in files])} if done and files else {}),
    }


def _checks(export: Export, about: Application) -> list[Entity]:
    """Decisions: on the policy a sign-off, on its result a disclosure check."""
    out: list[Entity] = []
    for move, step in export.decisions():
        approved = move.facts["decision"] == "approve"
        policy = step is ApplicationStep.POLICY
        out.append({
            "@id": f"#decision-{move.number}",
            "@type": "AssessAction",
            "additionalType": {
                "@id": f"https://w3id.org/shp#{'SignOff' if policy else 'DisclosureCheck'}"
            },
            "name": f"{'Sign-off of the policy' if policy else 'Disclosure check of its result'}: "
            f"{'approved' if approved else 'refused'}",
            "description": str(move.facts["reason"]),
            "endTime": move.time,
            "object": [{"@id": "./"}, {"@id": _policy(about)}, {"@id": "#project"}]
            if policy
            else {"@id": "./"},
            **({"instrument": {"@id": "#terms"}} if policy else {}),
            "agent": {"@id": _person(move.author)},
            "actionStatus": f"{_STATUS}{'CompletedActionStatus' if approved else 'FailedActionStatus'}",
        })  # fmt: skip
    return out


def _one(values: list[Entity]) -> Entity | list[Entity]:
    """A single value is not in a list in RO-Crate."""
    return values[0] if len(values) == 1 else values


def _files(export: Export) -> list[Entity]:
    """The files of the release, where its folder was given; each by its digest."""
    if not export.manifest:
        return []
    return [
        {
            "@id": str(table["file"]),
            "@type": "File",
            "name": str(table["file"]),
            "description": "A released table.",
            "contentSize": str(table["bytes"]),
            "sha256": str(table["sha256"]),
            "encodingFormat": "text/csv" if str(table["file"]).endswith(".csv") else "application/octet-stream",
        }
        for table in export.tables().values()
        if "file" in table
    ]  # fmt: skip
