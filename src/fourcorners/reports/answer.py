"""The report to a question, to send: Markdown, HTML, Word, PDF; its table; JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from fourcorners.errors import ConfigError
from fourcorners.reports.answer_layout import AnswerLayout, CitedSentence, lay_out_answer
from fourcorners.reports.lists.answers import write_answer_table
from fourcorners.reports.send import FORMATS, ReportExporter
from fourcorners.reports.tree import (
    Block,
    BulletList,
    FactList,
    Paragraph,
    QuoteBlock,
    Report,
    ReportKind,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    label,
    note,
    row,
)
from fourcorners.reports.writers import markdown
from fourcorners.research.answer import (
    Answer,
    Citation,
    ExternalStatement,
    Gap,
    Role,
    Statement,
    Step,
    Verdict,
    Verification,
)
from fourcorners.work_folder import replace_file

NOTICE: Final = (
    "Made by a program from the contracts' own words; it is no legal advice, and a person who "
    "knows the law should check it before anyone relies on it."
)
_TONES: Final = {
    Verdict.YES: Tone.STRONG,
    Verdict.NO: Tone.STRONG,
    Verdict.SAYS: Tone.STRONG,
    Verdict.DEPENDS: Tone.MEDIUM,
    Verdict.ABSENT: Tone.WARNING,
    Verdict.UNSURE: Tone.WARNING,
}
_UNCHECKED: Final = "unchecked"
_SHORT: Final = 600  # characters of an answer in short
_SUFFIXES: Final = (".docx", ".html", ".json", ".md", ".pdf", ".xlsx")


def write_answer(answer: Answer, path: Path) -> None:
    """Write a report in the format that the suffix of `path` names, whole or not at all.

    Raises:
        ConfigError: If no format has the suffix, the answer has no table to write, or the file
            cannot be written.
    """
    require_suffix(path)
    suffix = path.suffix.lower()
    if suffix in (".json", ".xlsx"):
        write = _write_json if suffix == ".json" else write_answer_table
        replace_file(path, partial(write, answer))
        return
    export: ReportExporter = markdown.export_markdown if suffix == ".md" else FORMATS[suffix].export
    replace_file(path, partial(export, answer_report(answer)))


def require_suffix(path: Path) -> None:
    """Refuse a file's name whose suffix names no format.

    Raises:
        ConfigError: If it is such a name.
    """
    if path.suffix.lower() not in _SUFFIXES:
        what = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise ConfigError(
            f"{path}: no report of an answer has {what}.",
            remedy=f"End the name in {', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]}.",
        )


def _write_json(answer: Answer, path: Path) -> None:
    path.write_text(answer.to_json() + "\n", encoding="utf-8", newline="\n")


def answer_report(answer: Answer) -> Report:
    """Return the report as the tree that all formats draw."""
    laid = lay_out_answer(answer)
    sections = [_question(answer, laid), _preliminary(answer, laid)]
    sections += [_section("contracts", "Each contract", _rows(answer))] if answer.rows else []
    if laid.reasoning:
        sections.append(_section("reasoning", "Reasoning", map(_paragraph, laid.reasoning)))
    sections += [_findings(answer, laid)] if not answer.rows else []
    sections += [_external(answer)] if answer.external else []
    sections += [_gaps(answer), _sources(answer), _record(answer)]
    # A headline says it itself, and more than "cannot tell".
    ruling = [] if answer.answer.headline else [("Answer", answer.answer.ruling_line)]
    made = datetime.fromisoformat(answer.made.created)
    return Report(
        kind=ReportKind.ANSWER,
        title="Answer from the contracts",
        project=answer.title,
        status=status_of(answer),
        facts=(*ruling, ("Prepared by", answer.made.by), ("Made", answer.made.created)),
        notice=NOTICE,
        sections=tuple(sections),
        created=made if made.tzinfo else made.replace(tzinfo=UTC),
        contents=False,
    )


def status_of(answer: Answer) -> str:
    """Return how far the report was checked, in a sentence."""
    counts = answer.counts
    parts = [f"Statements: {counts.verified} with verified quotes, {counts.unverified} unverified"]
    parts += [f"{counts.unchecked} not checked against their quotes"] if counts.unchecked else []
    parts += [f"{counts.searched} checked by a search"] if counts.searched else []
    parts += [f"{counts.dropped} left out, for nothing supports them"] if counts.dropped else []
    stopped = f" Ended before it was done: {answer.stopped}" if answer.stopped else ""
    return f"{'; '.join(parts)}.{stopped}"


def _section(anchor: str, title: str, blocks: Iterable[Block]) -> Section:
    return Section(anchor, title, tuple(blocks), numbered=False)


def _facts(pairs: Iterable[tuple[str, str]]) -> FactList:
    """Return the facts of which anything is said."""
    return FactList(tuple((name, (Run(value),)) for name, value in pairs if value))


def _bullets(items: Iterable[str]) -> BulletList:
    return BulletList(tuple((Run(each),) for each in items))


def _question_facts(answer: Answer) -> FactList:
    """Return the question as it was asked, then as it was understood."""
    understood = answer.question if answer.question != answer.asked else ""
    return _facts([("Question", answer.asked), ("Understood as", understood)])


def _question(answer: Answer, laid: AnswerLayout) -> Section:
    given = _facts([("Context", answer.context), ("Instructions", answer.instructions)])
    blocks: list[Block] = [FactList((*_question_facts(answer).pairs, *given.pairs))]
    if answer.assumptions:
        blocks.append(label("Assumed"))
        blocks.append(_bullets(answer.assumptions))
    if laid.summary:
        blocks += [label("Summary"), _paragraph(laid.summary)]
    return _section("question", "Question and summary" if laid.summary else "Question", blocks)


def _preliminary(answer: Answer, laid: AnswerLayout) -> Section:
    direct = answer.answer
    blocks: list[Block] = [_headline(answer), *_cited_blocks(laid.answer)]
    if direct.because and direct.headline:
        blocks.append(note(f"{direct.confidence:.0%}: {direct.because}."))
    if laid.conditions:
        blocks += [label("What it depends on"), *_cited_blocks(laid.conditions)]
    if laid.readings:
        blocks += [label("How else it may be read"), *_cited_blocks(laid.readings)]
    return _section("answer", "Preliminary answer", blocks)


def _headline(answer: Answer) -> Paragraph:
    direct = answer.answer
    line = Run(direct.line, _TONES[direct.ruling])
    if direct.headline:
        return body(line)
    sure = f". Confidence {direct.confidence:.0%}" if direct.confidence else ""
    return body(line, sure + (f": {direct.because}." if direct.because else "."))


def answer_summary(answer: Answer) -> tuple[Block, ...]:
    """Return the answer in short: its headline, the words behind it, what changes it, what else."""
    direct = answer.answer
    # A model may understand something else than was asked.
    asked = [] if direct.headline else [_question_facts(answer)]
    blocks: list[Block] = [*asked, _headline(answer)]
    if answer.rows:
        return (*blocks, *_rows(answer, is_short=True), *(note(gap.what) for gap in answer.gaps))
    quoted: set[Citation] = set()
    room = _SHORT - len(direct.headline) if direct.headline else None
    more = 0
    for each in (*direct.sentences, *direct.conditions):
        own = [cited for cited in each.quotes if cited not in quoted]
        own = [cited for cited in own if not _is_quoted(cited, direct.headline)]
        if room is not None:
            length = len(each.text) + sum(len(cited.quote.words) for cited in own)
            if not own or (length > room and len(blocks) > 1):
                more += bool(own)
                continue
            room -= length
        if not direct.headline or each.role is not Role.EVIDENCE:
            blocks.append(body(*_sentence(each, short_mark="" if direct.headline else _UNCHECKED)))
        blocks += [_quote(cited) for cited in own]
        quoted |= set(own)
    further = [
        cited
        for each in answer.findings
        for cited in each.quotes
        if cited not in quoted and each not in direct.sentences
    ]
    if further and room is None:
        blocks += [label("See also"), *(_quote(cited) for cited in dict.fromkeys(further))]
    elif further or more:
        blocks.append(note(f"{len(dict.fromkeys(further)) + more} more in the full report."))
    near = [gap.nearest for gap in answer.gaps if gap.nearest is not None]
    if near:
        blocks += [label("The nearest words, which were not taken for an answer")]
        blocks.append(_quote(near[0]))
    blocks += [note(gap.what) for gap in answer.gaps if gap.nearest is None]
    if not direct.headline:
        blocks += map(note, _premises(answer))
    return tuple(blocks)


def _is_quoted(cited: Citation, headline: str) -> bool:
    """Return whether a headline quotes words, without the number of their clause at most."""
    words = " ".join(cited.quote.words.split())
    return words in headline or words.partition(" ")[2] in headline


def _rows(answer: Answer, *, is_short: bool = False) -> Iterator[Block]:
    """Yield the table of the contracts that were asked; in short without the words for a no."""
    rows = tuple(
        row(
            each.title,
            each.state.value,
            each.value,
            f"“{' … '.join(q.quote.words for q in (*each.leads, each.quote))}” ({each.quote.where})"
            if each.quote and not (is_short and each.state == "no")
            else "",
        )
        for each in answer.rows
    )
    heads = ("Contract", "Answer", "Value", "Words")
    yield Table("Each contract", heads, rows, (0.25, 0.1, 0.2, 0.45))


def _premises(answer: Answer) -> Iterator[str]:
    """Yield what an answer in a model's words rests on besides the quotes, each on a line."""
    direct = answer.answer
    shown = (*direct.sentences, *direct.conditions)
    if any(each.standing is Verification.UNCHECKED for each in shown):
        yield f"{_UNCHECKED.capitalize()}: whether it follows from its quotes is left to you."
    for each in answer.reckonings:
        yield f"Calculated: {each}"
    for each in answer.assumptions:
        yield f"Assumed, for nothing was said of it: {each}"
    if answer.stopped:
        yield f"Ended before it was done: {answer.stopped}"


