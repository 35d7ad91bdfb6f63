"""`python -m rigwise` is the command `rigwise`."""

from rigwise.cli import main

main()
