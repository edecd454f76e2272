"""Check what a playbook says: rules that can never hold, and what its author may not have meant."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fourcorners.errors import name_remedy
from fourcorners.models.verdict_reader.reader import VerdictReader
from fourcorners.outline.card.contract_titles import KINDS
from fourcorners.playbooks.file.schema import (
    PlaybookFile,
    PositionFile,
    ProvisionFile,
    QuestionFile,
    RuleFile,
    SeverityFile,
    WordingFile,
)
from fourcorners.playbooks.file.source import Path, YamlSource
from fourcorners.playbooks.playbook import (
    CARD_ANSWERS,
    PAYER,
    SEAT,
    SUBJECT,
    Extent,
    Playbook,
    Position,
    Provision,
    SeverityRule,
    slot_problem,
)
from fourcorners.search.query.match import is_match, score_text
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from fourcorners.text.values.periods import find_durations

_CLEARLY = 1.5  # times as much as its own query: another provision's that an example looks like


@dataclass(frozen=True, slots=True)
class PlaybookWarning:
    """Something that may be a mistake, with its line and the path of its key."""

    line: int
    path: str
    what: str


def find_warnings(playbook: Playbook, source: YamlSource) -> list[PlaybookWarning]:
    """Return what is doubtful in a playbook, in the order of its file.

    In a playbook that extends another, only what it changes or adds is checked.
    """
    inherited = source.keys.get(("extends",))
    found = [
        PlaybookWarning(source.line(path), source.name(path), what)
        for at, provision in enumerate(playbook.provisions)
        if inherited is None or source.nodes.get(("provisions", at)) is not inherited
        for path, what in _provision_queries(playbook, provision, ("provisions", at))
    ]
    return sorted(found, key=lambda each: each.line)


@dataclass(frozen=True, slots=True)
class OfflineProvision:
    """What the program cannot answer or decide of a provision offline.

    Attributes:
        questions: How many there are.
        unsure: Questions for which the verdict reader is never sure enough.
        unknown: Questions that the verdict reader has not learned.
        severities: How many rules there are.
        undecided: The rules that depend on one of these questions, by number and severity.
    """

    provision: str
    questions: int
    unsure: tuple[str, ...]
    unknown: tuple[str, ...]
    severities: int
    undecided: tuple[str, ...]


def offline_provisions(playbook: Playbook, reader: VerdictReader) -> list[OfflineProvision]:
    return [_offline_provision(each, reader) for each in playbook.provisions]


def _offline_provision(provision: Provision, reader: VerdictReader) -> OfflineProvision:
    limits = {head.question: head.limit for head in reader.heads.get(provision.id, ())}
    card_answer = CARD_ANSWERS[provision.card] if provision.card else None
    left = [
        each.id
        for each in provision.questions
        if limits.get(each.id) is None and not each.card_value and each.answer != card_answer
    ]
    return OfflineProvision(
        provision.id,
        len(provision.questions),
        tuple(each for each in left if each in limits),
        tuple(each for each in left if each not in limits),
        len(provision.severity),
        tuple(
            f"{number} ({rule.severity})"
            for number, rule in enumerate(provision.severity, start=1)
            if not rule.answers.keys().isdisjoint(left)
        ),
    )


def unknown_questions(
    playbook: Playbook, source: YamlSource, offline: Sequence[OfflineProvision]
) -> Iterator[PlaybookWarning]:
    """Yield the questions of a file that the program has not learned to answer."""
    for at, each in enumerate(offline):
        for n, question in enumerate(playbook.provisions[at].questions):
            path = ("provisions", at, "questions", n)
            if question.id in each.unknown and path in source.nodes:
                yield PlaybookWarning(
                    source.line(path),
                    source.name(path),
                    "only a language model or a person answers this question: "
                    "the program has not learned it",
                )


def _provision_queries(
    playbook: Playbook, provision: Provision, path: Path
) -> Iterator[tuple[Path, str]]:
    yield from _names(provision, path)
    yield from _examples(playbook, provision, path)
    yield from _questions(provision, path)
    yield from _order(provision.severity, (*path, "severity"), "rule")
    yield from _order(
        [each for each in provision.positions if each.answers],
        (*path, "positions"),
        "position",
    )
    yield from _types(provision.applies_to, (*path, "applies_to"))
    yield from _types(provision.except_for, (*path, "except_for"))
    for n, question in enumerate(provision.questions):
        yield from _types(question.applies_to, (*path, "questions", n, "applies_to"))
    for key, text in (
        ("name", provision.name),
        ("definition", provision.definition),
        ("query", str(provision.query)),
        ("avoid", str(provision.avoid or "")),
    ):
        for word in sorted(set(_find_mixed_scripts(text))):
            yield (
                (*path, key),
                f"the word {word!r} mixes letters of two scripts that look alike",
            )


def _names(provision: Provision, path: Path) -> Iterator[tuple[Path, str]]:
    known = {provision.id.casefold(), provision.name.casefold()}
    for n, alias in enumerate(provision.aliases):
        if alias.casefold() in known:
            yield (*path, "aliases", n), f"{alias!r} names this provision already"
        known.add(alias.casefold())


def _examples(playbook: Playbook, provision: Provision, path: Path) -> Iterator[tuple[Path, str]]:
    if not provision.examples:
        yield path, "there is no example: the search by meaning starts from the definition"
    indexes = [WordIndex(example) for example in provision.examples]
    missed = [n for n, index in enumerate(indexes) if not is_match(provision.query, index)]
    by_card = provision.card is not None and provision.extent is Extent.FACT
    if indexes and len(missed) == len(indexes) and not by_card:
        yield (*path, "query"), "the query matches none of the provision's own examples"
    for n, index in enumerate(indexes):
        if provision.avoid is not None and is_match(provision.avoid, index):
            yield (*path, "examples", n), "this example contains what is to be avoided"
        own = score_text(provision.query, index)
        other, much = _closest(playbook, provision, index)
        if n in missed and other is not None and much > 0:
            yield (
                (*path, "examples", n),
                f"the query does not match this example, but that of {other.id} does",
            )
        elif other is not None and own and much > _CLEARLY * own:
            yield (
                (*path, "examples", n),
                f"this example looks more like {other.id} ({much:.1f} against {own:.1f})",
            )


def _closest(
    playbook: Playbook, provision: Provision, index: WordIndex
) -> tuple[Provision | None, float]:
    scored = [
        (score_text(each.query, index), each)
        for each in playbook.provisions
        if each.id != provision.id and not (each.avoid is not None and is_match(each.avoid, index))
    ]
    much, best = max(scored, key=lambda each: each[0], default=(0.0, None))
    return best, much


def _questions(provision: Provision, path: Path) -> Iterator[tuple[Path, str]]:
    for n, question in enumerate(provision.questions):
        where = (*path, "questions", n)
        if question.says and "{}" not in question.says:
            yield (*where, "says"), "there is no {} in place of the answer"
        if question.card_value and question.answer not in ("date", "duration"):
            yield (*where, "card_value"), "only a date or a duration is answered by the card"
        if question.says and question.answer in ("yes_no", "one_of"):
            yield (*where, "says"), "each option says how a cell tells it"


def _order(
    listed: Sequence[SeverityRule | Position], path: Path, noun: str
) -> Iterator[tuple[Path, str]]:
    """Yield the rules that an earlier one leaves nothing to."""
    for n, each in enumerate(listed):
        for earlier in listed[:n]:
            if _asked_alike(each, earlier) and _covers(each, earlier):
                yield (
                    (*path, n),
                    f"this {noun} is never reached: an earlier one holds wherever it does",
                )
                break


def _asked_alike(later: SeverityRule | Position, earlier: SeverityRule | Position) -> bool:
    """Tell whether whatever the later is asked of, the earlier is asked of too."""
    if not isinstance(later, SeverityRule) or not isinstance(earlier, SeverityRule):
        return not (earlier.burdens or earlier.favours)
    if (later.ends_within is None) != (earlier.ends_within is None):
        return False
    sooner = (later.ends_within or 0) <= (earlier.ends_within or 0)
    parties = zip((later.burdens, later.favours), (earlier.burdens, earlier.favours), strict=True)
    alike = all(not before or after == before for after, before in parties)
    return later.when == earlier.when and sooner and alike


def _covers(later: SeverityRule | Position, earlier: SeverityRule | Position) -> bool:
    return all(
        asked in later.answers and set(later.answers[asked]) <= set(wanted)
        for asked, wanted in earlier.answers.items()
    )


def _types(applies_to: Iterable[str], path: Path) -> Iterator[tuple[Path, str]]:
    known = {kind.casefold(): kind for kind in KINDS}
    for n, kind in enumerate(applies_to):
        plain = kind.casefold().replace("licence", "license")
        if plain not in known:
            yield (*path, n), f"no contract is of the type {kind!r}. {name_remedy(plain, KINDS)}"


def _find_mixed_scripts(text: str) -> Iterator[str]:
    """Yield the words that hold letters of more than one script, as look-alikes do."""
    for word in text.split():
        scripts = [unicodedata.name(char, "?").split()[0] for char in word if char.isalpha()]
        if any(one != other for one, other in pairwise(scripts)):
            yield word


def check_file(source: YamlSource, content: PlaybookFile) -> None:
    """Note what no single value shows: names used twice, rules that can never hold."""
    if content.drop:
        source.problem(("drop",), "there is nothing to drop: this playbook extends no other")
    names: dict[str, Path] = {}
    for at, provision in enumerate(content.provisions):
        path: Path = ("provisions", at)
        own: dict[str, Path] = {}
        for known, where in (
            (provision.id, (*path, "id")),
            (provision.name, (*path, "name")),
            *((alias, (*path, "aliases", n)) for n, alias in enumerate(provision.aliases)),
        ):
            other = names.get(known.casefold())
            if other is not None:
                line = source.line(other)
                source.problem(where, f"{known!r} already names the provision of line {line}")
            own.setdefault(known.casefold(), where)
        names |= own
        _check_ids(source, (*path, "questions"), "question", provision.questions)
        _check_ids(source, (*path, "rules"), "rule", provision.rules)
        _check_rules(source, path, provision)
        if provision.extent is Extent.FACT and provision.card is None:
            source.problem(
                (*path, "extent"), "a fact needs the key 'card', to say which fact of the card"
            )


def _check_ids(
    source: YamlSource, path: Path, noun: str, listed: Sequence[QuestionFile | RuleFile]
) -> None:
    first: dict[str, int] = {}
    for n, each in enumerate(listed):
        where = (*path, n, "id")
        if each.id in first:
            source.problem(where, f"{each.id!r} already names the {noun} of line {first[each.id]}")
        first.setdefault(each.id, source.line(where))


def _check_rules(source: YamlSource, path: Path, provision: ProvisionFile) -> None:
    always: dict[str, int] = {}
    questions = {each.id: each for each in provision.questions}
    for n, rule in enumerate(provision.severity):
        where = (*path, "severity", n)
        if rule.when in always:
            source.problem(
                where, f"this rule is never reached: that of line {always[rule.when]} always holds"
            )
        if rule.answers and rule.when == "not_found":
            source.problem((*where, "answers"), "where nothing was found no question is answered")
        parties = rule.burdens or rule.favours
        if not rule.answers and not parties and rule.ends_within is None:
            always.setdefault(rule.when, source.line(where))
        _check_answers(source, where, rule.answers, questions)
        _check_parties(source, where, rule, questions)
    for n, question in enumerate(provision.questions):
        _check_party(source, (*path, "questions", n, "whose"), question.whose, questions)
    for n, position in enumerate(provision.positions):
        where = (*path, "positions", n)
        _check_answers(source, where, position.answers, questions)
        _check_parties(source, where, position, questions)
        for key, time in (("under", position.under), ("over", position.over)):
            if time.strip("0123456789.%") and len([*find_durations(time, Span(0, len(time)))]) != 1:
                source.problem((*where, key), "this is to be one period, such as 30 days, or 4%")
        for key in ("about", "not_about", "unless"):
            for fault in filter(None, map(slot_problem, getattr(position, key))):
                source.problem((*where, key), fault)
        if position.wording is not None:
            _check_wording(source, (*where, "wording"), position.wording, questions)


def _check_parties(
    source: YamlSource,
    path: Path,
    given: SeverityFile | PositionFile,
    questions: Mapping[str, QuestionFile],
) -> None:
    for key, asked in (("burdens", given.burdens), ("favours", given.favours)):
        if not (asked in (SUBJECT, PAYER, SEAT) and isinstance(given, PositionFile)):
            _check_party(source, (*path, key), asked, questions)


def _check_party(
    source: YamlSource,
    path: Path,
    asked: str,
    questions: Mapping[str, QuestionFile],
) -> None:
    if asked and (asked not in questions or questions[asked].answer != "party"):
        source.problem(path, f"no question {asked!r} asks for a party")


def _check_wording(
    source: YamlSource,
    path: Path,
    wording: WordingFile,
    questions: Mapping[str, QuestionFile],
) -> None:
    """Note wording that can never be written: slots that do not close, edits without a place."""
    texts = [((*path, "clause"), wording.clause)]
    if wording.add_to and not wording.clause:
        source.problem((*path, "add_to"), "there is no clause to add")
    for n, edit in enumerate(wording.edits):
        where = (*path, "edits", n)
        texts.append(((*where, "words"), edit.words))
        _check_answers(source, where, edit.answers, questions)
        places = (edit.after, edit.replace, edit.at_least or edit.at_most)
        if sum(map(bool, places)) > 1:
            source.problem(where, "give one of: after, replace, a period")
        asked = "amount" if edit.of and edit.words else "duration"
        if bool(edit.of and not edit.words) != bool(edit.at_least or edit.at_most):
            source.problem(where, "a period needs 'of', and one of 'at_least' and 'at_most'")
        elif edit.of and (edit.of not in questions or questions[edit.of].answer != asked):
            source.problem((*where, "of"), f"no question {edit.of!r} asks for such a value")
        if not edit.words and not edit.replace and not edit.of:
            source.problem(where, "there are no words to add")
    for where, text in texts:
        if fault := slot_problem(text):
            source.problem(where, fault)


def _check_answers(
    source: YamlSource,
    path: Path,
    answers: Mapping[str, tuple[str, ...]],
    questions: Mapping[str, QuestionFile],
) -> None:
    """Note answers that no question of the provision can have."""
    for asked, wanted in answers.items():
        question, where = questions.get(asked), (*path, "answers")
        known = ("yes", "no") if question and question.answer == "yes_no" else ()
        options = tuple(question.options) or known if question else ()
        if question is None:
            source.problem(where, f"the provision asks no question {asked!r}")
        for each in wanted:
            if options and each not in options:
                offer = ", ".join(options)
                source.problem(where, f"{asked!r} has no answer {each!r}; it has {offer}")
