"""CITE: citation markers in a draft (contract, section 5).

The draft reader pairs refs with anchors and notes every fault once; the rules here word them.
"""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.styles import KINDS, MAX_QUOTE_WORDS
from claimlint.findings import Note, Problem, Severity
from claimlint.rules import rule

_INSTEAD = {
    "table": "page or section, for example <!--anchor:page:N-->",
    "figure": "page or section, for example <!--anchor:page:N-->",
    "equation": "page or section, for example <!--anchor:page:N-->",
    "line": "page or paragraph, for example <!--anchor:page:N-->",
    "abstract": "<!--anchor:section:Abstract-->",
    "chapter": "section",
    "title": "section",
    "text": "quote",
    "para": "paragraph",
    "par": "paragraph",
    "sec": "section",
    "p": "page",
    "pp": "page",
}
_SAME = {"tab": "table", "fig": "figure", "eq": "equation", "lines": "line", "quotation": "text"}


def _problem(note: Note, message: str, cause: str = "") -> Problem:
    return Problem(message, note.source, note.place, cause=cause)


def _instead(kind: str) -> str:
    """What to write instead of a kind that the contract does not have."""
    plain = kind.strip().lower()
    if plain in KINDS:
        return f"write {plain} (kinds are in lower case)"
    if plain.endswith("s") and plain[:-1] in KINDS:
        return f"write {plain[:-1]}"
    known = (
        _INSTEAD.get(plain) or _INSTEAD.get(plain.rstrip("s.")) or _INSTEAD.get(_SAME.get(plain.rstrip("s."), ""))
    )
    return f"write {known}" if known else "write quote, page, section or paragraph (or none)"


@rule("CITE-1", "missing-anchor", on="Note")
def cite_1(note: Note) -> Iterator[Problem]:
    """Every ref has its anchor right behind it.

    Why
        A ref says which source, the anchor says where in it. Without the place nobody can check the claim, and
        the audit records the citation as anchorless, which the gate refuses (R-L3-1-A). White space and blank
        lines may stand between the two; text and other comments part them.

    Bad
        Queues fell by a fifth <!--ref:okafor2024-->.

    Good
        Queues fell by a fifth <!--ref:okafor2024--><!--anchor:page:4-->.

    Fix
        Write the anchor directly behind the ref: <!--anchor:KIND:VALUE--> with the kind quote, page, section or
        paragraph.
    """
    slug, why = note.values["slug"], note.values["cause"]
    cause = why or "no anchor behind it; write <!--anchor:page:N--> (or quote, section, paragraph) right behind it"
    yield _problem(note, f"ref {slug!r}: {cause}", cause)


@rule("CITE-2", "invalid-kind", on="Note")
def cite_2(note: Note) -> Iterator[Problem]:
    """An anchor's kind is quote, page, section, paragraph or none, in lower case.

    Why
        The audit locates a passage by these kinds only. A table or figure stands on a page and in a section, an
        abstract is a section.

    Bad
        Queues fell by a fifth <!--ref:okafor2024--><!--anchor:table:2-->.

    Good
        Queues fell by a fifth <!--ref:okafor2024--><!--anchor:page:4-->.

    Fix
        Write the kind that the message names; `claimlint check --fix` repairs the case.
    """
    kind = note.values["kind"]
    what = f"anchor kind {kind!r} is none of the five" if kind else "the anchor has no kind"
    yield _problem(note, f"{what}; {_instead(kind)}")


@rule("CITE-3", "empty-value", on="Note")
def cite_3(note: Note) -> Iterator[Problem]:
    """An anchor has a value that is not blank once it is URL-decoded.

    Why
        A kind without a value names no place in the source.

    Bad
        Queues fell by a fifth <!--ref:okafor2024--><!--anchor:page:%20-->.

    Good
        Queues fell by a fifth <!--ref:okafor2024--><!--anchor:page:4-->.

    Fix
        Write the value behind the second colon: <!--anchor:page:4-->.
    """
    kind = note.values["kind"]
    if note.values["colon"]:
        yield _problem(note, f"the value of the {kind} anchor is blank; write it: <!--anchor:{kind}:VALUE-->")
    else:
        yield _problem(note, f"the anchor has no second colon; write <!--anchor:{kind or 'KIND'}:VALUE-->")


