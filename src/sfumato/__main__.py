"""`python -m sfumato`, the same as `sfumato`."""

import sys

from sfumato.cli import start

if __name__ == "__main__":
    sys.exit(start())
