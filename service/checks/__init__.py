"""What the checker of answers looks at: names, quotes, numbers, qualifiers, negation, words. It never sees the question."""
