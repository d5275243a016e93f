"""Which notices are one tender, and what its merged record says."""
