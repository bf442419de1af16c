"""`crag model`: the model that comes as a Python package, as a server or as a folder; embedders."""

import threading
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from models.llm.config import LLMSettings
from models.llm.gguf_adapter import converted_adapter
from models.llm.gguf_export import export
from models.llm.gguf_model import find_gguf
from models.llm.llamacpp import start_server
from models.ranking.onnx_embedder import write_embedder
from utils.cli import new_app, run
from utils.errors import InputError
from utils.http_server import listening_socket

app = new_app(
    "Serve a small model that comes as a Python package, or write its weights.", shows_help=True
)


@app.command("smollm2")
def export_smollm2(
    to: Annotated[Path, typer.Option(help="the folder to write")],
) -> None:
    """Write SmolLM2-135M-Instruct in Hugging Face's format.

    The engines `hf:` and `vllm:` and the training read it.
    """
    export(find_gguf("smollm2"), to)
    typer.echo(to)


@app.command("embedder")
def export_embedder(
    source: Annotated[Path, typer.Argument(help="a folder of sentence-transformers")],
    to: Annotated[Path, typer.Option(help="the folder to write")],
) -> None:
    """Write an embedder that runs without torch.

    For `web.embedder = "onnx:FOLDER"`, with weights of eight bits where they embed alike.
    """
    cosine = write_embedder(source, to)
    typer.echo(f"{to}: cosine to the rows of 32 bits {cosine:.4f}")


@app.command("serve")
def serve(
    model: Annotated[str, typer.Argument(help="smollm2, or a GGUF file")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one")] = 8080,
    adapter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FOLDER", help="a LoRA adapter of peft; may be repeated"),
    ] = None,
    context: Annotated[
        int | None, typer.Option(help="tokens a slot; default: the model's, divided")
    ] = None,
    slots: Annotated[int, typer.Option(help="prompts at once, each with its own context")] = 4,
    threads: Annotated[int | None, typer.Option(help="default: one per idle core")] = None,
) -> None:
    """Serve a model to any client of OpenAI's API.

    On this machine, until Ctrl-C. The address is printed, and below it each adapter as it is named
    in the settings of a client.
    """
    listening_socket("127.0.0.1", port).close()  # llama.cpp does not say that a port is taken
    folders = dict(map(_named_folder, adapter or ()))
    settings = LLMSettings(
        f"llamacpp:{model}", folders, context=context, slots=slots, threads=threads
    )
    file = find_gguf(model)
    adapters = [converted_adapter(name, folder, file) for name, folder in folders.items()]
    server = start_server(file, adapters, settings, port=port)
    typer.echo(f"{server.listening_address}/v1")  # echo flushes
    for number, name in enumerate(folders):
        typer.echo(f'{name} = "lora:{number}"')
    threading.Event().wait()


def _named_folder(text: str) -> tuple[str, str]:
    """The name and the folder of an adapter.

    Raises:
        InputError: the text is not NAME=FOLDER.
    """
    name, _, folder = text.partition("=")
    if not name or not folder:
        raise InputError(f"an adapter is NAME=FOLDER, not {text!r}")
    return name, folder


main = partial(run, app)
