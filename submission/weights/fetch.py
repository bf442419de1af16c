"""Fetch the files of a model from the Hugging Face hub or a local copy, and pin what they are."""

import shutil
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path

from submission.weights.table import FilePin, ModelRow, Pin
from utils.model_files import WeightsError, file_problem, model_files, sha256
from utils.packages import package

# What is loaded of a model; the rest of its repository is pictures and other formats.
LOADED = ("*.json", "*.safetensors", "*.sqlite", "*.txt", "*.model")
LEFT_OUT = ("original/*", "onnx/*", "openvino/*")


def download(repo: str, revision: str, files: Sequence[str], folder: Path) -> str:
    """Put `files` (patterns) of `repo` into `folder`; interrupted downloads resume.

    The hub and the token for gated models are those of huggingface_hub's own settings.

    Returns:
        the commit that `revision` names.

    Raises:
        MissingPackageError: huggingface_hub is not installed.
        WeightsError: the hub cannot be reached, refuses, or has no such model.
    """
    hub = package("huggingface_hub", "-e '.[weights]'")
    api = hub.HfApi()
    errors = hub.errors
    try:
        commit = str(api.model_info(repo, revision=revision).sha)
        api.snapshot_download(
            repo,
            revision=commit,
            local_dir=folder,
            allow_patterns=list(files),
            ignore_patterns=list(LEFT_OUT),
        )
        return commit
    except errors.GatedRepoError as error:
        raise WeightsError(
            f"the hub refuses {repo}: accept the model's licence on its page, then log in with "
            f"`hf auth login` ({error})"
        ) from error
    except (errors.HTTPError, OSError) as error:
        raise WeightsError(
            f"{repo} could not be fetched: {error}; run it again, the download resumes"
        ) from error


def fetch(
    model: ModelRow,
    root: Path,
    copies: Path | None = None,
    print_line: Callable[[str], None] = print,
) -> None:
    """Put the files of `model` into its folder below `root`, each verified; whole files stay.

    Files that `copies` (a copy of the model's folder, or a folder that contains one) does not have
    come from the hub.

    Raises:
        WeightsError: the row is not pinned, or a file cannot be fetched or differs from its pin.
    """
    if model.pin is None:
        raise WeightsError(
            f"{model.name} is not pinned: `crag weights pin {model.name} --hub`, "
            f"or `--from FOLDER --revision COMMIT`"
        )
    folder = root / model.folder
    missing = []
    for path, pin in model.pin.files.items():
        file = folder / path
        if file_problem(file, pin.size, pin.sha256) is None:
            print_line(f"{file}: there")
            continue
        file.unlink(missing_ok=True)
        copy = _whole_copy(model, path, pin, copies)
        if copy is None:
            missing.append(path)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(copy, file)
    if missing and not model.repo:
        where = copies or "no folder: give one with --from"
        raise WeightsError(f"{model.name}: {missing[0]} of the table is not in {where}")
    if missing:
        download(model.repo, model.pin.revision, missing, folder)
    for path in missing:
        pin = model.pin.files[path]
        problem = file_problem(folder / path, pin.size, pin.sha256)
        if problem is not None:
            (folder / path).unlink(missing_ok=True)  # the next attempt starts afresh
            raise WeightsError(f"{model.name}: the file differs from its pin: {problem.says}")
        print_line(f"{folder / path}: fetched")


def _whole_copy(model: ModelRow, path: str, pin: FilePin, copies: Path | None) -> Path | None:
    """The file below `copies` that equals the pin; None if there is none."""
    if copies is None:
        return None
    for folder in (copies / model.folder.name, copies / model.name, copies):
        if file_problem(folder / path, pin.size, pin.sha256) is None:
            return folder / path
    return None


def pin_local(model: ModelRow, folder: Path, revision: str = "") -> Pin:
    """The pin of the files in `folder`; a model of the hub needs its `revision`, the commit.

    Raises:
        WeightsError: the folder lacks a file of the row or holds one that is not whole.
    """
    revision = revision or (model.pin.revision if model.pin else "")
    if model.repo and not revision:
        raise WeightsError(f"--revision must say which commit of {model.repo} {folder} is")
    paths = [file.relative_to(folder).as_posix() for file in model_files(folder)]
    files = {}
    for path in model.files or filter(_is_loaded, paths):
        problem = file_problem(folder / path)
        if problem is not None:
            raise WeightsError(problem.says)
        size = (folder / path).stat().st_size
        files[path] = FilePin(size=size, sha256=sha256(folder / path))
    if not files:
        raise WeightsError(f"{folder} holds no files of a model")
    return Pin(revision=revision if model.repo else "", files=files)


def pin_hub(model: ModelRow, root: Path, revision: str = "main") -> Pin:
    """The pin of what the hub serves, which is downloaded for it.

    Raises:
        WeightsError: the model is not on the hub, or cannot be downloaded whole.
    """
    if not model.repo:
        raise WeightsError(f"{model.name} is not on the hub: pin it with --from FOLDER")
    folder = root / model.folder
    commit = download(model.repo, revision, model.files or LOADED, folder)
    return pin_local(model, folder, commit)


def _is_loaded(path: str) -> bool:
    if any(fnmatch(path, pattern) for pattern in LEFT_OUT):
        return False
    return any(fnmatch(path, pattern) for pattern in LOADED)
