"""Pure functions that bring written values into one form."""
