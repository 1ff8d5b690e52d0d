"""A tiny writer of PDF files for the tests: pages of lines, page labels, and the faults that readers meet."""

from __future__ import annotations

from collections.abc import Sequence

Page = Sequence[str]


def pdf(
    pages: Sequence[Page],
    *,
    labels: str = "",
    declared: int | None = None,
    encrypted: bool = False,
    version: bytes = b"1.4",
) -> bytes:
    """A PDF of the given pages, each a sequence of lines (Latin-1, Helvetica, 14 points apart).

    ``labels`` is the value of ``/PageLabels`` ``/Nums``; ``declared`` the page tree's ``/Count`` (default: the
    truth); ``encrypted`` adds a password that nobody knows.
    """
    numbers = range(4, 4 + 2 * len(pages), 2)
    kids = " ".join(f"{number} 0 R" for number in numbers)
    label_entry = f" /PageLabels << /Nums [{labels}] >>" if labels else ""
    objects = {
        1: f"<< /Type /Catalog /Pages 2 0 R{label_entry} >>".encode(),
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages) if declared is None else declared} >>".encode(),
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    for number, lines in zip(numbers, pages, strict=True):
        shown = "\n".join(f"({_escaped(line)}) Tj T*" for line in lines)
        content = f"BT /F1 11 Tf 72 720 Td 14 TL\n{shown}\nET".encode("cp1252")
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {number + 1} 0 R >>"
        ).encode()
        objects[number + 1] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)
    trailer = b""
    if encrypted:
        locked = max(objects) + 1
        objects[locked] = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"ab" * 32, b"cd" * 32)
        trailer = b" /Encrypt %d 0 R /ID [<00> <00>]" % locked
    return assembled(objects, trailer, version)


def assembled(objects: dict[int, bytes], trailer: bytes = b"", version: bytes = b"1.4") -> bytes:
    """The file of numbered objects, of which 1 is the catalogue."""
    out = b"%PDF-" + version + b"\n%\xe2\xe3\xcf\xd3\n"
    offsets: list[int] = []
    for number in sorted(objects):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table = len(out)
    rows = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, rows)
    return out + b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        trailer,
        table,
    )


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
