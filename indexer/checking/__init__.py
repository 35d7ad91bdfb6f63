"""The checks behind `rigwise corpus check`, one module a kind of document."""
