"""Any folder of facts as one SQLite file: converted once, then reused."""

import hashlib
import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from mock_api import import_neutral, import_official
from mock_api.builder import Progress, build
from mock_api.schema import VERSION
from mock_api.store import connect
from utils.errors import InputError


def import_folder(folder: Path, out: Path, progress: Progress) -> None:
    """Convert `folder`, official or neutral, into the SQLite file `out`, which appears when done.

    Raises:
        InputError: the folder or a file in it is of an unknown form, or `out` cannot be written.
    """
    for sources in (import_official.SOURCES, import_neutral.SOURCES):
        if any(any(folder.glob(pattern)) for _, pattern, _ in sources):
            break
    else:
        raise InputError(f"{folder}: neither a folder of the official KG nor one of JSON lines")
    partial = out.with_name(f"{out.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        build(partial, folder, sources, progress)
        os.replace(partial, out)
    except sqlite3.Error as error:  # of `out`: those of files that are read name these files
        raise InputError(f"{out}: {error}") from error
    finally:
        partial.unlink(missing_ok=True)


def ready_file(data: Path, progress: Progress, *, cache: Path | None = None) -> Path:
    """A SQLite file of `data`: itself, or what a folder was converted to, now or before.

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
            raise InputError(f"{data}: not a file that `python -m mock_api import` made")
        return data
    if not data.is_dir():
        raise InputError(f"{data}: no such file or folder")
    out = (cache or _own_folder()) / f"{_fingerprint(data)}.sqlite"
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
    folder = folder.resolve()
    files = ((path, path.stat()) for path in sorted(folder.rglob("*")) if path.is_file())
    seen = [(str(path), stat.st_size, stat.st_mtime_ns) for path, stat in files]
    return hashlib.sha256(repr((VERSION, folder, seen)).encode()).hexdigest()[:32]


def _own_folder() -> Path:
    """A folder that only this user can write to, the same one every time where possible."""
    folder = Path(tempfile.gettempdir()) / f"crag-mock-api-{os.getuid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        stat = folder.lstat()
        if not folder.is_symlink() and stat.st_uid == os.getuid() and not stat.st_mode & 0o077:
            return folder
    return Path(tempfile.mkdtemp(prefix="crag-mock-api-"))
