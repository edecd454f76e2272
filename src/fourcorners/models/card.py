"""`ModelInfo`: what a model's card says, and the files it vouches for."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path, PurePosixPath

from fourcorners.errors import ModelError

CARD_FILE = "card.yaml"
REMEDY = "Reinstall fourcorners: pip install --force-reinstall fourcorners"


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that is shipped with the package.

    Attributes:
        kind: What the model does, such as `encoder`.
        files: The SHA-256 of each file by its path from `folder`; those that models share are
            outside it.
        remedy: What helps where a file is missing or damaged.
        base: The identity of the model that it corrects; empty where it corrects none.
        hash: What it is known by, where its files were packed and it gives the same to the last
            bit; empty where they are as they were made.
    """

    name: str
    version: str
    kind: str
    description: str
    dimension: int
    max_tokens: int
    licence: str
    source: str
    folder: Path
    files: tuple[tuple[str, str], ...]
    remedy: str = REMEDY
    base: str = ""
    hash: str = ""

    @property
    def identity(self) -> str:
        """Return name, version and a hash over the files, such as `clauses/1-0123456789ab`."""
        listed = "\n".join(f"{name} {sha256}" for name, sha256 in sorted(self.files))
        known_by = self.hash or hashlib.sha256(listed.encode()).hexdigest()[:12]
        return f"{self.name}/{self.version}-{known_by}"

    def path(self, name: str) -> Path:
        """Return where a file of the model is, whether in its folder or shared."""
        return Path(normpath(self.folder / self._card_path(name)))

    def sha256(self, name: str) -> str:
        """Return the hash of a file as the card has it, empty where it has none."""
        return dict(self.files).get(self._card_path(name), "")

    def _card_path(self, name: str) -> str:
        return next((path for path, _ in self.files if PurePosixPath(path).name == name), name)

    def read(self, name: str) -> bytes:
        """Return the bytes of a file of the model, verified against the card.

        Raises:
            ModelError: If the file is missing or is not the one the card describes.
        """
        path = self.path(name)
        try:
            content = path.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise ModelError(
                f"model {self.name}: cannot read {path}: {reason}.", remedy=self.remedy
            ) from error
        if hashlib.sha256(content).hexdigest() != self.sha256(name):
            raise ModelError(
                f"model {self.name}: {path} is damaged: its SHA-256 is not the card's.",
                remedy=self.remedy,
            )
        return content


def load_card(folder: Path) -> ModelInfo:
    """Read the card of the model in `folder`.

    Raises:
        ModelError: If there is no card, or it lacks what the program needs.
    """
    import yaml

    from fourcorners.text.patterns import load_yaml

    path = folder / CARD_FILE
    try:
        card = load_yaml(path.read_text("utf-8"))
        return ModelInfo(
            name=str(card["name"]),
            version=str(card["version"]),
            kind=str(card["kind"]),
            description=str(card["description"]),
            dimension=int(card["dimension"]),
            max_tokens=int(card["max_tokens"]),
            licence=str(card["licence"]),
            source=str(card["source"]),
            folder=folder,
            files=tuple((str(name), str(sha256)) for name, sha256 in card["files"].items()),
            base=str(card.get("base", "")),
            hash=str(card.get("hash", "")),
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(f"cannot read the model card {path}: {reason}.", remedy=REMEDY) from error
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"the model card {path} is damaged: {error!r}.", remedy=REMEDY) from error


def card_yaml(card: Mapping[str, object]) -> str:
    """Return a card as YAML, with a list on one line if it fits."""
    import yaml

    text: str = yaml.safe_dump(
        dict(card), sort_keys=False, width=100, allow_unicode=True, default_flow_style=None
    )
    return text


def save_card(folder: Path, card: Mapping[str, object]) -> None:
    (folder / CARD_FILE).write_text(card_yaml(card), "utf-8")
