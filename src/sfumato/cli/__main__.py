"""`python -m sfumato.cli`, the same as `sfumato`."""

import sys

from . import start

if __name__ == "__main__":
    sys.exit(start())
