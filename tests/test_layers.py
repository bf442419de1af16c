"""Which package may import which, and what importing the entry point must not pull in."""

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

from models.systems.make_system import SYSTEMS, subtasks_of

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "utils": {"utils"},
    "models": {"models", "utils"},
    "mock_api": {"mock_api", "utils"},
    "evaluation": {"evaluation", "models", "utils"},
    "benchmarks": {"benchmarks", "training", "evaluation", "mock_api", "models", "utils"},
    "training": {"training", "evaluation", "mock_api", "models", "utils"},
    "submission": {"submission", "evaluation", "mock_api", "models", "utils"},
    "playground": {"playground", "evaluation", "models", "utils"},
}

# A KG on disk is read in the process of a laptop's run; a submission does not get that far.
EXCEPTIONS = {("models/kg/client.py", "mock_api.local")}
# The parts of `models`, the lowest first: each may import its own row and those above it. An
# application (`__main__.py`, `check.py`) may import all of them.
LAYERS = (
    {"records", "load_shedding", "english"},
    {"llm", "ranking", "prompts"},
    {"web", "kg", "public_data", "settings"},
    {"runtime", "reading", "batch_input", "task"},
    {"subtasks"},
    {"systems"},
    {"user_model"},
    {"user_config", "check"},
)
# The parts of `models/kg`, the lowest first: each imports only itself and those before it.
KG_LAYERS = (
    "client",
    "schema",
    "lexicon",
    "names",
    "language",
    "execution",
    "wording",
    "run",
    "parsing",
)


def _names_module(value: object) -> TypeGuard[str]:
    """Whether a constant is the name of a module of ours, with dots."""
    if not isinstance(value, str) or not re.fullmatch(r"\w+(\.\w+)+", value):
        return False
    return (ROOT / f"{value.replace('.', '/')}.py").is_file()


def imports(file: Path) -> Iterator[tuple[str, list[str]]]:
    """Each module that `file` imports, also by its name as a text, with the names that it imports
    from there."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and _names_module(node.value):
            yield node.value, []


def modules() -> dict[str, set[str]]:
    """Each module of `models` with the modules of `models` that it imports."""
    files = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in (ROOT / "models").rglob("*.py")
    }
    found: dict[str, set[str]] = {name: set() for name in files}
    for name, file in files.items():
        for module, names in imports(file):
            inner = {f"{module}.{part}" for part in names} & files.keys()
            found[name] |= inner or {module} & files.keys()
    return found


def test_models_imports_go_down_and_have_no_circle() -> None:
    rank = {part: row for row, parts in enumerate(LAYERS) for part in parts}
    found = modules()
    assert not [
        f"{name} imports {other}"
        for name, others in found.items()
        if name.count(".") and not name.endswith("__main__")
        for other in others
        if other.count(".") and rank[other.split(".")[1]] > rank[name.split(".")[1]]
    ]
    graphlib.TopologicalSorter(found).prepare()  # its error shows the circle


def test_the_parts_of_the_kg_import_only_downwards() -> None:
    rank = {part: row for row, part in enumerate(KG_LAYERS)}
    parts = {kg_part(name) for name in modules()} - {"", "__main__"}
    assert parts == set(KG_LAYERS)
    upward = []
    for name, others in modules().items():
        part = kg_part(name)
        for other in others:
            if part in rank and rank.get(kg_part(other), -1) > rank[part]:
                upward.append(f"{name} imports {other}")
    assert not upward


def test_programs_run_through_one_door() -> None:
    """Outside the KG nobody plans or executes a program but by `models.kg.run`."""
    inner = {"models.kg.execution.execute", "models.kg.execution.plan"}
    for package in MAY_IMPORT:
        for file in (ROOT / package).rglob("*.py"):
            if ROOT / "models" / "kg" not in file.parents:
                assert inner.isdisjoint(module for module, _ in imports(file)), file


def test_no_list_of_systems_or_subtasks_stands_outside_their_modules() -> None:
    """A system declares its name by its file, and the rest in `SYSTEM`."""
    systems = [name for name in SYSTEMS if name != "offline"]
    subtasks = {name for system in systems for name in subtasks_of(system)}
    owners = [ROOT / "models" / name for name in ("systems", "subtasks")]
    for path, text in our_files():
        if any(owner in (ROOT / path).parents for owner in owners):
            continue
        quoted = set(re.findall(r'"(\w+)"', text))
        assert len(quoted & set(systems)) <= 1, path
        assert len(quoted & subtasks) <= 3, path


def kg_part(module: str) -> str:
    """The folder or module of `models/kg` that a module is in; "" for another module."""
    parts = module.split(".")
    return parts[2] if module.startswith("models.kg.") else ""


def test_no_folder_of_the_kg_reads_files_of_another_one() -> None:
    """Data is read through the module that owns it: no path leaves a module's own folder."""
    assert not [
        str(file.relative_to(ROOT))
        for file in (ROOT / "models" / "kg").rglob("*.py")
        if re.search(
            r"\.parents\b|\.parent\.parent|\.\./|resources\.files|Path\(\"models",
            file.read_text(encoding="utf-8"),
        )
    ]


def test_nothing_about_a_question_is_kept_by_its_number() -> None:
    """What a system has found stands in the question's `Case`."""
    by_number = re.compile(r"(?:[Mm]apping|dict)\[(?:tuple\[)?int\b[^\]]*\]+")
    allowed = {
        "Mapping[int, PageText]",
        "dict[int, None]",  # the numbers of references
        "dict[int, list[_PendingRequest]]",  # by engine
    }
    folders = [ROOT / "models" / name for name in ("systems", "subtasks", "runtime")]
    files = [file for folder in folders for file in folder.rglob("*.py")]
    found = {match for file in files for match in by_number.findall(file.read_text("utf-8"))}
    assert found <= allowed


def test_a_package_imports_only_what_is_below_it() -> None:
    assert all((ROOT / package).is_dir() for package in MAY_IMPORT)
    assert not [
        f"{file.relative_to(ROOT)} imports {module}"
        for package, allowed in MAY_IMPORT.items()
        for file in (ROOT / package).rglob("*.py")
        for module, _ in imports(file)
        if module.split(".")[0] in MAY_IMPORT.keys() - allowed
        and (str(file.relative_to(ROOT)), module) not in EXCEPTIONS
    ]


def our_files() -> Iterator[tuple[str, str]]:
    """The path and text of each file of ours."""
    for package in MAY_IMPORT:
        for file in (ROOT / package).rglob("*.py"):
            yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def test_only_settings_and_the_drop_in_client_read_the_environment() -> None:
    readers = {path for path, text in our_files() if "os.environ" in text or "getenv" in text}
    readers.remove("evaluation/model_process.py")  # hands it on to another team's model
    assert readers == {"models/settings.py", "utils/crag_api.py"}


def test_the_entry_point_pulls_in_no_torch_and_no_vllm() -> None:
    code = (
        "import sys; from models.user_config import UserModel; UserModel(); "
        "print([m for m in ('torch', 'vllm', 'transformers', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
