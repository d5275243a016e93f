"""Vectors on their way into PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgvector import HalfVector

if TYPE_CHECKING:
    import numpy as np


def as_halfvec(vector: np.ndarray) -> str:
    """The text form of pgvector's ``halfvec``, rounded as it is stored."""
    text: str = HalfVector(vector).to_text()
    return text
