"""The port to language models: prompts as files, usage and cost, limits, record and replay.

No model is configured by default, and then nothing is ever called. A room asks through a `Port`:

    with open_port(settings.llm, cache=…, ledger=…, job="review 12") as port:
        if port.has(Role.EXTRACT):
            reply = port.ask("extract", {"clauses": QuotedText(text)}, Findings)

- `Port.ask(prompt, values, answer)` returns a `Reply` whose `value` is an `answer`, or raises.
- `Port.ask_many(asks)` yields an `Outcome` for each `PromptRequest` as it ends, errors included.
- `Port.stream(prompt, values)` returns a `Stream` of words as they come, with a `reply` at the end.
- `Port.estimate(prompt, values, answer)` says what a question would use; nothing is sent.
- `Port.for_job(name, budget)` is the same port with a separate budget.
- `Prompt`s are files (`load_prompt`); words of documents go into them as `QuotedText`, as data.
- `Cache` and `Ledger` are what the port needs to be given; `MemoryCache` and `MemoryLedger` are
  such, for one process.
- `Recorder` and `Replay` record exchanges and answer from them; `FakeModel` is for tests.
- Errors are an `LlmError` (refused, timed out, unreachable, rejected, unparsable, not
  recorded), `BudgetExceeded`, or a `ConfigError` such as `LlmNotConfigured`.

Importing this room takes neither pydantic-ai nor pydantic; only a configured model does.
"""

from fourcorners.llm.configure import is_configured, open_port
from fourcorners.llm.exchange import (
    AttemptError,
    Finish,
    Options,
    Request,
    Response,
    Role,
    Speaker,
)
from fourcorners.llm.ledger import (
    Budget,
    Cache,
    Ledger,
    MemoryCache,
    MemoryLedger,
    Spending,
    total_spending,
)
from fourcorners.llm.limits import fixed_price
from fourcorners.llm.offline import FakeModel, Recorder, Replay
from fourcorners.llm.port.port import Port, Stream
from fourcorners.llm.prompt import Prompt, QuotedText, Value, load_prompt
from fourcorners.llm.reply import Estimate, Outcome, PromptRequest, Reply

__all__ = [
    "AttemptError",
    "Budget",
    "Cache",
    "Estimate",
    "FakeModel",
    "Finish",
    "Ledger",
    "MemoryCache",
    "MemoryLedger",
    "Options",
    "Outcome",
    "Port",
    "Prompt",
    "PromptRequest",
    "QuotedText",
    "Recorder",
    "Replay",
    "Reply",
    "Request",
    "Response",
    "Role",
    "Speaker",
    "Spending",
    "Stream",
    "Value",
    "fixed_price",
    "is_configured",
    "load_prompt",
    "open_port",
    "total_spending",
]
