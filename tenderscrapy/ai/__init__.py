"""Models: the vectors of texts, by one protocol."""