def _findings(answer: Answer, laid: AnswerLayout) -> Section:
    blocks: list[Block] = []
    for group in laid.findings:
        blocks += [label(group.title)] if group.title else []
        blocks += _cited_blocks(group.sentences)
    if answer.reckonings:
        blocks += [label("Calculated"), _bullets(answer.reckonings)]
    if not blocks:
        blocks = [body("There is nothing besides what the answer quotes." if answer.findings
                       else "There are none.")]  # fmt: skip
    return _section("findings", "Findings", blocks)


def _cited_blocks(sentences: Iterable[CitedSentence]) -> Iterator[Block]:
    """Yield sentences, each with the words behind it; words shown before by their number alone."""
    claimed = (Run("given as the contract's words, but not found there"),)
    for each in sentences:
        yield body(*_sentence(each.statement, _numbers(each, without_new=True)))
        yield from (_quote(one.cited, f"[{one.number}] ") for one in each.new)
        yield from (QuoteBlock(claim, claimed, False) for claim in each.statement.claims)


def _paragraph(sentences: Iterable[CitedSentence]) -> Paragraph:
    """Return sentences as running text, each with the numbers of the words behind it."""
    runs: list[Run] = []
    for each in sentences:
        runs += [Run(" ")] if runs else []
        runs += _sentence(each.statement, _numbers(each), short_mark=_UNCHECKED)
    return Paragraph(tuple(runs))


