"""The commands of `python -m training`, a file a command."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rich.console import Console

from training.commands import (
    confidence,
    demo,
    evaluate,
    labels,
    open_keys,
    paraphrase,
    parser,
    queries,
    rationales,
    reader,
    real,
    sft,
)


@dataclass(frozen=True, slots=True)
class Command:
    """One command: what it is for, its arguments, and what it does, with its exit status."""

    help: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Console], int]


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "queries": Command(queries.HELP, queries.arguments, queries.run),
        "paraphrase": Command(paraphrase.HELP, paraphrase.arguments, paraphrase.run),
        "real": Command(real.HELP, real.arguments, real.run),
        "labels": Command(labels.HELP, labels.arguments, labels.run),
        "rationales": Command(rationales.HELP, rationales.arguments, rationales.run),
        "sft": Command(sft.HELP, sft.arguments, sft.run),
        "evaluate": Command(evaluate.HELP, evaluate.arguments, evaluate.run),
        "parser": Command(parser.HELP, parser.arguments, parser.run),
        "reader": Command(reader.HELP, reader.arguments, reader.run),
        "confidence": Command(confidence.HELP, confidence.arguments, confidence.run),
        "open-keys": Command(open_keys.HELP, open_keys.arguments, open_keys.run),
        "demo": Command(demo.HELP, demo.arguments, demo.run),
    }
)