@rule("CITE-4", "quote-too-long", on="Note")
def cite_4(note: Note) -> Iterator[Problem]:
    """A quote has at most 25 words.

    Why
        A short verbatim quote is found in its source and stays within what may be quoted (R-L3-1-B). Words are
        counted after URL-decoding; where a script sets no blanks between words, as a Unicode word segmenter
        counts them.

    Bad
        Queues fell <!--ref:okafor2024--><!--anchor:quote:all queues at all counters in all towns that took part
        in the first and in the second year of the trial fell by a fifth or more-->.

    Good
        Queues fell <!--ref:okafor2024--><!--anchor:quote:all queues at all counters fell by a fifth or more-->.

    Fix
        Keep the words that carry the claim.
    """
    count = note.values["count"]
    yield _problem(
        note,
        f"the quote has {count} words, at most {MAX_QUOTE_WORDS} are allowed; keep the words that carry the claim",
        f"the quote has more than {MAX_QUOTE_WORDS} words",
    )


@rule("CITE-5", "raw-hyphens", on="Note")
def cite_5(note: Note) -> Iterator[Problem]:
    """Two hyphens in a row inside a quote are encoded.

    Why
        Two hyphens can end a comment early, or make it invalid, in the tools a draft goes through.

    Bad
        Queues fell <!--ref:okafor2024--><!--anchor:quote:a fifth -- or more-->.

    Good
        Queues fell <!--ref:okafor2024--><!--anchor:quote:a fifth %2D%2D or more-->.

    Fix
        Write %2D for each of the hyphens; `claimlint check --fix` does it.
    """
    write = note.values["write"]
    yield _problem(
        note, f"the quote holds -- as it is; write %2D for each hyphen: {write}", "the quote holds -- as it is"
    )


@rule("CITE-6", "premature-close", on="Note")
def cite_6(note: Note) -> Iterator[Problem]:
    """A quote does not hold the end of its own comment.

    Why
        The first --> ends the comment: the rest of the quote shows as text in the paper, and the quote that is
        looked up is cut short.

    Bad
        Queues fell <!--ref:okafor2024--><!--anchor:quote:from long --> to short-->.

    Good
        Queues fell <!--ref:okafor2024--><!--anchor:quote:from long %2D%2D%3E to short-->.

    Fix
        Write %2D%2D%3E for --> inside the quote.
    """
    tail = note.values["tail"]
    yield _problem(
        note,
        f"the quote holds -->, so that {tail!r} shows as text; write %2D%2D%3E for --> inside it",
        "the quote holds -->, so that its tail shows as text",
    )


@rule("CITE-7", "malformed-ref", on="Note")
def cite_7(note: Note) -> Iterator[Problem]:
    """A ref is a slug and at most two status words.

    Why
        A ref that cannot be read names no source: the citation can be neither retrieved nor judged.

    Bad
        Queues fell by a fifth <!--ref:okafor2024 ok A B--><!--anchor:page:4-->.

    Good
        Queues fell by a fifth <!--ref:okafor2024 ok--><!--anchor:page:4-->.

    Fix
        Write <!--ref:SLUG-->, or <!--ref:SLUG STATUS--> with one or two status words. A slug is a letter, then
        letters, digits, `_`, `:` and `-`.
    """
    fault = note.values["fault"]
    yield _problem(note, f"the ref {fault}; write <!--ref:SLUG--> or <!--ref:SLUG STATUS-->")


@rule("CITE-8", "orphan-anchor", on="Note")
def cite_8(note: Note) -> Iterator[Problem]:
    """Every anchor follows its ref.

    Why
        An anchor without a ref names a place in no source: the reader sees no citation, and none is audited.

    Bad
        Queues fell by a fifth <!--anchor:page:4-->.

    Good
        Queues fell by a fifth <!--ref:okafor2024--><!--anchor:page:4-->.

    Fix
        Write <!--ref:SLUG--> right before the anchor, with nothing but white space between, or delete the anchor.
    """
    kind, value = note.values["kind"], note.values["value"]
    cause = "no ref stands right before it; write <!--ref:SLUG--> there, or delete the anchor"
    yield _problem(note, f"anchor {kind}:{value}: {cause}", cause)


