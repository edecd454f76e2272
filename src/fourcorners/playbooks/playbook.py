"""`Playbook` and `Provision`: what to look for in a contract, as values."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Literal, TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.search.query import Query

When: TypeAlias = Literal["found", "not_found"]
Level: TypeAlias = Literal["high", "medium", "low", "none"]


class Extent(StrEnum):
    """How much of the contract answers a provision."""

    SENTENCE = "sentence"
    CLAUSE = "clause"
    FACT = "fact"  # the words of a fact of the contract card, where the card has it


class CardField(StrEnum):
    """A fact of the contract card that speaks for a provision."""

    TITLE = "title"
    PARTIES = "parties"
    AGREEMENT_DATE = "agreement_date"
    EFFECTIVE_DATE = "effective_date"
    EXPIRY_DATE = "expiry_date"
    GOVERNING_LAW = "governing_law"


@dataclass(frozen=True, slots=True)
class RiskQuestion:
    """A question a lawyer asks once the provision is found.

    Attributes:
        guidance: What to consider in the answer.
        yes: Wording that makes the answer likely yes; without it the question is left open.
    """

    id: str
    question: str
    guidance: str = ""
    yes: Query | None = None


@dataclass(frozen=True, slots=True)
class SeverityRule:
    """How much a cell matters; of a provision's rules the first that holds decides.

    A rule holds if the cell is as `when` says, a clause found satisfies `matching` (if given) and
    none satisfies `unless` (if given).
    """

    when: When
    severity: Level
    because: str
    matching: Query | None = None
    unless: Query | None = None


@dataclass(frozen=True, slots=True)
class Provision:
    """A kind of clause to look for.

    Attributes:
        id: Lower-case words joined by hyphens; it names the provision wherever results are kept.
        query: What the clause's words are, with boosts.
        examples: Clauses that a search by meaning starts from.
        instructions: What a language model is told to extract.
        avoid: Look-alikes that must not count.
        learned: What was mined from a clause bank; it ranks passages, and decides nothing alone.
        card: The fact of the contract card that speaks for the provision, if there is one.
        threshold: The probability, 0 to 1, from which a quote counts; None for the calibrated one.
    """

    id: str
    name: str
    definition: str
    query: Query
    examples: tuple[str, ...] = ()
    instructions: str = ""
    avoid: Query | None = None
    learned: Query | None = None
    extent: Extent = Extent.SENTENCE
    card: CardField | None = None
    aliases: tuple[str, ...] = ()
    questions: tuple[RiskQuestion, ...] = ()
    severity: tuple[SeverityRule, ...] = ()
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Playbook:
    """A list of provisions.

    Attributes:
        hash: The SHA-256 of the content, whatever the file's layout and comments; results keep it.
        language: The language of the contracts, as a BCP 47 tag.
    """

    id: str
    name: str
    version: str
    hash: str
    language: str
    provisions: tuple[Provision, ...]
    description: str = ""

    def provision(self, name: str) -> Provision:
        """Return the provision with this id, name or alias; case does not matter.

        Raises:
            ConfigError: If there is none; the remedy offers near matches.
        """
        names = {
            known.casefold(): provision
            for provision in self.provisions
            for known in (provision.id, provision.name, *provision.aliases)
        }
        wanted = " ".join(name.split()).casefold()
        if wanted in names:
            return names[wanted]
        near = get_close_matches(wanted, names, n=3) or [each for each in names if wanted in each]
        offered = dict.fromkeys(names[each].name for each in near) or [
            each.name for each in self.provisions
        ]
        raise ConfigError(
            f"the playbook {self.id} has no provision {name!r}.",
            remedy=f"{'Did you mean' if near else 'It has'}: {', '.join(offered)}"
            f"{'?' if near else '.'}",
        )
