"""The packages that a model's own files import, and requirements.txt lacks."""

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.utils import canonicalize_name

from submission.requirements import FILE, pins

_IMPORT_ERRORS = frozenset(("ImportError", "ModuleNotFoundError", "Exception"))


def unpinned_imports(root: Path) -> Iterator[str]:
    """What requirements.txt of `root` lacks, of what the modules imported from there import; an
    import that may fail is none."""
    pinned = {name for name, _ in pins(root)}
    distributions = packages_distributions()
    for file in _imported_files(root):
        for name in dict.fromkeys(_names_in(ast.parse(file.read_bytes()))):
            is_own = (root / name).is_dir() or (root / f"{name}.py").is_file()
            owners = [canonicalize_name(each) for each in distributions.get(name, ())]
            if owners and not is_own and pinned.isdisjoint(owners):
                yield (
                    f"{file.relative_to(root)} imports {name}, but {FILE} lacks {owners[0]}: add "
                    "it to pyproject.toml, then `crag submission requirements`"
                )


def _imported_files(root: Path) -> Iterator[Path]:
    for module in list(sys.modules.values()):
        file = Path(getattr(module, "__file__", None) or "")
        if file.suffix == ".py" and file.is_relative_to(root):
            yield file


def _names_in(node: ast.AST) -> Iterator[str]:
    """The packages that code imports, in functions, too."""
    match node:
        case ast.Import():
            yield from (alias.name.partition(".")[0] for alias in node.names)
            return
        case ast.ImportFrom():
            if node.module and not node.level:
                yield node.module.partition(".")[0]
            return
        case ast.If() if "TYPE_CHECKING" in ast.unparse(node.test):
            children = node.orelse
        case ast.Try() if any(map(_expects_import_error, node.handlers)):
            children = [*node.orelse, *node.finalbody]
        case _:
            children = list(ast.iter_child_nodes(node))  # type: ignore[arg-type]
    for child in children:
        yield from _names_in(child)


def _expects_import_error(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return not names.isdisjoint(_IMPORT_ERRORS)
