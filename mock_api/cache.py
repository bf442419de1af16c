"""Any folder of facts as one SQLite file: converted once, then reused."""

import hashlib
import os
import sqlite3
import tempfile
import time
from pathlib import Path

from mock_api.builder import Builder, Progress
from mock_api.import_neutral import import_neutral, is_neutral
from mock_api.import_official import import_official, is_official
from mock_api.schema import VERSION
from utils.errors import InputError

_KEEP_S = 7 * 24 * 3600.0


def import_folder(folder: Path, out: Path, progress: Progress) -> None:
    """Convert `folder`, official or neutral, into the SQLite file `out`, which appears when done.

    Raises:
        InputError: the folder or a file in it is of an unknown form, or `out` cannot be written.
    """
    if is_official(folder):
        fill = import_official
    elif is_neutral(folder):
        fill = import_neutral
    else:
        raise InputError(f"{folder}: neither a folder of the official KG nor one of JSON lines")
    partial = out.with_name(f"{out.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        builder = Builder(partial, progress)
        try:
            fill(folder, builder)
            builder.finish()
        finally:
            builder.close()
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
            change of its sources stay the same; a broken one is rebuilt, and one that nobody has
            used for a week is deleted.

    Raises:
        InputError: there is nothing to serve at `data`.
    """
    if data.is_file():
        if not is_complete(data):
            raise InputError(f"{data}: not a file that `python -m mock_api import` made")
        return data
    if not data.is_dir():
        raise InputError(f"{data}: no such file or folder")
    cache = cache or _own_folder()
    out = cache / f"{_fingerprint(data)}.sqlite"
    if not is_complete(out):
        import_folder(data, out, progress)
    os.utime(out)
    _delete_old(cache)
    return out


def is_complete(path: Path) -> bool:
    """Whether `path` is a finished file of this version."""
    if not path.is_file():
        return False
    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            rows = db.execute("SELECT count(*) FROM row_count").fetchone()
        finally:
            db.close()
    except sqlite3.Error:
        return False
    return bool(version == VERSION and rows[0])


def _fingerprint(folder: Path) -> str:
    seen = hashlib.sha256(f"{VERSION} {folder.resolve()}".encode(errors="surrogateescape"))
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            stat = path.stat()
            line = f"\n{path.relative_to(folder)} {stat.st_size} {stat.st_mtime_ns}"
            seen.update(line.encode(errors="surrogateescape"))
    return seen.hexdigest()[:32]


def _own_folder() -> Path:
    """A folder that only this user can write to, the same one every time where possible."""
    folder = Path(tempfile.gettempdir()) / f"crag-mock-api-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        stat = folder.lstat()
    except OSError:
        return Path(tempfile.mkdtemp(prefix="crag-mock-api-"))
    if folder.is_symlink() or stat.st_uid != os.getuid() or stat.st_mode & 0o077:
        return Path(tempfile.mkdtemp(prefix="crag-mock-api-"))
    return folder


def _delete_old(cache: Path) -> None:
    for path in cache.glob("*.sqlite"):
        try:
            if time.time() - path.stat().st_mtime > _KEEP_S:
                path.unlink()
        except OSError:
            continue  # another server has just done it
