"""Store answers in the library, one row per report, so that they can be listed and shown again."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from fourcorners.errors import ConfigError
from fourcorners.library.database import as_string, in_transaction
from fourcorners.library.store import Library
from fourcorners.library.tables.stored_json import StoredJson
from fourcorners.research.answer import Answer, PreliminaryAnswer, Verdict

_ANSWER: StoredJson[Answer] = StoredJson(Answer)
_IDENTITY = 12  # letters of an answer's id
_LEAST = 4  # letters by which one may be named


@dataclass(frozen=True, slots=True)
class AnswerEntry:
    """An answer in a list; `made` is UTC in ISO 8601.

    `headline` and `unchecked` are those of `PreliminaryAnswer`.
    """

    id: str
    made: str
    question: str
    ruling: Verdict
    made_by: str
    documents: tuple[str, ...]
    headline: str = ""
    unchecked: Verdict | None = None

    @property
    def line(self) -> str:
        answer = PreliminaryAnswer(self.ruling, headline=self.headline, unchecked=self.unchecked)
        return answer.line


@in_transaction
def save_answer(library: Library, answer: Answer) -> str:
    """Store an answer and return its id; the same answer is stored once.

    When a contract that was read for it is removed, the answer is deleted too, because it contains
    its words.
    """
    serialized = _ANSWER.dump(answer)
    identity = sha256(serialized.encode("utf-8", "replace")).hexdigest()[:_IDENTITY]
    library.execute_many(
        "INSERT OR IGNORE INTO research_answers VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                identity,
                answer.made.created,
                answer.asked,
                answer.answer.ruling.value,
                answer.made.by,
                serialized,
            )
        ],
    )
    library.execute_many(
        "INSERT OR IGNORE INTO research_sources VALUES (?, ?)",
        [(identity, source.document) for source in answer.sources],
    )
    return identity


def list_answers(
    library: Library, *, document: str | None = None, limit: int = 100
) -> list[AnswerEntry]:
    """Return stored answers, the newest first; with a document, those for which it was read."""
    rows = library.execute(
        "SELECT a.id, a.made, a.question, a.ruling, a.made_by, (SELECT group_concat(document, ',') "
        "FROM research_sources WHERE answer = a.id), json_extract(a.answer, '$.answer.headline'), "
        "json_extract(a.answer, '$.answer.unchecked') "
        "FROM research_answers a WHERE ?1 IS NULL OR "
        "EXISTS (SELECT 1 FROM research_sources WHERE answer = a.id AND document = ?1) "
        "ORDER BY a.made DESC, a.id LIMIT ?2",
        (document, limit),
    )
    return [
        AnswerEntry(
            as_string(identity),
            as_string(made),
            as_string(question),
            Verdict(as_string(ruling)),
            as_string(made_by),
            tuple(sorted(as_string(documents).split(","))) if documents else (),
            as_string(headline) if headline else "",
            Verdict(as_string(unchecked)) if unchecked else None,
        )
        for identity, made, question, ruling, made_by, documents, headline, unchecked in rows
    ]


def load_answer(library: Library, identity: str) -> Answer:
    """Return a stored answer by its id, or the beginning of its id.

    Raises:
        ConfigError: If no id, or more than one, begins so.
    """
    start = identity.strip().casefold()
    rows = library.execute(
        "SELECT answer FROM research_answers WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2", (start,)
    )
    if len(start) < _LEAST or not rows:
        raise ConfigError(
            f"there is no answer {identity!r}.", remedy="List them: fourcorners answers."
        )
    if len(rows) > 1:
        raise ConfigError(f"several answers begin with {identity!r}.", remedy="Give more of it.")
    return _ANSWER.load(as_string(rows[0][0]))
