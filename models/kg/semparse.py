"""`python -m models.kg.semparse`, a former name of `crag parse`."""

import sys

from models.kg.parsing.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
