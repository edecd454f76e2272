r"""Train the entailment model: `src/fourcorners/models/weights/entailment`.

It learns from ContractNLI: the evidence of its training split (`train_spans.csv`: of each document,
what was marked for any hypothesis, and some spans that were not) and the whole documents of its
development split. Each stage learns from what the stage before says of documents that it has not
learned from: five folds by document.

1. Evidence, two heads a hypothesis: logistic regressions on runs and pairs of words, and on the
   vector of the span.
2. Evidence again, by trees over the first scores of a span, its neighbours and its list's lead-in.
3. Labels by the words of the likely evidence: a head of three, and one of two on marked evidence.
4. The label, from both heads and the evidence's scores.
5. For other hypotheses: evidence, and whether they are mentioned, by shared words and meaning,
   with what the provision of the playbook `nda-review` whose rule it is tells of its place, and
   without.

    python -m training.entailment.train --data DIR/contractnli --run-out oof.jsonl [--weights]

The run file holds the development documents out of fold, as the shipped program answers with the
model of the fold; with `--own-out FILE` also by the program's own sentences, with `--left-out
FILE` the answers to each hypothesis by a model that has seen neither it nor the half of the
documents, guided by the playbook, and with `--alone-out` not guided. Six CPU-minutes on one core,
under three where `--cache` keeps the vectors; needs scikit-learn. Run it again when the
shipped encoder changes.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import sklearn

from fourcorners.models.card import ModelInfo, save_card
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.entailment import model as runtime
from fourcorners.models.entailment.features import span_positions
from fourcorners.models.entailment.unseen import SpanSet, UnseenHypotheses, span_features
from fourcorners.models.entailment.verdict import LABELS, Label
from fourcorners.models.registry import DEFAULT_ENCODER, WEIGHTS, load_encoder
from fourcorners.playbooks.load import load_playbook as load_playbook
from fourcorners.review.risk.rules import rule_guide
from fourcorners_bench.entailment.loader import JudgedHypothesis, Split, match_run
from fourcorners_bench.entailment.run import (
    GuidedJudge,
    answer_document,
    review_spans,
    rule_provisions,
)
from fourcorners_bench.entailment.score import entailment_measures, score_document
from fourcorners_bench.run_files import write_lines
from training.entailment import known, unseen
from training.entailment.data import FOLDS, Document, Remembered, overlap, read

PLAYBOOK = "nda-review"
SURE = 0.9  # the share of right answers, entailed or not, among those beyond the margin
BLANK = ModelInfo(
    runtime.NAME, "1", runtime.NAME, "", len(LABELS), 0, "", "", WEIGHTS / runtime.NAME, ()
)


def questions_of(
    documents: Sequence[Document], hypotheses: Sequence[str], encoder: Encoder, *, guided: bool
) -> list[unseen.Question]:
    """Return every hypothesis put to every whole document."""
    provisions = rule_provisions(load_playbook(PLAYBOOK))
    found = []
    for at, document in enumerate(documents):
        if not document.whole:
            continue
        place = span_positions(document.spans)
        spans = SpanSet(document.spans, place, encoder.encode(document.spans))
        for column, hypothesis in enumerate(hypotheses):
            guide = rule_guide(provisions[hypothesis], document.spans) if guided else None
            found.append(
                unseen.Question(
                    at,
                    column,
                    span_features(spans, hypothesis, guide, encoder),
                    place,
                    document.evidence[:, column],
                    LABELS[document.labels[column]] is not Label.NOT_MENTIONED,
                )
            )
    return found


class Board:
    """Scores the answers for the development documents, and keeps what the card says of them."""

    def __init__(self, split: Split, began: float) -> None:
        self.split, self._began = split, began
        self.scores: dict[str, object] = {}

    def report(self, what: str) -> None:
        """Say how far it is."""
        print(f"{time.time() - self._began:6.0f} s  {what}", flush=True)

    def score(self, name: str, run: Sequence[JudgedHypothesis], out: Path | None) -> None:
        """Score a run, say its main figures, and write it where that is asked for."""
        found = entailment_measures([score_document(*each) for each in match_run(self.split, run)])
        names = ("accuracy", "f1_contradiction", "evidence_map", "evidence_recall_600_characters")
        self.report(f"{name}: " + ", ".join(f"{each} {found[each]}" for each in names))
        intervals = found["intervals"]
        self.scores[name] = {
            each: [found[each], *intervals[each]]  # type: ignore[index, call-overload, misc]
            for each in names
        }
        if out:
            write_lines(out, run)

    def margin(self, run: Sequence[JudgedHypothesis]) -> float:
        """Return from which margin on `SURE` of the answers are right: entailed, or not."""
        truths = {each.id: each.truths for each in self.split.documents}
        chances = np.array([each.scores[0] for each in run])
        right = np.array(
            [
                (each.scores[0] >= 0.5)
                is (truths[each.document][each.hypothesis].label is Label.ENTAILMENT)
                for each in run
            ]
        )
        apart = np.abs(2 * chances - 1)
        for margin in np.arange(0.0, 0.95, 0.05):
            held = apart >= margin
            if held.any() and right[held].mean() >= SURE:
                self.report(
                    f"margin {margin:.2f}: {held.mean():.3f} answered, of them "
                    f"{right[held].mean():.3f} right"
                )
                return float(round(margin, 2))
        return 0.95


def model_of(
    arrays: known.Arrays, hypotheses: Sequence[str], encoder: Encoder
) -> runtime.EntailmentModel:
    """Return the shipped program's model of some arrays; what is not there yet is blank."""
    nothing = unseen.arrays_of(UnseenHypotheses(*[(np.zeros(1), 0.0)] * 3, 0.0), "alone")
    blank = {name.replace("alone", "guided"): array for name, array in nothing.items()} | nothing
    more = {
        "hypotheses": np.array(hypotheses),
        "encoder": np.array(encoder.name),
        "dense_margin": np.array(0.0),
    }
    return runtime.assemble(BLANK, {**blank, **more, **arrays}, encoder)


