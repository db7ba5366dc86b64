"""`python -m carc_env` is the command `carc`."""

import sys

from carc_env.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
