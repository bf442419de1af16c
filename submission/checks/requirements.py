"""requirements.txt: every line readable and pinned, and no two that exclude each other."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from submission.tree import Tree

SUBMISSION = "requirements.txt"


@dataclass(frozen=True, slots=True)
class Line:
    """A requirement and where it stands."""

    requirement: Requirement
    where: str

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def pin(self) -> str | None:
        """The one version that it takes; None: it takes several."""
        exact = [s.version for s in self.requirement.specifier if s.operator == "=="]
        return exact[0] if exact and not exact[0].endswith("*") else None


def requirements(tree: Tree) -> Iterator[str]:
    """What cannot be installed, or could be installed otherwise tomorrow."""
    by_name: dict[str, list[Line]] = defaultdict(list)
    try:
        for line in read_lines(tree.root / SUBMISSION):
            by_name[line.name].append(line)
    except (InvalidRequirement, OSError) as error:
        yield f"requirements cannot be read: {error}"
        return
    for name, lines in by_name.items():
        pins = [(line, line.pin) for line in lines]
        pinned = [(line, pin) for line, pin in pins if pin is not None]
        if not pinned:
            yield f"{name} is not pinned in {SUBMISSION} ({lines[0].where})"
        for line, pin in pinned:
            for other in lines:
                if not other.requirement.specifier.contains(pin, prereleases=True):
                    yield (
                        f"{line.requirement} ({line.where}) and {other.requirement} "
                        f"({other.where}) exclude each other"
                    )


def read_lines(file: Path) -> Iterator[Line]:
    """The requirements of `file` and of those that it names by -r.

    Raises:
        InvalidRequirement, OSError: one cannot be read.
    """
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        line = text.split(" #")[0].strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("-r"):
            yield from read_lines(file.parent / line.removeprefix("-r").strip())
            continue
        try:
            yield Line(Requirement(line), f"{file.name}:{number}")
        except InvalidRequirement as error:
            raise InvalidRequirement(f"{file.name}:{number}: {error}") from error
