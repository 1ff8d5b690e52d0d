"""Recorded replies, and how judges are found by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimlint.audit.judges import JudgeOptions, open_judge
from claimlint.audit.prompt import question
from claimlint.audit.types import JudgeFault, JudgeQuestion
from claimlint.errors import RegistryError, UsageError
from claimlint.plugins import EntryPoint


def asked(
    claim: str = "Costs fell.", slug: str | None = "src", value: str = "2", scope: str | None = None
) -> JudgeQuestion:
    return question(
        claim_text=claim,
        ref_slug=slug,
        anchor_kind="page",
        anchor_value=value,
        excerpt="x",
        constraints=(),
        scoped_manifest_id=scope,
        random_hex=lambda: "ab" * 12,
    )


def replies(tmp_path: Path, *entries: dict[str, object], model: str | None = "recorded") -> object:
    file = tmp_path / "replies.json"
    top: dict[str, object] = {"replies": list(entries)}
    if model is not None:
        top["model"] = model
    file.write_text(json.dumps(top), "utf-8")
    return open_judge(f"replay:{file}", JudgeOptions())


def entry(reply: str, **more: object) -> dict[str, object]:
    return {"claim_text": "Costs fell.", "ref_slug": "src", "reply": reply, **more}


def ask(judge: object, put: JudgeQuestion) -> str:
    found: str = judge.ask(put)  # type: ignore[attr-defined]
    return found


def test_a_reply_is_found_by_claim_and_slug(tmp_path: Path) -> None:
    judge = replies(tmp_path, entry("other", claim_text="x"), entry("other", ref_slug="y"), entry("mine"))
    assert ask(judge, asked()) == "mine"
    assert judge.model == "recorded"  # type: ignore[attr-defined]


def test_white_space_in_a_recorded_claim_does_not_matter(tmp_path: Path) -> None:
    assert ask(replies(tmp_path, entry("mine", claim_text=" Costs\n fell . ")), asked()) == "mine"


def test_an_anchor_value_narrows_a_reply(tmp_path: Path) -> None:
    judge = replies(tmp_path, entry("any"), entry("third", anchor_value="3"))
    assert [ask(judge, asked(value=value)) for value in ("2", "3")] == ["any", "third"]


def test_a_manifest_narrows_a_reply_on_a_sentence(tmp_path: Path) -> None:
    judge = replies(
        tmp_path,
        entry("one", ref_slug=None, scoped_manifest_id="M-1"),
        entry("two", ref_slug=None, scoped_manifest_id="M-2"),
    )
    assert [ask(judge, asked(slug=None, scope=scope)) for scope in ("M-1", "M-2")] == ["one", "two"]


def test_of_equal_replies_the_first_counts(tmp_path: Path) -> None:
    assert ask(replies(tmp_path, entry("first"), entry("second")), asked()) == "first"


def test_a_recorded_fault_is_raised(tmp_path: Path) -> None:
    recorded = {
        "claim_text": "Costs fell.",
        "ref_slug": "src",
        "fault": "judge_timeout",
        "detail": "no answer in 30 s",
    }
    with pytest.raises(JudgeFault) as caught:
        ask(replies(tmp_path, recorded), asked())
    assert (caught.value.fault, caught.value.detail) == ("judge_timeout", "no answer in 30 s")


@pytest.mark.parametrize("put", [asked(claim="x"), asked(slug="y"), asked(slug=None), asked(value="9")])
def test_a_citation_without_a_recorded_reply_is_an_api_error(tmp_path: Path, put: JudgeQuestion) -> None:
    with pytest.raises(JudgeFault) as caught:
        ask(replies(tmp_path, entry("mine", anchor_value="2")), put)
    assert (caught.value.fault, caught.value.infrastructure) == ("judge_api_error", False)


def test_the_model_can_be_named_from_outside(tmp_path: Path) -> None:
    replies(tmp_path, entry("x"))
    assert open_judge(f"replay:{tmp_path / 'replies.json'}", JudgeOptions(model="m")).model == "m"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON"),
        ("[]", "must hold"),
        ('{"replies": {}}', "must hold"),
        ('{"replies": [], "model": 3}', "must hold"),
        ('{"replies": [1]}', "no claim_text"),
        ('{"replies": [{"claim_text": "x", "reply": "y", "slug": "z"}]}', "unknown key 'slug'"),
        ('{"replies": [{"claim_text": "x", "reply": 3}]}', "reply is no string"),
        ('{"replies": [{"claim_text": "x"}]}', "either a reply or a fault"),
        (
            '{"replies": [{"claim_text": "x", "reply": "y", "fault": "judge_timeout"}]}',
            "either a reply or a fault",
        ),
        ('{"replies": [{"claim_text": "x", "fault": "tired"}]}', "no fault"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "replies.json"
    file.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=words):
        open_judge(f"replay:{file}", JudgeOptions())


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("replay", "needs a file"),
        ("replay:/no/such/file", "^/no/such/file: the replay file cannot be used: no such file"),
    ],
)
def test_a_missing_file_is_refused(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        open_judge(spec, JudgeOptions())


# --- judges by name


@pytest.mark.parametrize("spec", [None, "", "  ", ":x"])
def test_without_a_judge_the_three_shortest_ways_are_shown(spec: str | None) -> None:
    with pytest.raises(UsageError, match="three shortest ways") as caught:
        open_judge(spec, JudgeOptions())
    assert all(word in str(caught.value) for word in ("Ollama", "ANTHROPIC_API_KEY", "command:PROGRAM"))


def test_an_unknown_judge_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="did you mean openai"):
        open_judge("openia", JudgeOptions())
    with pytest.raises(UsageError, match="known: anthropic, command, openai, replay"):
        open_judge("xyz", JudgeOptions())


class Oracle:
    name = "oracle"
    model = "delphi"

    def __init__(self, options: JudgeOptions) -> None:
        self.options = options

    def ask(self, question: JudgeQuestion) -> str:
        return self.options.argument


NOT_CALLABLE = 3


def no_judge(_options: JudgeOptions) -> object:
    return object()


def install(monkeypatch: pytest.MonkeyPatch, attribute: str) -> None:
    point = EntryPoint("oracle", f"{__name__}:{attribute}", "plugin")
    monkeypatch.setattr(
        "claimlint.plugins.entry_points", lambda group: (point,) if group == "claimlint.judges" else ()
    )


def test_a_plugin_adds_a_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "Oracle")
    assert open_judge("oracle:at dawn", JudgeOptions()).ask(asked()) == "at dawn"


@pytest.mark.parametrize(
    ("attribute", "words"), [("NOT_CALLABLE", "not callable"), ("no_judge", "does not return a judge")]
)
def test_a_plugin_that_breaks_the_contract_is_refused(
    monkeypatch: pytest.MonkeyPatch, attribute: str, words: str
) -> None:
    install(monkeypatch, attribute)
    with pytest.raises(RegistryError, match=words):
        open_judge("oracle", JudgeOptions())
