"""The example recipient profiles that every policy can name without writing them out."""

from __future__ import annotations

from .records import AccessClass, RecipientProfile

# Linking likelihoods follow Sweeney 1997, section 3.3: 1 for public use, about 0.5 for researchers
# under contract, 0 for the person who cares for the patient.
BUILT_IN: dict[str, RecipientProfile] = {
    profile.name: profile
    for profile in (
        RecipientProfile(
            name="public",
            description="Anyone. May hold registers with every quasi-identifier and has signed nothing.",
            access=AccessClass.PUBLIC,
            default_linking=1.0,
            default_distortion=1.0,
        ),
        RecipientProfile(
            name="contracted-researcher",
            description="A researcher whose contract forbids linking; could, but may not, link.",
            access=AccessClass.SEMI_PRIVATE,
            default_linking=0.5,
            default_distortion=0.5,
        ),
        RecipientProfile(
            name="in-house",
            description="A colleague in another role, under the house's own rules, who may recognise "
            "people.",
            access=AccessClass.PRIVATE,
            default_linking=0.5,
            default_distortion=0.3,
        ),
        RecipientProfile(
            name="care-giver",
            description="Treats these patients and may see their records; nothing is held back from "
            "them.",
            access=AccessClass.PRIVATE,
            default_linking=0.0,
            default_distortion=0.0,
        ),
    )
}
