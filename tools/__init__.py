"""Scripts that turn public raw tables into the tables of the corpus."""
