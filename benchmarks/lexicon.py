"""`python -m benchmarks.lexicon --data FILE …`: phrases of the lexicon that one question alone has.

Such a phrase may be there for the sake of that question: it should be ordinary English, or go.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from models.kg.linking.question import Asked
from models.kg.semparse.lexicon import lexicon
from models.kg.semparse.matching import Matcher


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lexicon", description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(argv)
    stemmer, found = lexicon().stemmer, defaultdict[str, list[str]](list)
    for file in options.data:
        for line in file.read_text(encoding="utf-8").splitlines():
            query = str(json.loads(line)["query"])
            stems = [stemmer.stem(word.text) for word in Asked.of(query).words]
            matcher = Matcher(stems, stemmer)
            for phrase in (*lexicon().phrases, *lexicon().filters):
                if matcher.find([phrase]):
                    found[phrase].append(query)
    lone = {phrase: queries[0] for phrase, queries in found.items() if len(queries) == 1}
    for phrase, query in sorted(lone.items()):
        sys.stdout.write(f"{phrase}: {query}\n")
    if options.json:
        options.json.write_text(json.dumps(lone, indent=1), encoding="utf-8")
    total = len({*lexicon().phrases, *lexicon().filters})
    sys.stdout.write(f"{len(lone)} of {total} phrases stand in one question alone\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