@rule("CITE-9", "slug-shape", on="Note")
def cite_9(note: Note) -> Iterator[Problem]:
    """A slug starts with a letter and holds no dot.

    Why
        arXiv ids and section ids make tempting slugs, but the tools that read the markers stop at the dot or
        refuse the digit. The citation key of the corpus has to be renamed with it.

    Bad
        Queues fell by a fifth <!--ref:2301.04567--><!--anchor:page:4-->.

    Good
        Queues fell by a fifth <!--ref:arxiv-2301-04567--><!--anchor:page:4-->.

    Fix
        Write the slug that the message shows, here and as the citation_key.
    """
    slug, write = note.values["slug"], note.values["write"]
    faults = [
        name
        for name, wrong in (("starts with a digit", slug[:1].isdigit()), ("holds a dot", "." in slug))
        if wrong
    ]
    yield _problem(note, f"the slug {slug!r} {' and '.join(faults)}; write {write!r}, also as its citation_key")


@rule("CITE-10", "damaged-marker", on="Note")
def cite_10(note: Note) -> Iterator[Problem]:
    """A marker is written exactly as `<!--ref:SLUG-->` and `<!--anchor:KIND:VALUE-->`, on one line.

    Why
        Formatters and people add blanks, change case, wrap lines, escape brackets and turn hyphens into dashes.
        Other tools do not see such a marker any more, or print it.

    Bad
        Queues fell by a fifth <!-- ref:okafor2024 --><!--anchor:page:4-->.

    Good
        Queues fell by a fifth <!--ref:okafor2024--><!--anchor:page:4-->.

    Fix
        Write the marker that the message shows; `claimlint check --fix` does it.
    """
    cause, verb, write = note.values["cause"], note.values["verb"], note.values["write"]
    shape = "<!--ref:SLUG-->" if verb == "ref" else "<!--anchor:KIND:VALUE-->"
    yield _problem(
        note, f"the {verb} marker is damaged: {cause}; write {write or shape}", f"damaged marker: {cause}"
    )


@rule("CITE-11", "anchorless-citation", Severity.HIGH_WARN, on="Note")
def cite_11(note: Note) -> Iterator[Problem]:
    """A citation names a place in its source.

    Why
        The kind none is allowed while writing. It reaches the audit as a row that the gate refuses, because
        nobody can check a claim against a whole source.

    Bad
        Queues fell by a fifth <!--ref:okafor2024--><!--anchor:none:-->.

    Good
        Queues fell by a fifth <!--ref:okafor2024--><!--anchor:page:4-->.

    Fix
        Write a page, section, paragraph or quote.
    """
    yield _problem(
        note, "the anchor kind is none: the gate will refuse it; write a page, section, paragraph or quote"
    )


@rule("CITE-12", "bad-encoding", Severity.LOW_WARN, on="Note")
def cite_12(note: Note) -> Iterator[Problem]:
    """A percent sign in a value begins a valid sequence.

    Why
        Values are URL-decoded. A stray percent sign is kept as it is by one tool and refused by another.

    Bad
        Queues fell <!--ref:okafor2024--><!--anchor:quote:a fall of 20% in all-->.

    Good
        Queues fell <!--ref:okafor2024--><!--anchor:quote:a fall of 20%25 in all-->.

    Fix
        Write %25 for a percent sign; encode other characters as UTF-8.
    """
    sequence = note.values["sequence"]
    if note.values["bytes"]:
        yield _problem(note, f"{sequence!r} does not decode to UTF-8; encode the characters as UTF-8")
    else:
        yield _problem(
            note, f"{sequence!r} is no percent sequence; write %25 for a percent sign", "no percent sequence"
        )
