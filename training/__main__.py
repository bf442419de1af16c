"""`crag training COMMAND`: training data, adapters and weights, and their evaluation."""

import sys
from functools import partial

from training.commands import adapters, pairs, samples, weights
from utils.cli import new_app, run

app = new_app("Make training data, tune adapters, fit weights, and evaluate them.", shows_help=True)
for area in (pairs, samples, adapters, weights):
    app.add_typer(area.app)
main = partial(run, app, name="crag training")

if __name__ == "__main__":
    sys.exit(main())
