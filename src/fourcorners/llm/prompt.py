"""Prompts as files: with a version, a hash, and a list of what may be put into them.

A prompt's file is YAML:

    id: name                the file's own name
    version: 1              raised whenever the words change
    role: extract           whose model it is for, if the caller does not say
    description: one line
    values:                 what the templates may name, and how each must come
      question: plain       words of the user or the program: they may instruct
      clauses: fenced       words of documents: `QuotedText`, or lists and mappings of them
      contract: mixed       a structure of both
    answer: Findings        the schema's name, for the reader; text if there is none
    expected_tokens: 400    of an answer, for estimates
    most_tokens: 3000       of an answer; by default as many as the model is allowed
    system: |               Jinja templates, run in a sandbox
    user: |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.llm.exchange import Message, PromptId, Role, Speaker

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

Value: TypeAlias = (
    "str | int | float | bool | QuotedText | Sequence[Value] | Mapping[str, Value] | None"
)

BUILTIN = Path(__file__).parent / "prompts"
MAX_BYTES = 200_000  # of a prompt's file
_FENCE = "fence"


class Kind(StrEnum):
    PLAIN = "plain"
    FENCED = "fenced"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as its file has it.

    Attributes:
        answer: The name of the answer's schema; `text` if it has none.
        expected_tokens: Of a usual answer.
        most_tokens: Of an answer; None for as many as the model is allowed.
    """

    id: PromptId
    role: Role
    description: str
    system: str = field(repr=False)
    user: str = field(repr=False)
    values: Mapping[str, Kind]
    answer: str = "text"
    expected_tokens: int = 400
    most_tokens: int | None = None

    def messages(self, values: Mapping[str, Value]) -> tuple[Message, ...]:
        """Return the messages with the values in their places.

        Where a value is fenced, the system's message ends with the rule on fenced text.

        Raises:
            ConfigError: If a value is missing, unknown or not of its kind, or the template fails.
        """
        self._require(values)
        rendered = {name: _render_value(value) for name, value in values.items()}
        system = self._fill_template(self.system, rendered)
        if any(isinstance(each, QuotedText) for each in _leaves(values)):
            rule = load_prompt(_FENCE).system.strip()
            system = f"{system}\n\n{rule}".strip()
        found = [Message(Speaker.SYSTEM, system)] if system else []
        return (*found, Message(Speaker.USER, self._fill_template(self.user, rendered)))

    def _fill_template(self, template: str, values: Mapping[str, object]) -> str:
        from jinja2 import TemplateError

        try:
            return _environment().from_string(template).render(values).strip()
        except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
            raise ConfigError(
                f"the prompt {self.id} cannot be filled in: {type(error).__name__}.",
                remedy="Correct the template in its file.",
            ) from None

    def _require(self, values: Mapping[str, Value]) -> None:
        missing = sorted(self.values.keys() - values.keys())
        unknown = sorted(values.keys() - self.values.keys())
        if missing or unknown:
            what = f"lacks {', '.join(missing)}" if missing else f"has no {', '.join(unknown)}"
            raise ConfigError(
                f"the prompt {self.id} {what}.",
                remedy="Name the same values in its file, under `values`, and in the call.",
            )
        unfit = {Kind.PLAIN: QuotedText, Kind.FENCED: str}
        for name, kind in self.values.items():
            if any(isinstance(each, unfit.get(kind, ())) for each in _leaves(values[name])):
                wrong = "words of a document without a fence" if kind is Kind.FENCED else "a fence"
                raise ConfigError(
                    f"{name} of the prompt {self.id} is {kind.value}, and was given {wrong}.",
                    remedy="Give words of documents as QuotedText(text, label), and no others.",
                )


def load_prompt(name: str, *, folder: Path | None = None) -> Prompt:
    """Return a prompt: of the user's folder if there is one of the name, else of the package.

    Raises:
        ConfigError: If there is none, or its file does not hold the form.
    """
    if not name.replace("_", "").replace("-", "").isalnum():
        raise ConfigError(
            f"{name!r} is not a valid prompt name.", remedy="Use letters, digits, - _."
        )
    if folder is not None:
        if not folder.is_dir():
            raise ConfigError(
                f"there is no folder of prompts at {folder}.", remedy="Correct prompts under [llm]."
            )
        own = folder / f"{name}.yaml"
        if own.is_file():
            return _read(own)
    path = BUILTIN / f"{name}.yaml"
    if not path.is_file():
        raise ConfigError(
            f"there is no prompt {name!r}.", remedy=f"Known are {', '.join(prompt_names())}."
        )
    return _read_builtin(path)


