"""What a search compares: shared by whoever answers queries and whoever measures the answers."""
