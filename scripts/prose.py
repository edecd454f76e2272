"""Find words of the project's old dialect in prose: documents, comments, docstrings and messages.

`python scripts/prose.py` lists each place with what to write instead; `--count` prints how many
there are by folder. Quoted contracts, tests, data and code between backquotes are not prose.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_name("prose.yaml")
CODE = re.compile(r"`[^`\n]*`|https?://\S+")


@dataclass(frozen=True)
class Place:
    path: Path
    line: int
    words: str
    instead: str


@cache
def _rules() -> tuple[re.Pattern[str], dict[str, str], dict[Path, list[str]]]:
    content = yaml.safe_load(LIST.read_text("utf-8"))
    words: dict[str, str] = content["words"]
    pattern = re.compile("|".join(rf"\b(?:{each})\b" for each in words), re.IGNORECASE)
    exceptions = {ROOT / path: allowed.split() for path, allowed in content["exceptions"].items()}
    return pattern, words, exceptions


def find_dialect(path: Path) -> Iterator[Place]:
    """Yield the words of the dialect in a file."""
    pattern, words, exceptions = _rules()
    allowed = exceptions.get(path.resolve(), ())
    for line, text in _prose(path):
        for found in pattern.finditer(CODE.sub(lambda code: " " * len(code[0]), text)):
            if found[0].lower() in allowed:
                continue
            rule = next(
                each for each in words if re.match(rf"(?i)(?:{each})\b", text[found.start() :])
            )
            yield Place(path, line + text.count("\n", 0, found.start()), found[0], words[rule])


def _prose(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        yield 1, text
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield token.start[0], token.string


def prose_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder that hold prose of ours."""
    for path in sorted(folder.rglob("*")):
        is_ours = (
            path.suffix in (".py", ".md", ".j2", ".js") and "static/vendor" not in path.as_posix()
        )
        if is_ours and path.is_file():
            yield path


def main() -> None:
    """Print each place; the exit code is 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", action="store_true", help="only how many there are, by folder")
    parser.add_argument(
        "paths", nargs="*", type=Path, help="default: src, bench, docs, README.md …"
    )
    options = parser.parse_args()
    given = options.paths or [
        ROOT / each
        for each in (
            "src",
            "bench",
            "docs",
            "scripts",
            "README.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
        )
    ]
    files = [file for path in given for file in ([path] if path.is_file() else prose_files(path))]
    places = [place for file in files for place in find_dialect(file.resolve())]
    if options.count:
        counts = Counter("/".join(each.path.relative_to(ROOT).parts[:3]) for each in places)
        print("\n".join(f"{count:>6}  {where}" for where, count in counts.most_common()))
    else:
        for each in places:
            where = f"{each.path.relative_to(ROOT)}:{each.line}"
            print(f"{where}: “{each.words}”: {each.instead or 'say it plainly'}")
    sys.exit(bool(places))


if __name__ == "__main__":
    main()
