"""Which sources there are, which hosts are never asked, and how far a source has been read."""
