"""The arguments of `crag eval` and the parts that it is given; options of several commands."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from models.records import MAX_BATCH

if TYPE_CHECKING:
    from evaluation.runner import OfficialModel
    from models.settings import Settings

# The options of every command that can run on Ray; `Cluster.of` reads them.
RayAddress = Annotated[
    str | None,
    Option("--ray", metavar="ADDRESS", help="work on Ray: a cluster's address, or local"),
]
Workers = Annotated[int, Option(min=1, help="of --ray")]
GpusPerWorker = Annotated[float, Option(min=0, help="of --ray")]
# The judge of commands that judge existing answers; `make_judge` reads it.
JudgeOption = Annotated[str, Option("--judge", metavar="SPEC", help="as that of crag eval")]


@dataclass(frozen=True, slots=True)
class RunArguments:
    """Answer CRAG questions, judge the answers, and report the score: correct +1,
    "i don't know" 0, wrong -1."""

    dataset: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help=".jsonl, .jsonl.bz2, .jsonl.gz, .tar.bz2 or its .part1; "
            "default: the example questions with the mock API over example_data/kg",
        ),
    ] = None
    task: Annotated[int | None, Option(min=1, max=3, help="default: from the settings")] = None
    settings: Annotated[
        Path | None,
        Option(metavar="FILE", help="default: settings.toml beside crag.py"),
    ] = None
    system: Annotated[str | None, Option(metavar="NAME", help="default: from the settings")] = None
    llm: Annotated[
        str | None,
        Option(
            metavar="SPEC",
            help="vllm:, hf:, llamacpp:PATH or openai:URL#MODEL; default: settings",
        ),
    ] = None
    model: Annotated[
        str | None,
        Option(
            metavar="[FOLDER:]MODULE:CLASS",
            help="another model of the official kit's form, in its own process",
        ),
    ] = None
    mock_api: Annotated[
        Path | None, Option(metavar="DIR", help="start the mock API over DIR for this run")
    ] = None
    api_url: Annotated[
        str | None,
        Option(
            metavar="URL",
            help="a running API; default: CRAG_MOCK_API_URL",
        ),
    ] = None
    judge: Annotated[
        str,
        Option(
            metavar="SPEC",
            help="rules, openai:URL#MODEL, rules+openai:URL#MODEL, where the LLM judges what the "
            "rules leave open, or three LLMs joined by +, where the third decides if two disagree; "
            "their key comes from CRAG_JUDGE_API_KEY",
        ),
    ] = "rules"
    fail_under: Annotated[
        float | None,
        Option(
            metavar="PERCENT",
            min=-100,
            max=100,
            help="the status is 1 if the score is lower, for CI: 60 is 60%",
        ),
    ] = None
    web: Annotated[
        str | None, Option(metavar="PRESET", help="the web path: default, or a system's")
    ] = None
    set: Annotated[
        list[str] | None,
        Option(metavar="KEY=VALUE", help="change a setting, as web.preset=default; repeatable"),
    ] = None
    no_check: Annotated[bool, Option("--no-check", help="no check of servers and files")] = False
    no_trace: Annotated[bool, Option("--no-trace", help="no traces.jsonl")] = False
    limit: Annotated[int | None, Option(min=1, help="only the first N questions")] = None
    where: Annotated[
        str, Option(metavar="SLICE=GROUP,...", help="as domain=movie,question_type=set")
    ] = ""
    ids: Annotated[
        Path | None, Option(metavar="FILE", help="only the ids in FILE, one per line")
    ] = None
    sample: Annotated[
        int | None, Option(min=1, help="N questions, each domain and question type in proportion")
    ] = None
    seed: Annotated[int, Option(help="of --sample")] = 0
    shard: Annotated[str, Option(metavar="I/N", help="of every N questions the Ith")] = "1/1"
    slices: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="more slices for the report: JSON lines with an id, such as the file "
            "that `crag runs answerable` writes",
        ),
    ] = None
    out: Annotated[Path | None, Option(metavar="DIR", help="default: a new folder in runs/")] = None
    resume: Annotated[bool, Option("--resume", help="resume the run in --out, or begin it")] = False
    skip_bad: Annotated[
        bool, Option("--skip-bad", help="skip and count rows that are no question")
    ] = False
    batch_size: Annotated[
        int | None,
        Option(min=1, max=MAX_BATCH, help="questions per call; default: the model's own"),
    ] = None
    ray: RayAddress = None
    workers: Workers = 2
    gpus_per_worker: GpusPerWorker = 0.0


@dataclass(frozen=True, slots=True)
class EvaluationParts:
    """The parts of an evaluation; local_evaluation.py passes the real ones.

    Attributes:
        root: the folder that holds example_data.
        make_model: the model for the settings.
        serve: starts the mock API over a folder, and stops it on the way out.
        own_model: what `--model` would name to evaluate a model of the user's own that
            models/user_config.py submits; None: it submits ours.
    """

    root: Path
    make_model: "Callable[[Settings], OfficialModel]"
    serve: Callable[[Path], AbstractContextManager[str]]
    own_model: Callable[[], str | None] = lambda: None
