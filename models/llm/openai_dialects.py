"""How servers take a constraint. Which of the ways a server knows is found out by trying.

A server that does not know a field ignores it, so a constraint that nothing would keep to by chance
is tried first, once a kind: the first way whose answer keeps to it is used from then on.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from models.llm.constraints import choices
from models.llm.protocol import Constraint, ConstraintKind

Fields = Mapping[str, Any]
Way = Callable[[Constraint], Fields]


def _vllm(constraint: Constraint) -> Fields:
    """vLLM from 0.12 on."""
    value: Any = constraint.text
    if constraint.kind is ConstraintKind.CHOICE:
        value = choices(constraint)
    elif constraint.kind is ConstraintKind.JSON:
        value = json.loads(constraint.text)
    return {"structured_outputs": {constraint.kind.value: value}}


def _response_format(constraint: Constraint) -> Fields:
    """JSON with a hosted API, vLLM, llama.cpp and Ollama."""
    schema = {"name": "answer", "strict": True, "schema": json.loads(constraint.text)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _gbnf_choice(constraint: Constraint) -> Fields:
    """llama.cpp."""
    words = " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices(constraint))
    return {"grammar": f"root ::= {words}"}


def _llguidance(constraint: Constraint) -> Fields:
    """llama.cpp built with llguidance, which then reads Lark's notation."""
    text = constraint.text
    if constraint.kind is ConstraintKind.REGEX:
        escaped = text.replace("/", r"\/")
        text = f"start: /{escaped}/"
    return {"grammar": "%llguidance {}\n" + text}


WAYS: Mapping[ConstraintKind, tuple[Way, ...]] = {
    ConstraintKind.CHOICE: (_vllm, _gbnf_choice),
    ConstraintKind.REGEX: (_vllm, _llguidance),
    ConstraintKind.GRAMMAR: (_vllm, _llguidance),
    ConstraintKind.JSON: (_response_format, _vllm),
}

PROBES: Mapping[ConstraintKind, Constraint] = {
    ConstraintKind.CHOICE: Constraint(ConstraintKind.CHOICE, "zq7 violet\nzq7 amber"),
    ConstraintKind.REGEX: Constraint(ConstraintKind.REGEX, "zq7 [a-c]{4}"),
    ConstraintKind.GRAMMAR: Constraint(ConstraintKind.GRAMMAR, 'start: "zq7 " ("x" | "y") "!"'),
    ConstraintKind.JSON: Constraint(
        ConstraintKind.JSON,
        json.dumps(
            {
                "type": "object",
                "properties": {"zq7": {"enum": ["violet", "amber"]}},
                "required": ["zq7"],
                "additionalProperties": False,
            }
        ),
    ),
}
PROBE_TOKENS = 48
