"""Reading takes time linear in the text, whatever the text.

Each hostile text below would take many seconds if anything about it were quadratic; it has two seconds of CPU,
several times what it needs.
"""

from __future__ import annotations

from time import process_time

import pytest

from claimlint.documents.draft_reader import read_draft
from claimlint.documents.source import TextSource
from claimlint.fix import fix

LIMIT = 10.0
N = 30_000
AZ = "abcdefghijklmnopqrstuvwxyzABCDEF"
CLAIM = "Queues fell by {0}% in town {0} <!--ref:okafor{0}--><!--anchor:page:{0}-->."

HOSTILE = {
    "open brackets": "[" * N,
    "open brackets in lines": "[\n" * N,
    "closed brackets": "[" * N + "]" * N,
    "open links": "[a](" * N,
    "link titles": '](a "' * N,
    "open parentheses": "(a. B " * N,
    "quote marks": ">" * N,
    "quote prefixes": "> " * N + "x",
    "lazy lines": ">" * 200 + "a\n" + "b\n" * N,
    "list marks on a line": "- " * N,
    "nested lists": "\n".join("  " * level + "- x" for level in range(1000)),
    "blank lines in nested lists": "- " * 70 + "x\n" + "\n" * N,
    "open comments": "a <!-- " * N,
    "open comments at line starts": "<!-- a\n\n" * N,
    "an open comment of 3 MB": "<!-- " + "x y\n" * 750_000,
    "an open comment of 3 MB in a paragraph": "a <!-- " + "x y " * 750_000,
    "an open fence of 3 MB": "```\n" + "x y\n" * 750_000,
    "fences in lists": "- ```\n" * 10_000,
    "ticks of many lengths": "".join("`" * (length % 300 + 1) + " " for length in range(3000)),
    "dollars": "$x " * N,
    "escaped dollars": "$$\\" * N,
    "open tags": "<a " * N,
    "open formulas": "\\( \\begin{a} " * N,
    "open formulas and one far end": "\\( " * N + "<!--x--> \\)",
    "open formulas of many names": "".join(f"\\begin{{{a}{b}{c}}}" for a in AZ for b in AZ for c in AZ),
    "open refs": "<!--ref:x " * N,
    "open refs and one far end": "<!--ref:x " * N + "-->",
    "refs without anchors": "<!--ref:x-->" * N,
    "escaped refs": "&lt;!--ref:x " * N,
    "quotes with arrows": "<!--anchor:quote:a--> --> " * N,
    "open notes": "a.^[" * N,
    "open citations": "a. [@" * N,
    "quotation marks": '"a. ' * N,
    "initials": "A. " * 60_000,
    "stops": "." * 300_000,
    "addresses": "http://" * N,
    "closing parentheses of an address": "http://a" + ")" * N,
    "pipes": "|" * N + "\n|-|\n",
    "table rows": "|a|b|\n|-|-|\n" + "|a|b|\n" * 10_000,
    "definitions": "[a]: b\n" * N,
    "footnotes": "[^a]: b\n\n" * 10_000,
    "headings": "# a\n" * 10_000,
    "underlined headings": "a\n-\n" * 10_000,
    "divs": "::: {a}\nb\n\n" * N,
    "tabs": "\t" * N + "x",
    "Chinese": "这是第一句。" * 50_000,
    "one long word": "a" * 1_000_000,
    "one claim a paragraph": "\n\n".join(CLAIM.format(number) for number in range(10_000)),
    "claims on one line": " ".join(CLAIM.format(number) for number in range(10_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_read_in_linear_time(name: str) -> None:
    source = TextSource("draft.md", HOSTILE[name])
    before = process_time()
    read = read_draft(source)
    assert process_time() - before < LIMIT
    assert len(read.prose) == len(source.text)


@pytest.mark.parametrize("name", ["open refs", "refs without anchors", "escaped refs", "quotes with arrows"])
def test_repairs_take_linear_time(name: str) -> None:
    before = process_time()
    assert fix(HOSTILE[name]).edits == ()
    assert process_time() - before < LIMIT
