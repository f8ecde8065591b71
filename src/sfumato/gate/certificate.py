"""The gate's certificate: one TLS context for all its doors."""

from __future__ import annotations

import ssl

from sfumato.errors import TargetError

from .settings import Settings


def tls_context(settings: Settings) -> ssl.SSLContext | None:
    """The encryption of both doors; None where there is no certificate."""
    if settings.certificate is None or settings.certificate_key is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(settings.certificate, settings.certificate_key)
    except (OSError, ssl.SSLError) as error:
        raise TargetError(
            "The certificate cannot be used.", found=f"{error.strerror or 'It cannot be read'}."
        ) from None
    return context
