"""`python -m models.kg 'get_movie("…")["release_date"]' --api URL` runs or explains a program."""

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime

from models.kg.execute import execute
from models.kg.explain import explain
from models.kg.language.parser import parse
from models.kg.language.printer import to_text
from models.kg.language.schema import schema_table, schema_text
from models.kg.verbalize import sentences
from models.records import Domain
from models.settings import load_settings
from utils.crag_api import CragClient
from utils.deadline import Deadline
from utils.errors import CragError, SettingsError
from utils.tokens import estimate_tokens


def main(argv: Sequence[str]) -> int:
    """The exit status: 0, or 2 with a word on stderr for a program or setting that is wrong."""
    parser = argparse.ArgumentParser(prog="python -m models.kg", description=__doc__)
    parser.add_argument("program", nargs="?", help='such as get_movie("…")["release_date"]')
    parser.add_argument(
        "--schema",
        nargs="?",
        const="all",
        metavar="DOMAIN",
        help="print the functions and keys as prompts list them",
    )
    parser.add_argument("--table", action="store_true", help="print them as a table of docs")
    parser.add_argument("--api", metavar="URL", help="the KG API; default: CRAG_MOCK_API_URL")
    parser.add_argument("--now", metavar="TIME", help="the question's time, as 2024-03-10T23:19:21")
    parser.add_argument("--explain", action="store_true", help="print the plan, and call nothing")
    parser.add_argument("--strict", action="store_true", help="repair nothing in the program")
    parser.add_argument("--seconds", type=float, default=30.0, help="for all calls together")
    options = parser.parse_args(argv)
    try:
        lines, failed = _lines(options)
    except CragError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if failed else 0


def _lines(options: argparse.Namespace) -> tuple[list[str], bool]:
    """What is printed, and whether a statement failed."""
    if options.table:
        return [schema_table()], False
    if options.schema is not None:
        text = schema_text(None if options.schema == "all" else Domain(options.schema))
        return [text, f"# {len(text)} characters, at most {estimate_tokens(text)} tokens"], False
    if options.program is None:
        raise SettingsError("no program: give one, or --schema")
    parsed = parse(options.program, strict=options.strict)
    repairs = [f"repaired: {repair}" for repair in parsed.repairs]
    if repairs:
        repairs.append(f"read as: {to_text(parsed.program)}")
    if options.explain:
        return [*repairs, explain(parsed.program)], False
    settings = load_settings(api_url=options.api)
    if settings.api_url is None:
        raise SettingsError("no KG API: give --api URL, or set CRAG_MOCK_API_URL")
    with CragClient(settings.api_url) as client:
        outcomes = execute(
            parsed.program, client, _now(options.now), Deadline.after(options.seconds)
        )
    errors = [f"failed: {error}" for outcome in outcomes for error in outcome.errors]
    return [*repairs, *sentences(outcomes), *errors], bool(errors)


def _now(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise SettingsError(f"--now must be a time such as 2024-03-10T23:19:21: {error}") from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
