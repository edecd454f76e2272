"""ONNX files made by hand, so that the tests need neither `onnx` nor weights."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

FLOAT, INT64 = 1, 7


def field(number: int, value: int | bytes | str) -> bytes:
    """Encode one field of a protocol buffer."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(value: int) -> bytes:
    """Encode a whole number, seven bits at a time."""
    value &= (1 << 64) - 1
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def node(kind: str, inputs: Sequence[str], output: str, **attributes: int | list[int]) -> bytes:
    """Encode a node."""
    data = b"".join(field(1, each) for each in inputs) + field(2, output) + field(4, kind)
    for name, value in attributes.items():
        if isinstance(value, int):
            data += field(5, field(1, name) + field(3, value) + field(20, 2))
        else:
            whole = b"".join(field(8, each) for each in value)
            data += field(5, field(1, name) + whole + field(20, 7))
    return data


def value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    """Encode the name, type and shape of an input or output."""
    sizes = b"".join(
        field(1, field(1, each) if isinstance(each, int) else field(2, each)) for each in shape
    )
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, sizes)))


def constant(name: str, numbers: Sequence[float]) -> bytes:
    """Encode a row of numbers."""
    raw = struct.pack(f"<{len(numbers)}f", *numbers)
    return field(1, len(numbers)) + field(2, FLOAT) + field(8, name) + field(9, raw)


def model(
    nodes: Sequence[bytes],
    inputs: Mapping[str, int],
    output: str,
    width: int,
    constants: Sequence[bytes] = (),
    others: Mapping[str, int] | None = None,
) -> bytes:
    """Encode a model whose inputs are (batch, tokens) and whose output is (batch, width).

    `others` are further outputs with their widths.
    """
    graph = b"".join(field(1, each) for each in nodes) + field(2, "test")
    graph += b"".join(field(5, each) for each in constants)
    graph += b"".join(
        field(11, value(name, kind, ["batch", "tokens"])) for name, kind in inputs.items()
    )
    for name, columns in {output: width, **(others or {})}.items():
        graph += field(12, value(name, FLOAT, ["batch", columns]))
    return field(1, 8) + field(8, field(1, "") + field(2, 12)) + field(7, graph)


def cross_encoder(width: int = 1) -> bytes:
    """A graph whose logit is the sum of the ids of the passage's tokens that are not padding."""
    nodes = [
        node("Mul", ["input_ids", "attention_mask"], "kept"),
        node("Mul", ["kept", "token_type_ids"], "second"),
        node("Cast", ["second"], "numbers", to=FLOAT),
        node("ReduceSum", ["numbers"], "sum", axes=[1], keepdims=1),
        node("Mul", ["sum", "weights"], "logits"),
    ]
    weights = {1: [1.0], 2: [-1.0, 1.0], 3: [1.0, 1.0, 1.0]}[width]
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = dict.fromkeys(names, INT64)
    return model(nodes, inputs, "logits", width, [constant("weights", weights)])


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "notice", "term", "assign", "liability", "law"]


def write_tokenizer(folder: Path) -> None:
    """Write a tokenizer of a few words, whose ids are their places in `WORDS`."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import BertProcessing

    ids = {word: at for at, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(ids, unk_token=WORDS[1]))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
