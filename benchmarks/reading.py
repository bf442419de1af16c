"""How well the offline reader answers from real passages, and which ranker brings them forward.

    python -m benchmarks.reading --data DIR [--json FILE] [--embedder MODEL]

DIR/passages_validation.jsonl holds questions with up to 20 passages and gold answers. The answers
are judged by the project's own rules. The reader's weights are fitted on these questions, so its
figures here are training scores; `models/reading/weights.json` has the cross-validated
ones (`python -m training reader`).
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from rich.console import Console
from rich.table import Table

from benchmarks._web_data import holds, is_short, with_passages
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.passages import ranked
from models.ranking.factory import make_embedder, make_reranker
from models.ranking.lexical import LexicalReranker
from models.ranking.protocol import Reranker
from models.records import Question, Task
from models.subtasks.answer_web import CarefulReader, WebAnswerer
from utils.errors import CragError

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


def show(title: str, rows: dict[str, dict[str, float]]) -> None:
    table = Table(title=title)
    table.add_column("")
    names = list(dict.fromkeys(name for figures in rows.values() for name in figures))
    for name in names:
        table.add_column(name, justify="right")
    for label, figures in rows.items():
        cells = [
            f"{figures[name]:.0f}" if name == "questions" else f"{figures[name]:.1%}"
            for name in names
        ]
        table.add_row(label, *cells)
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description="The offline reader, and the rankers.")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "crag")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--embedder", help="a sentence-transformers model to rank by as well")
    parser.add_argument("--reranker", action="append", default=[], help="cross:MODEL, flag:MODEL")
    args = parser.parse_args()
    try:
        rows = with_passages(args.data)
        rankers: dict[str, Reranker | None] = {"as in the file": None, "lexical": LexicalReranker()}
        if args.embedder:
            rankers["bi-encoder"] = make_reranker("bi", embedder=make_embedder(args.embedder))
        for spec in args.reranker:
            rankers[spec] = make_reranker(spec)
    except CragError as error:
        raise SystemExit(str(error)) from error
    figures: dict[str, Any] = {
        "reader": {"training score": shares(rows, CarefulReader())},
        "recall": recall(rows, rankers),
    }
    show("the offline reader", figures["reader"])
    show("the gold stands in the first k passages", figures["recall"])
    if args.json:
        args.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
