"""``python -m armslength``."""

from .cli import main

main()
