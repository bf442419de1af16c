"""`python -m models.kg.semparse`, the former name of `python -m models.kg.parsing`."""

import sys

from models.kg.parsing.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