def _numbers(sentence: CitedSentence, *, without_new: bool = False) -> str:
    shown = [each for each in sentence.evidence if not (without_new and each in sentence.new)]
    return "".join(f"[{each.number}]" for each in shown)


def _sentence(statement: Statement, numbers: str = "", *, short_mark: str = "") -> tuple[Run, ...]:
    text = Run(f"{statement.text} {numbers}" if numbers else statement.text)
    if statement.standing is Verification.VERIFIED:
        return (text,)
    if statement.standing is Verification.UNCHECKED:
        return text, Run(f" ({short_mark or statement.problem})", Tone.QUIET)
    if statement.standing is Verification.SEARCHED:
        return text, Run(f" (searched, not found: {statement.problem})", Tone.QUIET)
    return Run("Not verified: ", Tone.WARNING), text, Run(f" ({statement.problem})")


def _quote(cited: Citation, number: str = "") -> QuoteBlock:
    source = f"{number}{cited.name}, {cited.where}"
    return QuoteBlock(cited.quote.words, (Run(source, Tone.QUIET),), cited.quote.verified)


def _external(answer: Answer) -> Section:
    lead = note("By sources outside of the contracts; nothing above rests on them.")
    blocks = [lead, *(block for each in answer.external for block in _outside(each))]
    return _section("external", "Outside of the contracts", blocks)