def prompt_names() -> list[str]:
    return sorted(path.stem for path in BUILTIN.glob("*.yaml"))


def _read(path: Path) -> Prompt:
    import yaml
    from jinja2 import TemplateSyntaxError
    from pydantic import BaseModel, ConfigDict, Field, ValidationError

    class PromptFile(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=False, hide_input_in_errors=True)

        id: str
        version: int = Field(ge=1)
        role: Role
        description: str = ""
        values: dict[str, Kind] = Field(default_factory=dict)
        answer: str = "text"
        expected_tokens: int = Field(default=400, ge=1)
        most_tokens: int | None = Field(default=None, ge=1)
        system: str = ""
        user: str

    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError(f"{path} is too long for a prompt.", remedy="Make it shorter.")
        file = PromptFile.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} cannot be read: {error}.", remedy="Correct the YAML.") from None
    except ValidationError as error:
        fault = error.errors(include_input=False)[0]
        where = ".".join(str(step) for step in fault["loc"]) or "it"
        raise ConfigError(
            f"{path} is not a prompt: {where}: {fault['msg']}.", remedy="Correct it."
        ) from None
    if file.id != path.stem:
        raise ConfigError(
            f"{path} says it is the prompt {file.id!r}.", remedy="Give file and id one name."
        )
    for template in (file.system, file.user):
        try:
            _environment().parse(template)
        except TemplateSyntaxError as error:
            raise ConfigError(
                f"{path} has a damaged template: {error.message} (line {error.lineno} of it).",
                remedy="Correct it.",
            ) from None
    content = json.dumps(file.model_dump(mode="json", exclude={"description"}), sort_keys=True)
    digest = sha256(content.encode()).hexdigest()[:16]
    identity = PromptId(file.id, file.version, digest)
    return Prompt(identity, **file.model_dump(exclude={"id", "version"}))


_read_builtin = cache(_read)


@cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )


def _render_value(value: Value) -> object:
    """Return a value as templates see it: fenced words as the string with its marks."""
    if isinstance(value, QuotedText):
        return quote_text(value)
    if isinstance(value, Mapping):
        return {name: _render_value(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_render_value(each) for each in value]
    return value


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


_OPEN, _CLOSE = "<<<", ">>>"
_BRACKETS = "<>＜＞﹤﹥〈〉⟨⟩《》«»‹›≪≫⋘⋙"  # and what models take for them
_NOTHING = r"[\s\u200b-\u200f\u2060-\u2064\ufeff]*"  # what no person sees between two brackets
_NO_BRACKETS = str.maketrans("", "", _BRACKETS + '"')
_LOOKALIKE = re.compile(rf"[{_BRACKETS}](?:{_NOTHING}[{_BRACKETS}]){{2,}}|[⋘⋙]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls, but for tab and ends of lines
    "\u202a-\u202e\u2066-\u2069"  # directions that show a line in another order
    "\U000e0000-\U000e0fff"  # tags and variation selectors, which can spell hidden words
    "\ud800-\udfff\ufff9-\ufffb]"
)


@dataclass(frozen=True, slots=True)
class QuotedText:
    """Words that are data in a prompt, whatever they say.

    Attributes:
        label: What they are, in a few words that the program chose: "contract", "clause 3".
    """

    text: str = field(repr=False)
    label: str = "contract"

    def __str__(self) -> str:
        return quote_text(self)


def quote_text(words: QuotedText) -> str:
    inside = neutralise(words.text)
    label = " ".join(neutralise(words.label).translate(_NO_BRACKETS).split())[:120].strip()
    mark = quote_mark(words)
    return f'{_OPEN}data {mark} "{label}"{_CLOSE}\n{inside}\n{_OPEN}end {mark}{_CLOSE}'


def quote_mark(words: QuotedText) -> str:
    """Return the mark of these words: the same for the same words and label."""
    content = f"{words.label}\0{words.text}".encode("utf-8", "surrogatepass")
    return sha256(content).hexdigest()[:24]


def neutralise(text: str) -> str:
    """Return a text without unseen characters, and with runs of three brackets spaced out."""
    seen = _UNSEEN.sub("", text)
    return _LOOKALIKE.sub(lambda found: _spaced(found.group()), seen)


def _spaced(run: str) -> str:
    single = run.replace("⋘", "<<<").replace("⋙", ">>>")
    return "·".join(each for each in single if each in _BRACKETS) + "·"
