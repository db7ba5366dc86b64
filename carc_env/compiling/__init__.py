"""What we ask of numba, all in one place."""