def _outside(outside: ExternalStatement) -> tuple[Block, ...]:
    parts = [outside.source, outside.where, f"fetched {outside.fetched}", outside.licence]
    source = ", ".join(part for part in parts if part)
    return body(outside.text), QuoteBlock(outside.words, (Run(source, Tone.QUIET),))


def _gaps(answer: Answer) -> Section:
    blocks: list[Block] = []
    for gap in answer.gaps:
        blocks += _gap(gap)
    if answer.not_found:
        blocks += [label("Searched for, not found"), _bullets(answer.not_found)]
    if answer.directions:
        title = "Directions for further research (the model's, unchecked)"
        blocks += [label(title), _bullets(answer.directions)]
    if answer.next_questions:
        blocks += [label("To ask next"), _bullets(answer.next_questions)]
    return _section("gaps", "Gaps and next questions", blocks or [body("None found.")])


def _gap(gap: Gap) -> Iterator[Block]:
    part = f" ({gap.part})" if gap.part else ""
    yield body(Run(gap.what, Tone.WARNING), part)
    if gap.searched:
        yield note(f"Searched: {gap.searched}.")
    if gap.nearest is not None:
        yield note("Closest passage (does not answer):")
        yield _quote(gap.nearest)


def _sources(answer: Answer) -> Section:
    paths = ((each.name, each.path and f" ({each.path})") for each in answer.sources)
    items = tuple((Run(name), Run(path, Tone.QUIET)) for name, path in paths)
    blocks: tuple[Block, ...] = (BulletList(items),) if items else (body("None was read."),)
    return _section("sources", "Contracts that were read", blocks)


def _record(answer: Answer) -> Section:
    made = answer.made
    pairs = [("By", made.by), ("Engine", made.engine)]
    pairs += [(name.capitalize(), value) for name, value in made.settings if value]
    pairs += [("Prompts", ", ".join(f"{name} {key}" for name, key in made.prompts))]
    facts = _facts(pairs)
    table = Table(
        "What was done",
        ("Agent", "Turn", "Did", "Calls", "Tokens", "Cost", "Seconds"),
        (*map(_step, answer.record), _total(answer.record)),
        (0.14, 0.08, 0.36, 0.08, 0.12, 0.1, 0.12),
    )
    blocks: tuple[Block, ...] = (facts, table) if answer.record else (facts,)
    return _section("record", "How it was made", blocks)


def _step(step: Step) -> Row:
    outcomes = {"done": "", "kept": ", from the cache"}
    did = step.did + outcomes.get(step.outcome, f": {step.outcome}")
    tokens = f"{step.tokens_in + step.tokens_out:,}" if step.calls else ""
    cost = _money([step.cost]) if step.calls else ""
    seconds = f"{step.seconds:.1f}"
    return row(step.agent, str(step.turn or ""), did, str(step.calls or ""), tokens, cost, seconds)


def _total(steps: Sequence[Step]) -> Row:
    calls = sum(each.calls for each in steps)
    tokens = sum(each.tokens_in + each.tokens_out for each in steps)
    cost = _money([each.cost for each in steps if each.calls]) if calls else ""
    seconds = f"{sum(each.seconds for each in steps):.1f}"
    return row("Total", "", "", str(calls or ""), f"{tokens:,}" if calls else "", cost, seconds)


def _money(costs: Sequence[float | None]) -> str:
    known = [each for each in costs if each is not None]
    return f"{sum(known):.4f}" if len(known) == len(costs) else "not known"
