"""`python -m sfumato.cli`, the same as `sfumato`."""

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())
