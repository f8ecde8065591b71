"""The fields of a policy that are released, and those that are released encrypted."""

from __future__ import annotations

from .records import Method, Policy
from .roles import Role


def encrypted_fields(policy: Policy) -> frozenset[str]:
    """Fields that a step encrypts."""
    return frozenset(
        name for step in policy.steps if step.declaration.encrypts for name in step.fields
    )


def is_released(policy: Policy, name: str) -> bool:
    """Whether a field of a single table is in the release. A direct identifier is only if it is
    replaced or encrypted, text only if it is scrubbed."""
    field = policy.fields.get(name)
    if field is None:
        return False
    if field.role is Role.TEXT:
        removed = field.replace is not None and field.replace.method is Method.REMOVE
        return policy.channels is None and not removed
    if policy.channels is not None and name in (
        *policy.channels.identifiers,
        *policy.channels.confidential_names,
    ):
        return name in policy.channels.identifiers
    removed = field.replace is None or field.replace.method is Method.REMOVE
    return not (field.role is Role.DIRECT and removed and name not in encrypted_fields(policy))
