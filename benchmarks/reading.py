"""How well the offline reader answers from real passages, and which ranker brings them forward.

passages_validation.jsonl holds questions with up to 20 passages and gold answers. The rules judge
scores the answers. The reader's weights are fitted on these questions, so its figures here are
training scores; `models/reading/weights.json` has the cross-validated ones (`python -m training
reader`).
"""

import sys
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Annotated

import numpy as np
import typer

from benchmarks._command import CRAG_DATA, Data, command, show
from benchmarks._web_data import Asked, Passages, joined, with_gold, with_passages
from evaluation.gold_in_text import holds
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.passages import ranked
from models.ranking.factory import make_reranker
from models.ranking.lexical import LexicalReranker
from models.ranking.protocol import Reranker
from models.records import Question, Task
from models.subtasks.answer_web import ExtractiveReader

KS = (1, 3, 5)


def verdicts(rows: Sequence[Passages], reader: ExtractiveReader) -> Counter[Verdict]:
    """How often the reader's answer over a question's own passages, best first by BM25, is what."""
    ranker = LexicalReranker()
    items = []
    for row, passages in rows:
        question = Question(row["interaction_id"], row["query"], None, Task.WEB)
        answer = reader.answer(question, *ranked(question.text, passages, ranker))
        golds = (row["answer"], *row["alt_ans"])
        items.append(Item(question.id, question.text, golds, answer.text))
    return Counter(judgement.verdict for judgement in RulesJudge().judge(items))


def recall(questions: Sequence[Asked], ranker: Reranker | None) -> list[float]:
    """The share of questions whose gold stands in the first k passages; None: as in the file."""
    hits = []
    for asked in questions:
        texts = [joined([passage]) for passage in asked.texts]
        if ranker is not None:
            scores = ranker.score(asked.question.text, texts)
            texts = [texts[i] for i in np.argsort(-scores, kind="stable")]
        hits.append([holds("\n".join(texts[:k]), asked.golds) for k in KS])
    return [fmean(column) for column in zip(*hits, strict=True)]


@command
def main(
    data: Data = CRAG_DATA,
    reranker: Annotated[list[str] | None, typer.Option(help="cross:MODEL, flag:MODEL")] = None,
) -> None:
    rows = with_passages(data)
    rankers: dict[str, Reranker | None] = {"as in the file": None, "lexical": LexicalReranker()}
    rankers |= {spec: make_reranker(spec) for spec in reranker or ()}
    said = verdicts(rows, ExtractiveReader())
    shares = [(f"training score of {len(rows)}", *(f"{said[v] / len(rows):.1%}" for v in Verdict))]
    show("the offline reader", ("questions", *Verdict), shares)
    asked = with_gold(rows)
    recalls = (
        (name, *(f"{share:.1%}" for share in recall(asked, ranker)))
        for name, ranker in rankers.items()
    )
    title = f"{len(asked)} questions: the gold stands in the first k passages"
    show(title, ("ranker", *(f"@{k}" for k in KS)), recalls)


if __name__ == "__main__":
    sys.exit(main())
