"""Any folder of facts as one SQLite file: converted once, then reused."""

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from mock_api import import_neutral, import_official
from mock_api.builder import ProgressPrinter, TableSource, build
from mock_api.schema import VERSION
from mock_api.store import connect
from utils.errors import InputError


def import_folder(folder: Path, out: Path, progress: ProgressPrinter) -> None:
    """Convert `folder`, official or neutral, into the SQLite file `out`, which appears when done.

    Raises:
        InputError: the folder or a file in it is of an unknown form, or `out` cannot be written.
    """
    sources = _sources_of(folder)
    partial = out.with_name(f"{out.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        build(partial, folder, sources, progress)
        os.replace(partial, out)
    except sqlite3.Error as error:  # of `out`: those of files that are read name these files
        raise InputError(f"{out}: {error}") from error
    finally:
        partial.unlink(missing_ok=True)


def _sources_of(folder: Path) -> Sequence[TableSource]:
    """The sources of the form that the folder has.

    Raises:
        InputError: no file in it is one of either form.
    """
    for sources in (import_official.SOURCES, import_neutral.SOURCES):
        if any(any(folder.glob(source.pattern)) for source in sources):
            return sources
    raise InputError(f"{folder}: neither a folder of the official KG nor one of JSON lines")


def ready_file(data: Path, progress: ProgressPrinter, *, cache: Path | None = None) -> Path:
    """A SQLite file of `data`: itself, or the file that a folder was converted to, now or before.

    Args:
        data: a folder of facts, or a file that `import_folder` made.
        cache: the folder of converted files; by default one of this user's own in the system's
            folder for temporary files. A file is reused while the names, sizes and times of
            change of its sources stay the same; a broken one is rebuilt.

    Raises:
        InputError: there is nothing to serve at `data`.
    """
    if data.is_file():
        if not is_complete(data):
            raise InputError(f"{data}: not a file that `crag mock-api import` made")
        return data
    if not data.is_dir():
        raise InputError(f"{data}: no such file or folder")
    out = (cache or _users_folder()) / f"{_fingerprint(data)}.sqlite"
    if not is_complete(out):
        import_folder(data, out, progress)
    return out


def is_complete(path: Path) -> bool:
    """Whether `path` is a finished file of this version."""
    with suppress(sqlite3.Error), closing(connect(path)) as db:
        db.execute("SELECT rows FROM row_count")
        return bool(db.execute("PRAGMA user_version").fetchone() == (VERSION,))
    return False


def _fingerprint(folder: Path) -> str:
    """A hash of the names, sizes and times of change of all files in a folder."""
    folder = folder.resolve()
    files = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            stat = path.stat()
            files.append((str(path), stat.st_size, stat.st_mtime_ns))
    return hashlib.sha256(repr((VERSION, folder, files)).encode()).hexdigest()[:32]


def _users_folder() -> Path:
    """A folder that only this user can write to, the same one every time where possible."""
    folder = Path(tempfile.gettempdir()) / f"crag-mock-api-{os.getuid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        stat = folder.lstat()
        is_own = not folder.is_symlink() and stat.st_uid == os.getuid()
        if is_own and not stat.st_mode & 0o077:
            return folder
    return Path(tempfile.mkdtemp(prefix="crag-mock-api-"))
