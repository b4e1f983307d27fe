"""``python -m gpusched`` is the command ``gpusched``."""

from ._command import main

main()
