"""The core of the tender radar; the packages beside it import it, it imports none of them."""
