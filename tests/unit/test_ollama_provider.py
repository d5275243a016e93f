"""The Ollama provider against a server that speaks its protocol."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from ollama_double import OllamaDouble, vector

from tenderscrapy.ai import ollama as module
from tenderscrapy.ai.ollama import OllamaProvider
from tenderscrapy.exceptions import EmbeddingError, EmbeddingUnavailableError, TextTooLongError


@pytest.fixture
def double():
    with OllamaDouble() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch):
    monkeypatch.setattr(module, "BUSY_WAITS", (0.01, 0.01))


def test_vectors_come_in_the_order_of_the_texts(double):
    vectors = OllamaProvider(double.url, "test-embed").embed_documents(["road works", "cleaning"])
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [vector("road works", 64), vector("cleaning", 64)], atol=1e-6)


def test_the_dimension_is_read_from_the_first_answer(double):
    double.dim = 384
    assert OllamaProvider(double.url, "test-embed").dim == 384


def test_texts_are_never_cut_by_the_server(double):
    OllamaProvider(double.url, "test-embed").embed_documents(["a"])
    assert double.requests[0]["truncate"] is False


def test_each_family_gets_its_own_prefixes(double):
    double.model = "library/nomic-embed-text:v1.5"
    provider = OllamaProvider(double.url, double.model)
    provider.embed_documents(["roof"])
    provider.embed_query("roof")
    assert double.texts == ["search_document: roof", "search_query: roof"]


def test_a_model_without_a_known_prefix_gets_the_text_alone(double):
    OllamaProvider(double.url, "test-embed").embed_query("roof")
    assert double.texts == ["roof"]


def test_a_busy_server_is_asked_again(double):
    double.faults = deque([503, 503])
    assert OllamaProvider(double.url, "test-embed").embed_documents(["a"]).shape == (1, 64)
    assert len(double.requests) == 3


def test_a_server_that_stays_busy_is_unavailable_after_three_questions(double):
    double.faults = deque([503] * 5)
    with pytest.raises(EmbeddingUnavailableError, match="503"):
        OllamaProvider(double.url, "test-embed").embed_documents(["a"])
    assert len(double.requests) == 3


def test_a_query_is_asked_once(double):
    double.faults = deque([503])
    with pytest.raises(EmbeddingUnavailableError):
        OllamaProvider(double.url, "test-embed").embed_query("a")


@pytest.mark.parametrize("fault", [500, 502, 429, 301, "drop"])
def test_a_server_in_trouble_is_unavailable(double, fault):
    double.faults = deque([fault] * 3)
    with pytest.raises(EmbeddingUnavailableError):
        OllamaProvider(double.url, "test-embed").embed_documents(["a"])


@pytest.mark.parametrize(
    ("fault", "said"),
    [("nan", "finite"), ("zero", "zeros"), ("count", "2 texts"), ("short", "lengths"), ("json", "read")],
)
def test_an_answer_that_is_no_vectors_is_an_error(double, fault, said):
    double.faults = deque([fault])
    with pytest.raises(EmbeddingError, match=said):
        OllamaProvider(double.url, "test-embed").embed_documents(["a", "b"])


def test_a_vector_of_another_length_than_before_is_an_error(double):
    provider = OllamaProvider(double.url, "test-embed")
    provider.embed_query("a")
    double.faults = deque(["short"])
    with pytest.raises(EmbeddingError, match="63 dimensions"):
        provider.embed_query("a")


def test_a_missing_model_says_how_to_get_it(double):
    with pytest.raises(EmbeddingUnavailableError, match="ollama pull other"):
        OllamaProvider(double.url, "other").embed_query("a")


def test_a_text_too_long_is_told_apart_from_other_refusals(double):
    double.max_tokens = 10
    with pytest.raises(TextTooLongError):
        OllamaProvider(double.url, "test-embed").embed_documents(["word " * 50])
    double.faults = deque([400])
    with pytest.raises(EmbeddingError) as caught:
        OllamaProvider(double.url, "test-embed").embed_documents(["a"])
    assert not isinstance(caught.value, TextTooLongError)


def test_nobody_listening_is_unavailable():
    with pytest.raises(EmbeddingUnavailableError):
        OllamaProvider("http://127.0.0.1:1", "test-embed").embed_query("a")


def test_no_texts_make_no_request(double):
    provider = OllamaProvider(double.url, "test-embed")
    assert provider.dim == 64
    assert provider.embed_documents([]).shape == (0, 64)
    assert len(double.requests) == 1
