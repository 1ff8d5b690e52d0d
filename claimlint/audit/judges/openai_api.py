"""The judge behind an OpenAI-compatible endpoint: hosted ones, Ollama, llama.cpp, vLLM."""

from __future__ import annotations

from importlib import import_module

from claimlint.audit.judges import JudgeOptions, require_library, require_model
from claimlint.audit.judges.client import NO_KEY, ApiJudge, Calls, http_client, limits
from claimlint.audit.judges.wire import Wire, checked_base_url, is_local
from claimlint.audit.types import JudgeFault
from claimlint.errors import UsageError

KEY = "OPENAI_API_KEY"
BASE_URL = "OPENAI_BASE_URL"


def open_openai(options: JudgeOptions) -> ApiJudge:
    """The judge ``openai``; its base URL is always given, so that no text goes where nobody meant it to.

    Raises UsageError when the model, the base URL, the library, or the key of a server on the internet is
    missing.
    """
    model = require_model(options, "openai")
    given = options.argument or options.base_url or options.environ.get(BASE_URL)
    if not given:
        raise UsageError(
            f"the judge openai needs a base URL: base-url under [tool.claimlint.judge] or {BASE_URL}; "
            "for example https://api.openai.com/v1, or http://localhost:11434/v1 for Ollama"
        )
    base_url = checked_base_url(given, "the base URL of the judge openai")
    key = options.environ.get(KEY, "").strip()
    if not key and not is_local(base_url):
        raise UsageError(f"the judge openai needs a key for {base_url}: set {KEY} in the environment")
    require_library("openai", "openai")
    wire = Wire(options.timeout, [key])

    def connect() -> Calls:
        sdk = import_module("openai")
        client = sdk.OpenAI(
            api_key=key or NO_KEY,
            base_url=base_url,
            http_client=http_client(sdk, wire, options.timeout),
            timeout=limits(sdk, options.timeout),
            max_retries=0,
        )
        calls: Calls = client.chat.completions.with_streaming_response
        return calls

    return ApiJudge(
        name="openai",
        model=model,
        base_url=base_url,
        wire=wire,
        connect=connect,
        arguments=lambda prompt: {"model": model, "messages": [{"role": "user", "content": prompt}]},
        sampling={"temperature": 0, "seed": options.seed},
        text=reply_text,
    )


def reply_text(answer: object) -> str:
    """The text of a chat completion; empty when the model gave none. Raises JudgeFault without a choice."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise JudgeFault("judge_api_error", "the answer has no choices", transient=True, infrastructure=True)
    content = message.get("content")
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
