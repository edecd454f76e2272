"""Words in a document that tell a machine what to answer, as against those that tell the parties.

What is looked for are orders to leave orders aside, addresses, turns of a conversation that is
none, and answers that are none. A contract has no use for any of them.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from fourcorners.review.suspicion.lookalikes import to_plain_text
from fourcorners.text.span import Span, merge_spans

_AROUND = 300  # characters around a rare word in which the patterns are tried
_NEXT = 80  # characters between two orders that are told as one
# A pattern matches nowhere else than near one of these, and to look for them is a thousand times
# faster. They are in small letters.
_RARE = (
    '":', '"found', '"no"', '"none', '"not found', '"nothing', '"yes', "## ", "### ", "':",
    "'not found", "<<", "<instruction", "<untrusted", "ai re", "already approved",
    "already checked", "already confirmed", "already reviewed", "an ai", "anordnung", "anweisung",
    "any ai", "as a finding", "as a risk", "assistant", "automated", "automatic r", "befehl",
    "bypass", "chat bot", "chatbot", "consigne", "developer:", "disregard", "end of context",
    "end of contract", "end of data", "end of document", "end of the context",
    "end of the contract", "end of the data", "end of the document", "endoftext", "eot_id",
    "extraction model", "fenced text", "for ai", "forget", "function_call", "gpt", "header_id",
    "hint:", "if you are an ai", "ignor", "im_end", "im_start", "inst]", "instrucc", "instructies",
    "instruction:", "instructions p", "instruktion", "instruç", "istruzion", "language model",
    "llm", "machine r", "mark all", "mark each", "mark every", "mark these", "mark this",
    "message to ai", "no clause", "no provision", "no risk", "note to ai", "opdracht", "overrid",
    "prompt", "reading model", "review bot", "review engine", "review model", "review software",
    "reviewing", "system message", "system override", "system:", "system>", "system]", "that every",
    "the ai", "the answer", "the output", "the summary", "to ai", "tool_call", "user:",
    "your answer", "your output", "your report", "your review", "your summary", "инструкц",
    "команд", "указани", "‘not found", "“found", "“none", "“not found", "“nothing", "“no”", "“yes",
    "忽略", "无视", "無視",
)  # fmt: skip
_MACHINE = (
    r"(?:AI|LLMs?|language\s+models?|(?:AI|virtual|digital)\s+assistants?|chat\s?bots?|"
    r"(?:the|any|this|an)\s+assistant|GPT|"
    r"(?:automated|automatic|machine|AI)\s+(?:review(?:er|ing)?|reader|system|tool|agent)s?|"
    r"(?:review|reading|extraction)\s+(?:model|bot|software|engine)s?)"
)
_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|other|former|initial|original)"
_ANY = r"(?:(?:all|any|every|each|the|your|of|these|those|its|my|our)\s+){0,4}"
_PATTERNS = (
    # orders to leave orders aside; escrow agents and banks disregard instructions, too, but not
    # at the beginning of a sentence
    (
        rf"(?:^|[.:;!?\"'“(>\]\-–—*#])\s*(?:please\s+|now\s+|you\s+must\s+)?"
        rf"(?:ignore|disregard|forget|override|bypass)\s+{_ANY}(?:{_EARLIER}\s+)?(?:\w+\s+){{0,2}}"
        r"(?:instruction|prompt|guideline|command|directive)s?\b"
    ),
    (
        rf"\b(?:ignore|disregard|forget|override|bypass)\s+{_ANY}(?:{_EARLIER}\s+|system\s+)"
        r"(?:system\s+)?prompts?\b"
    ),
    (
        r"\b(?:ignore|disregard|forget)\s+(?:everything|all(?:\s+of)?(?:\s+that)?)\s+"
        r"(?:you\s+(?:were|have\s+been)\s+told|above\b|before\s+this\b)"
    ),
    # a role, or an address
    rf"\byou\s+are\s+(?:now\s+)?(?:a|an|the|no\s+longer)\s+(?:\w+\s+){{0,2}}{_MACHINE}",
    r"\byour\s+(?:system\s+)?prompt\b|\bsystem\s+(?:prompt|override|message)\s*:",
    rf"\bas\s+an\s+{_MACHINE}\s*,",
    (
        rf"\b(?:note|attention|instruction|message|hint|memo)s?\s*(?:to|for|:)\s*"
        rf"(?:the\s+|any\s+|all\s+|an?\s+)?{_MACHINE}\b"
    ),
    rf"\b(?:dear|hey|attention,?)\s+{_MACHINE}",
    rf"\bif\s+you\s+are\s+(?:an?\s+|the\s+)?{_MACHINE}",
    (
        rf"\b{_MACHINE}\s+(?:must|should|shall|is\s+to|are\s+to|is\s+instructed|are\s+instructed)\s+"
        r"(?:not\s+)?(?:answer|report|reply|respond|output|return|say|state|mark|ignore|quote|skip|"
        r"treat|classify|conclude)"
    ),
    (
        r"\byou\s+are\s+(?:now\s+)?(?:an?|the)\s+(?:unrestricted|unfiltered|uncensored|jailbroken|"
        r"obedient)\s+(?:\w+\s+)?(?:assistant|model|bot|agent)\b"
    ),
    # turns of a conversation that is none; within a line, as a note or a cell has them, few words
    # may follow
    (
        r"(?:[|:.\]]\s*)\b(?:system|assistant|user)\s*:\s*\"?(?:you\s+(?:are|must|will|should)\b|"
        r"ignore\b|disregard\b|answer\s|reply\s|respond\s|find\s+the\b|not\s+found\b)"
    ),
    (
        r"^\s*[\[<(*#]*\s*(?:system|assistant|developer|user)\s*[\])>*]*\s*:\s*\"?(?:you\b|ignore|"
        r"disregard|answer|reply|respond|report|output|mark|the\s+(?:review|answer|task)|new\s|from\s"
        r"|sure|understood|what\s|is\s|find\s|\{|not\s+found|found\b)"
    ),
    (
        r"<\|?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)\|?>|\[/?INST\]|"
        r"<</?SYS>>|^#{2,}\s*(?:instructions?|system|response|assistant)\s*:"
    ),
    r"<<<\s*(?:data|end)\b|</?(?:system|instructions?|tool_call|function_call|untrusted)>",
    (
        r"\b(?:end|beginning)\s+of\s+(?:the\s+)?(?:data|document|contract|context|fenced\s+text)\s*"
        r"[.\]>)\-–—*=]*\s*(?:new|now|system|you|instructions?)\b"
    ),
    # answers that are none
    (
        r"[\"']?(?:found|passages|verdicts|missed|belongs|tool_calls?)[\"']\s*:\s*"
        r"(?:true|false|\[|\{|null)"
    ),
    (
        r"\b(?:answer|reply|respond|output|return|say|report|print)\s*(?:only|simply|just|with|that|"
        r"back)?\s*[:,]?\s*(?:with\s+)?[\"'“‘«](?:not\s+found|found|none|no|yes|nothing|n/?a)\b"
    ),
    (
        r"\b(?:reply|respond|report|answer)\s+(?:only\s+)?that\s+(?:every|no|all|each|the)\s+"
        r"(?:provisions?|clauses?|risks?|terms?)\b.{0,30}\b(?:found|exists?|present|absent|missing)"
    ),
    (
        r"\b(?:do\s+not|don't|never)\s+(?:flag|extract|mention|report|quote|cite|include)\s+(?:this|"
        r"these|any|the)\s+(?:\w+\s+){0,2}(?:clauses?|provisions?|passages?|findings?|risks?)\s+"
        r"(?:in\s+(?:your|the)\s+(?:answer|report|review|output|summary)|as\s+a\s+(?:risk|finding))"
    ),
    (
        r"\bmark\s+(?:this|these|all|every|each)\s+(?:\w+\s+){0,2}(?:contracts?|provisions?|clauses?|"
        r"cells?|findings?)\s+(?:as\s+)?(?:[\"'“]?not\s+found|low\s+risk|no\s+risk|confirmed|reviewed)"
    ),
    (
        r"\b(?:the\s+)?(?:human\s+)?reviewers?\s+(?:has|have)\s+already\s+(?:confirmed|approved|"
        r"checked|reviewed)"
    ),
    # other languages
    (
        r"\bignorier(?:e|en\s+sie)\s+(?:alle\s+|bitte\s+|sämtliche\s+)*"
        r"(?:(?:vorherigen|bisherigen|obigen|früheren|vorangegangenen)\s+)?"
        r"(?:anweisungen|anordnungen|instruktionen|befehle)"
    ),
    r"\b(?:ignore[rz]?|oublie[rz]?)\s+(?:toutes\s+)?(?:les|vos|tes)\s+(?:instructions|consignes)",
    (
        r"\b(?:ignor[ae]r?|olvid[ae])\s+(?:todas\s+)?(?:las|tus|sus|as|suas|le|tutte\s+le)\s+"
        r"(?:instrucciones|instruções|istruzioni)"
    ),
    r"\bnegeer\s+(?:alle\s+)?(?:\w+\s+)?(?:instructies|opdrachten)",
    r"игнорируй(?:те)?\s+(?:все\s+)?(?:\w+\s+)?(?:инструкции|указания|команды)",
    r"(?:忽略|无视|無視).{0,12}(?:指令|指示|说明|說明|提示)|(?:指示|命令|プロンプト).{0,6}無視",
)
_OTHER_LANGUAGES = 6  # of the patterns, the last
_ORDER = re.compile("|".join(f"(?:{each})" for each in _PATTERNS), re.IGNORECASE | re.MULTILINE)
_FOREIGN = re.compile(
    "|".join(f"(?:{each})" for each in _PATTERNS[-_OTHER_LANGUAGES:]), re.IGNORECASE
)
_ENCODED = re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{24,}={0,2}(?![\w+/])")


def find_injections(text: str) -> tuple[Span, ...]:
    """Return the words of a text that are addressed to a machine, in order of position.

    Words in letters that only look like Latin ones count as what they look like, and so does what
    base64 hides.
    """
    seen = to_plain_text(text)
    found = [seen.to_source(span) for span in _matches(_ORDER, seen.text)]
    if seen.text != text:  # other alphabets were taken for Latin: read them as they are, too
        found += _matches(_FOREIGN, text)
    found += [
        Span(*each.span())
        for each in _ENCODED.finditer(text)
        if any(True for _ in _matches(_ORDER, _decoded(each.group())))
    ]
    return tuple(merge_spans((each.strip(text) for each in found), gap=_NEXT))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for window in _windows(text):
        for found in pattern.finditer(text, window.start, window.end):
            if found.group().strip():
                yield Span(*found.span())


def _windows(text: str) -> list[Span]:
    small = text.replace("İ", "I").lower()  # of the same length, but for letters hardly ever used
    found = []
    for word in _RARE:
        at = small.find(word)
        while at >= 0:
            found.append(Span(max(0, at - _AROUND), min(len(text), at + _AROUND)))
            at = small.find(word, at + _AROUND // 2)
    return merge_spans(found)


def _decoded(words: str) -> str:
    whole = words.rstrip("=")
    try:
        return base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
