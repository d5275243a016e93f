"""Who publishes notices, and how to walk it."""