def known_answers(
    folds: Sequence[known.Arrays],
    fold: Sequence[int],
    split: Split,
    encoder: Encoder,
    *,
    given: bool,
) -> list[JudgedHypothesis]:
    """Answer the development documents, each by the model that has not learned from it."""
    models = [model_of(each, list(split.hypotheses.values()), encoder) for each in folds]
    return [
        one
        for document, number in zip(split.documents, fold, strict=True)
        for one in answer_document(
            document,
            document.spans if given else review_spans(document.text),
            split.hypotheses,
            models[number],
        )
    ]


def left_out_answers(
    model: runtime.EntailmentModel,
    models: dict[tuple[int, int], UnseenHypotheses],
    halves: Sequence[int],
    split: Split,
    *,
    guided: bool,
) -> list[JudgedHypothesis]:
    """Answer each hypothesis by a model that knows neither it nor the document."""
    provisions = rule_provisions(load_playbook(PLAYBOOK)) if guided else {}
    found = []
    for document, half in zip(split.documents, halves, strict=True):
        for column, (key, hypothesis) in enumerate(split.hypotheses.items()):
            learned = models[half, column]
            judge = GuidedJudge(
                replace(model, hypotheses=(), guided=learned, alone=learned), provisions
            )
            found += answer_document(document, document.spans, {key: hypothesis}, judge)
    return found


def write(
    folder: Path, data: Path, arrays: known.Arrays, board: Board, documents: Sequence[Document]
) -> None:
    """Write the file and its card."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    (folder / runtime.FILE).write_bytes(packed.getvalue())
    card = {
        "name": runtime.NAME,
        "version": "3",
        "kind": "entailment",
        "description": "Three-way entailment with evidence: heads on words and meaning for 17 "
        "hypotheses on confidentiality agreements, trees over neighbouring spans, and a general "
        "model of shared words and meaning for any other hypothesis.",
        "dimension": len(LABELS),
        "max_tokens": 0,
        "licence": "CC-BY-4.0",
        "source": "ContractNLI, by Yuta Koreeda and Christopher D. Manning; Stanford NLP and "
        "Hitachi America, CC BY 4.0. Weights are derived from its annotations.",
        "encoder": str(arrays["encoder"]),
        "playbook": load_playbook(PLAYBOOK).hash,
        "command": "python -m training.entailment.train --data DIR/contractnli --weights",
        "made_with": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
        "data": {
            name: sha256((data / name).read_bytes()).hexdigest()
            for name in ("dev.json", "train_spans.csv")
        },
        "documents_learned_from": {
            sha256(one.text.encode()).hexdigest(): one.name for one in board.split.documents
        },
        "splits": f"Out of {FOLDS} folds by document; training documents are in the folds too. Of "
        "the runs of eight words of a development document, this share is in a training "
        f"document too: {overlap(documents):.3f}. A stage's answers to the other folds come from "
        "models that saw the labels of the fold that is judged.",
        "scores": {"note": "figure, then its 95% interval over 61 documents", **board.scores},
        "limits": "Trained on English confidentiality agreements alone. The figures of the known "
        "hypotheses hold for those 17; some are rarely contradicted (five never in training). "
        "Settings were chosen on the folds that are reported. Left-out hypotheses are guided by "
        "queries, definitions and examples of a playbook that was written knowing them, and that "
        "rules made by hand, knowing them too, say that they are contradicted: read the evidence.",
        "files": {runtime.FILE: sha256(packed.getvalue()).hexdigest()},
    }
    save_card(folder, card)
    board.report(f"{folder / runtime.FILE}: {len(packed.getvalue()):,} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    for name in ("--run-out", "--own-out", "--left-out", "--alone-out", "--cache"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--weights", action="store_true", help="Write the shipped files.")
    asked = parser.parse_args()
    documents, split = read(asked.data)
    board = Board(split, time.time())
    encoder = Remembered(load_encoder(DEFAULT_ENCODER, threads=1), asked.cache)
    vectors = encoder.encode([span for each in documents for span in each.spans])
    encoder.save()
    board.report(f"vectors of {len(documents)} documents")
    trainer = known.Trainer(documents, vectors)
    folds, arrays = known.train(trainer)
    hypotheses = list(split.hypotheses.values())
    fold = trainer.fold[trainer.whole].tolist()
    run = known_answers(folds, fold, split, encoder, given=True)
    board.score("known_hypotheses_out_of_fold", run, asked.run_out)
    arrays |= {
        "hypotheses": np.array(hypotheses),
        "encoder": np.array(encoder.name),
        "dense_margin": np.array(board.margin(run)),
    }
    if asked.own_out:
        run = known_answers(folds, fold, split, encoder, given=False)
        board.score("known_hypotheses_own_sentences", run, asked.own_out)
    halves = trainer.fold % 2
    for name, guided, out in (("guided", True, asked.left_out), ("alone", False, asked.alone_out)):
        questions = questions_of(documents, hypotheses, encoder, guided=guided)
        models = unseen.left_out(questions, halves)
        model = model_of(arrays, hypotheses, encoder)
        of_whole = halves[trainer.whole].tolist()
        run = left_out_answers(model, models, of_whole, split, guided=guided)
        board.score(f"left_out_hypotheses_{name}", run, out)
        arrays |= unseen.arrays_of(unseen.learned(questions, board.margin(run)), name)
    encoder.save()
    if asked.weights:
        write(WEIGHTS / runtime.NAME, asked.data, arrays, board, documents)


if __name__ == "__main__":
    main()
