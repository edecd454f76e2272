"""What runs a transformer: its tokenizer, a session of its graph, and threads."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from fourcorners.errors import ModelError
from fourcorners.models.card import ModelInfo

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, OrtValue, SessionOptions
    from tokenizers import Tokenizer

T = TypeVar("T")
R = TypeVar("R")
GRAPH, TOKENIZER, EMBEDDINGS = "model.onnx", "tokenizer.json", "embeddings.npz"
MAX_CHARACTERS = 20_000  # 384 tokens of prose are some 2,300; a whole file must not be tokenised
NOTHING: Mapping[str, OrtValue] = MappingProxyType({})
_PRODUCTS = Path(__file__).with_name("products.onnx")
_opened: dict[str, Mapping[str, OrtValue]] = {}  # arrays that graphs share, by their file's hash


def read_tokenizer(info: ModelInfo) -> Tokenizer:
    """Return the model's tokenizer, which neither pads nor cuts; models of the same one share it.

    Raises:
        ModelError: If its file is missing, damaged or no tokenizer's.
    """
    content = info.read(TOKENIZER)
    try:
        return _tokenizer(content)
    except Exception as error:  # the library raises nothing narrower
        raise file_error(info, TOKENIZER, error) from error


@lru_cache(maxsize=4)
def _tokenizer(content: bytes) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(content.decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True  # a text that has "[SEP]" or "</s>" is a text
    return tokenizer


def open_graph(info: ModelInfo) -> InferenceSession:
    """Return a session of the model's graph; embeddings that models share are in memory once.

    Raises:
        ModelError: If a file of the model is missing or damaged.
    """
    graph = info.read(GRAPH)
    try:
        return _open_session(graph, _shared_arrays(info))
    except ModelError:
        raise
    except Exception as error:  # each fault of a graph has its own class
        raise file_error(info, GRAPH, error) from error


def _open_session(graph: bytes, arrays: Mapping[str, OrtValue] = NOTHING) -> InferenceSession:
    """Return a session that runs on the thread that calls it, and on no other.

    Many threads may call it at once: a run releases the interpreter's lock. `arrays` are those that
    the graph names and does not hold.
    """
    import onnxruntime

    options = _options()
    if not is_exact():
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.add_external_initializers(list(arrays), list(arrays.values()))
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _shared_arrays(info: ModelInfo) -> Mapping[str, OrtValue]:
    """Return the embeddings that the model's graph names and does not hold, if there are such.

    Raises:
        ModelError: If their file is missing or damaged.
    """
    key = info.sha256(EMBEDDINGS)
    if not key:
        return NOTHING
    if key not in _opened:
        _opened[key] = _read_arrays(info.read(EMBEDDINGS))
    return _opened[key]


def _read_arrays(content: bytes) -> Mapping[str, OrtValue]:
    import numpy as np
    from onnxruntime import OrtValue

    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {name: OrtValue.ortvalue_from_numpy(arrays[name]) for name in arrays.files}


def _options() -> SessionOptions:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


@cache
def is_exact() -> bool:
    """Tell whether products of int8 are added without overflow on this processor.

    Those that have AVX2 but no VNNI add them in 16 bits: vectors then are as .993 (cosine) to those
    of other machines. ONNX Runtime has an exact way, which takes 1.7 times as long where there is
    VNNI; so it is asked for only where a graph of the largest products comes out wrong.
    """
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession(
        _PRODUCTS.read_bytes(), _options(), providers=["CPUExecutionProvider"]
    )
    ones = np.full(session.get_inputs()[0].shape, 255, np.uint8)
    products = session.run(None, {"values": ones})[0]
    return bool((products == ones.shape[1] * 255 * 127).all())


def file_error(info: ModelInfo, file: str, error: Exception) -> ModelError:
    message = " ".join(str(error).split())[:200]
    return ModelError(
        f"model {info.name}: {info.path(file)} cannot be used: {message}", remedy=info.remedy
    )


def readable_text(text: str) -> str:
    """Return what can be tokenised: a lone surrogate, as of a damaged PDF, has no UTF-8."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def run_in_threads(work: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Return what work gives for each item; an interrupt does not wait for those that are left."""
    if threads == 1 or len(items) <= 1:
        return [work(each) for each in items]
    pool = ThreadPoolExecutor(threads, thread_name_prefix="model")
    try:
        return list(pool.map(work, items))
    finally:
        pool.shutdown(cancel_futures=True)
