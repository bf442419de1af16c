"""electricsheep's options; the defaults are the paper's where it states a number."""

from dataclasses import dataclass
from typing import Literal

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt


@dataclass(frozen=True, slots=True)
class ElectricSheepOptions:
    """Constants and switches (appendix A, unless stated otherwise).

    Attributes:
        predictor: `llm` asks a model with demonstrations, which they shipped; `svm` uses the file
            `attributes`, which they measured to be better (section 4.2).
        attributes: the output of `crag training svm`; needed for `svm`.
        attributes_embedder: the embedder that it was trained with; empty: none.
        refuse_dynamic: answer dynamic questions with "i don't know" at once (figure 1).
        votes: samples per prediction; the paper states no number.
        temperature: of votes and expressions; the paper states none.
        seed: of the sampling.
        chunks: text chunks in a prompt.
        table_chars: of tables in the reasoning prompt.
        calculator_table_chars: of tables in the calculator's prompt (D.2).
        expressions: samples of the calculator (D.2).
        kg: `baseline`, which they shipped, or `programs`, the query language. Function calling
            (D.4), which they gave up, is not implemented.
        kg_chars: of KG text (D.5).
        expression_tokens, knowledge_tokens, reasoning_tokens, summary_tokens: maximum output
            tokens.
    """

    predictor: Literal["llm", "svm"] = "llm"
    attributes: str = ""
    attributes_embedder: str = ""
    refuse_dynamic: bool = True
    votes: PositiveInt = 5
    temperature: PositiveFloat = 0.7
    seed: int = 0
    chunks: PositiveInt = 10
    table_chars: NonNegativeInt = 4000
    calculator_table_chars: NonNegativeInt = 6000
    expressions: PositiveInt = 5
    kg: Literal["baseline", "programs"] = "baseline"
    kg_chars: NonNegativeInt = 1000
    expression_tokens: PositiveInt = 120
    knowledge_tokens: PositiveInt = 400
    reasoning_tokens: PositiveInt = 600
    summary_tokens: PositiveInt = 75

    def __post_init__(self) -> None:
        if self.predictor == "svm" and not self.attributes:
            raise ValueError("predictor svm needs `attributes`, a file of `crag training svm`")
