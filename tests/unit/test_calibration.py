"""The threshold between answers and what only looks like one."""

from __future__ import annotations

import numpy as np

from indexer_worker.calibration import threshold


def test_nine_in_ten_questions_without_an_answer_get_none():
    wrong, right = np.linspace(0.1, 0.3, 21), np.linspace(0.5, 0.9, 21)
    score = threshold(wrong, right)
    assert (wrong < score).mean() >= 0.85
    assert (wrong >= score).any()
    assert (right < score).sum() == 0


def test_where_scores_mix_hardly_an_answer_is_lost():
    wrong, right = np.linspace(0.1, 0.5, 41), np.linspace(0.3, 0.9, 61)
    score = threshold(wrong, right)
    assert 0.04 <= (right < score).mean() <= 0.05
    assert (wrong < score).mean() < 0.9


def test_a_model_that_cannot_tell_leaves_everything_to_the_reader():
    wrong, right = np.full(10, 0.9), np.full(10, 0.1)
    assert threshold(wrong, right) == 0.1
