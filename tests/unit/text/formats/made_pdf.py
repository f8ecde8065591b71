"""A PDF made by hand: pages with lines of text, comments, fields, properties; small enough to
read."""

from __future__ import annotations

from collections.abc import Sequence


def pdf(
    pages: Sequence[Sequence[str]],
    *,
    comments: Sequence[str] = (),
    fields: Sequence[tuple[str, str]] = (),
    picture: bool = False,
) -> bytes:
    """Comments and fields stand on the first page; `picture` puts a dot on every page."""
    objects: list[str] = [
        "<< /Type /Catalog /Pages 2 0 R ACRO >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    objects.append("<< /Title (Ann) /Author (Ann Lee) /CreationDate (D:20200101) >>")
    dot = (
        "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
        "/BitsPerComponent 8 /Length 1 >>"
    )
    objects.append(f"{dot}\nstream\nA\nendstream")
    notes = [
        f"<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents ({each}) /T (Ann Lee) >>"
        for each in comments
    ]
    box = "/Type /Annot /Subtype /Widget /FT /Tx /Rect [0 0 9 9]"
    notes += [f"<< {box} /T ({name}) /V ({value}) >>" for name, value in fields]
    first = len(objects) + 1
    objects += notes
    refs = " ".join(f"{first + place} 0 R" for place in range(len(notes)))
    filled = " ".join(f"{first + len(comments) + place} 0 R" for place in range(len(fields)))
    objects[0] = objects[0].replace("ACRO", f"/AcroForm << /Fields [{filled}] >>" if fields else "")
    kids: list[str] = []
    for number, lines in enumerate(pages):
        shown = (
            "BT /F1 12 Tf 20 800 Td 14 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        )
        shown += " q 10 0 0 10 0 0 cm /I1 Do Q" if picture else ""
        objects.append(f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream")
        annotated = f"/Annots [{refs}]" if number == 0 and refs else ""
        resources = (
            "/MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> /XObject << /I1 5 0 R "
            ">> >>"
        )
        objects.append(
            f"<< /Type /Page /Parent 2 0 R {resources} /Contents {len(objects)} 0 R {annotated} >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    return _assembled(objects)


def _assembled(objects: Sequence[str]) -> bytes:
    out = "%PDF-1.4\n"
    places: list[int] = []
    for number, each in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return f"{out}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1")
