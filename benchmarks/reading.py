"""How well the offline reader answers from real passages, and which ranker brings them forward.

passages_validation.jsonl holds questions with up to 20 passages and gold answers. The rules judge
scores the answers. The reader's weights are fitted on these questions, so its figures here are
training scores; `models/reading/weights.json` has the cross-validated ones (`python -m training
reader`).
"""

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from benchmarks._command import CRAG_DATA, Data, Json, main_of, show, write
from benchmarks._web_data import with_passages
from evaluation.gold_in_text import holds, is_short
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.passages import ranked
from models.ranking.factory import make_embedder, make_reranker
from models.ranking.lexical import LexicalReranker
from models.ranking.protocol import Reranker
from models.records import Question, Task
from models.subtasks.answer_web import ExtractiveReader, WebAnswerer

KS = (1, 3, 5)
Row = tuple[dict[str, Any], list[tuple[str, str]]]


def read(row: Row, reader: WebAnswerer, ranker: Reranker) -> str:
    """The reader's answer over the question's own passages, best first by `ranker`."""
    record, passages = row
    found, texts = ranked(record["query"], passages, ranker)
    question = Question(record["interaction_id"], record["query"], None, Task.WEB)
    return reader.answer(question, found, texts).text


def shares(rows: Sequence[Row], reader: WebAnswerer) -> dict[str, float]:
    """The share of each verdict, and the number of questions."""
    ranker = LexicalReranker()
    items = [
        Item(
            record["interaction_id"],
            record["query"],
            (record["answer"], *record["alt_ans"]),
            read((record, passages), reader, ranker),
        )
        for record, passages in rows
    ]
    counts = Counter(judgement.verdict for judgement in RulesJudge().judge(items))
    shared = {verdict.value: counts[verdict] / max(len(rows), 1) for verdict in Verdict}
    return {**shared, "questions": len(rows)}


def recall(rows: Sequence[Row], rankers: dict[str, Reranker | None]) -> dict[str, dict[str, float]]:
    """recall@k of each ranker, None being the order of the file, where the passages have the gold.

    Only short golds are looked for, word by word.
    """
    found: dict[str, Counter[int]] = {name: Counter() for name in rankers}
    asked = 0
    for record, passages in rows:
        golds = [gold for gold in (record["answer"], *record["alt_ans"]) if is_short(gold)]
        texts = [f"{title}\n{text}" for title, text in passages]
        if not golds or not holds("\n".join(texts), golds):
            continue
        asked += 1
        for name, ranker in rankers.items():
            order = list(range(len(texts)))
            if ranker is not None:
                scores = ranker.score(record["query"], texts)
                order.sort(key=lambda i: -scores[i])
            for k in KS:
                found[name][k] += holds("\n".join(texts[i] for i in order[:k]), golds)
    out = {name: {f"@{k}": counts[k] / max(asked, 1) for k in KS} for name, counts in found.items()}
    for figures in out.values():
        figures["questions"] = asked
    return out


def show_shares(title: str, rows: dict[str, dict[str, float]]) -> None:
    names = list(dict.fromkeys(name for figures in rows.values() for name in figures))
    cells = [
        (label, *(f"{row[n]:.0f}" if n == "questions" else f"{row[n]:.1%}" for n in names))
        for label, row in rows.items()
    ]
    show(title, ("", *names), cells)


def measure(
    data: Data = CRAG_DATA,
    embedder: Annotated[
        str | None, typer.Option(help="a sentence-transformers model to rank by as well")
    ] = None,
    reranker: Annotated[list[str] | None, typer.Option(help="cross:MODEL, flag:MODEL")] = None,
    json_file: Json = None,
) -> None:
    rows = with_passages(data)
    rankers: dict[str, Reranker | None] = {"as in the file": None, "lexical": LexicalReranker()}
    if embedder:
        rankers["bi-encoder"] = make_reranker("bi", embedder=make_embedder(embedder))
    rankers |= {spec: make_reranker(spec) for spec in reranker or ()}
    figures: dict[str, Any] = {
        "reader": {"training score": shares(rows, ExtractiveReader())},
        "recall": recall(rows, rankers),
    }
    show_shares("the offline reader", figures["reader"])
    show_shares("the gold stands in the first k passages", figures["recall"])
    write(json_file, figures)


main = main_of(measure)

if __name__ == "__main__":
    sys.exit(main())
