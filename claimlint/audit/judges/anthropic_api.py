"""The judge behind the Anthropic API, or an endpoint that speaks it."""

from __future__ import annotations

from importlib import import_module

from claimlint.audit.judges import JudgeOptions, require_library, require_model
from claimlint.audit.judges.client import NO_KEY, ApiJudge, Calls, http_client, limits
from claimlint.audit.judges.wire import Wire, checked_base_url, is_local
from claimlint.audit.types import JudgeFault
from claimlint.errors import UsageError

KEY = "ANTHROPIC_API_KEY"
BASE_URL = "ANTHROPIC_BASE_URL"
OFFICIAL = "https://api.anthropic.com"

MAX_TOKENS = 4096
"""The longest answer that is asked for, in tokens; the API wants a number."""


def open_anthropic(options: JudgeOptions) -> ApiJudge:
    """The judge ``anthropic``; the official endpoint unless another base URL is given.

    Raises UsageError when the model, the library, or the key of a server on the internet is missing.
    """
    model = require_model(options, "anthropic")
    given = options.argument or options.base_url or options.environ.get(BASE_URL) or OFFICIAL
    base_url = checked_base_url(given, "the base URL of the judge anthropic")
    key = options.environ.get(KEY, "").strip()
    if not key and not is_local(base_url):
        raise UsageError(f"the judge anthropic needs a key for {base_url}: set {KEY} in the environment")
    require_library("anthropic", "anthropic")
    wire = Wire(options.timeout, [key])

    def connect() -> Calls:
        sdk = import_module("anthropic")
        client = sdk.Anthropic(
            api_key=key or NO_KEY,
            base_url=base_url,
            http_client=http_client(sdk, wire, options.timeout),
            timeout=limits(sdk, options.timeout),
            max_retries=0,
        )
        calls: Calls = client.messages.with_streaming_response
        return calls

    return ApiJudge(
        name="anthropic",
        model=model,
        base_url=base_url,
        wire=wire,
        connect=connect,
        arguments=lambda prompt: {
            "model": model,
            "max_tokens": MAX_TOKENS,
            "messages": [{"role": "user", "content": prompt}],
        },
        sampling={"temperature": 0},
        text=reply_text,
    )


def reply_text(answer: object) -> str:
    """The text of a message; empty when the model gave none. Raises JudgeFault without content."""
    parts = answer.get("content") if isinstance(answer, dict) else None
    if not isinstance(parts, list):
        raise JudgeFault("judge_api_error", "the answer has no content", transient=True, infrastructure=True)
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))
