"""The command ``gpusched`` of the wheel."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> None:
    """Runs the command with the arguments of this process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the process, as it ends the command
    sys.exit(_native.main(["gpusched", *sys.argv[1:]]))
