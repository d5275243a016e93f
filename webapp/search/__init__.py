"""Finding tenders: by identifier first, else by meaning and words together."""
