"""Sources from an index server on loopback: what it knows, does not know, refuses and fails to say."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from claimlint.audit.retrieval.indexes import DEFAULT_URLS
from tests.pdf_writer import pdf

from .cli import audit_rows, claimlint
from .projects import replay

SOURCES = {
    "known": {"arxiv_id": "2101.00001"},
    "invented": {"doi": "10.5555/invented"},
    "closed": {"source_pointer": "{url}/closed.pdf"},
    "down": {"arxiv_id": "2101.00002"},
    "local": {"arxiv_id": "2101.00003"},
}
FEED = "<feed><entry><id>http://arxiv.org/abs/{0}v1</id></entry></feed>"
ATOM = {"content_type": "application/atom+xml"}


def answer(request: Request, *, healthy: bool) -> Response:
    path, query = request.path, request.query_string.decode()
    if path == "/arxiv/api/query":
        wanted = re.findall(r"id_list=([\d.]+)", query)[0]
        return (
            Response(status=503)
            if wanted == "2101.00002" and not healthy
            else Response(FEED.format(wanted), 200, **ATOM)
        )
    if path == "/arxiv-files/pdf/2101.00001" or (path == "/arxiv-files/pdf/2101.00002" and healthy):
        return Response(pdf([["Page one."], ["Finding of known holds."]]), 200, content_type="application/pdf")
    if path.startswith("/doi/ra/"):
        return Response(
            json.dumps([{"DOI": "x", "status": "DOI does not exist"}]), 200, content_type="application/json"
        )
    if path == "/europepmc/search":
        nothing = {"hitCount": 0, "resultList": {"result": []}}
        return Response(json.dumps(nothing), 200, content_type="application/json")
    if path == "/closed.pdf":
        return Response("pay", 402)
    return Response("not here", 404)


def test_each_answer_of_the_indexes_becomes_its_row(httpserver: HTTPServer, tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    healthy = False

    def counted(request: Request) -> Response:
        asked[request.path] += 1
        return answer(request, healthy=healthy)

    httpserver.expect_request(re.compile(".*")).respond_with_handler(counted)
    url = httpserver.url_for("").rstrip("/")
    urls = "\n".join(f'{name} = "{url}/{name}"' for name in DEFAULT_URLS)
    (tmp_path / "claimlint.toml").write_text(f"[online]\nallow-private = true\n[online.urls]\n{urls}\n", "utf-8")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "local.txt").write_text("Finding of local holds.", "utf-8")
    corpus = [
        {
            "citation_key": key,
            "title": f"Work of {key}",
            "authors": [{"family": "A"}],
            "year": 2021,
            "source_pointer": f"{url}/nothing",
            **{name: value.format(url=url) for name, value in known.items()},
        }
        for key, known in SOURCES.items()
    ]
    passport = tmp_path / "draft.passport.json"
    passport.write_text(json.dumps({"literature_corpus": corpus}), "utf-8")
    sentences = (f"Finding of {key} holds <!--ref:{key}--><!--anchor:quote:Finding-->." for key in SOURCES)
    (tmp_path / "draft.md").write_text("\n\n".join(sentences) + "\n", "utf-8")
    says = "JUDGMENT: SUPPORTED\nRATIONALE: It says so."
    replies = [{"claim_text": f"Finding of {key} holds.", "ref_slug": key, "reply": says} for key in SOURCES]
    backend = replay(tmp_path / "replies.json", replies)
    options = ("check", "draft.md", "--judge", "--online", "--sources", "sources", "--write", "--format", "json")

    ran = claimlint(tmp_path, *options, "--judge-backend", backend, timeout=60)
    methods = {
        row["ref_slug"]: (row["ref_retrieval_method"], row["judgment"], row["rationale"].partition(":")[0])
        for row in audit_rows(passport)
    }
    assert methods["known"][:2] == ("api", "SUPPORTED")
    assert methods["local"][:2] == ("manual_pdf", "SUPPORTED")
    assert methods["invented"][:2] == ("not_found", "RETRIEVAL_FAILED")
    assert methods["closed"][:2] == ("failed", "RETRIEVAL_FAILED")
    assert methods["down"] == ("audit_tool_failure", "RETRIEVAL_FAILED", "retrieval_api_error")
    assert ran.code == 1
    assert ran.report["summary"]["audit"]["complete"] is False
    assert ran.report["summary"]["gate_refuse"] is True
    assert "[HIGH-WARN-FABRICATED-REFERENCE]" in ran.annotations
    assert asked["/arxiv-files/pdf/2101.00003"] == 0, "what lies in a folder is not fetched"

    once = asked["/arxiv-files/pdf/2101.00001"]
    healthy = True
    again = claimlint(tmp_path, *options, "--judge-backend", backend, timeout=60)
    assert again.shown == [each for each in ran.shown if each[0] != "GATE-8"], "only the failure is gone"
    assert again.report["summary"]["audit"]["complete"] is True
    assert (once, asked["/arxiv-files/pdf/2101.00001"]) == (1, 1), "a second run takes the text from the cache"
