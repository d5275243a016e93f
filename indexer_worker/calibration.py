"""How good the best hit must be to count as an answer: scores mean something else in every embedding model."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from indexer_worker import index
from tenderscrapy.ai.vectors import as_halfvec
from tenderscrapy.database.pool import connect, transaction
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.search.answers import answers
from tenderscrapy.search.query import Query
from tenderscrapy.search.ranking import fused
from tenderscrapy.search.vectors import active_model
from tenderscrapy.search.within import Within

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from tenderscrapy.ai.provider import EmbeddingProvider

logger = logging.getLogger(__name__)

#: This share of the questions without an answer shall get none, as long as no more than that of the others lose theirs.
SILENT = 0.9
LOST = 0.05
MIN_TENDERS = 100
SAMPLED_TENDERS = 200

#: What nobody puts out to tender, in the languages of the collections.
UNANSWERABLE = (
    "how to bake an apple pie without eggs",
    "who won the football world cup final",
    "symptoms of a cold in small children",
    "lyrics of a sad love song about the sea",
    "best opening moves against the Sicilian defence",
    "what is the meaning of life",
    "my cat does not eat its breakfast",
    "distance between the moon and the earth",
    "how do I learn to play the violin alone",
    "horoscope for lovers born in March",
    "Rezept für Kartoffelsuppe mit Würstchen",
    "wie alt wurde der älteste Papagei",
    "lustige Geburtstagssprüche für meinen Onkel",
    "warum ist der Himmel am Abend rot",
    "wer spielt die Hauptrolle im neuen Krimi",
    "Gedicht über den Herbst für die Schule",
    "Strickanleitung für einen warmen Pullover",
    "wie werde ich schneller beim Schwimmen",
    "recette de la tarte aux pommes de ma grand-mère",
    "pourquoi les chats ronronnent-ils la nuit",
    "paroles d'une chanson d'amour triste",
    "comment apprendre à jouer aux échecs",
    "qui a gagné le tour de France cette année",
    "comment se débarrasser du hoquet",
    "receta de tortilla de patatas con cebolla",
    "por qué los perros ladran a la luna",
    "cómo aprender a tocar la guitarra solo",
    "frases bonitas para una boda",
    "ricetta della pasta al pomodoro",
    "chi ha scritto questa vecchia canzone",
    "perché i gatti hanno paura dell'acqua",
    "przepis na zupę ogórkową babci",
    "jak nauczyć psa podawać łapę",
    "dlaczego liście spadają jesienią",
    "hoe bak ik pannenkoeken zonder melk",
    "waarom slapen vleermuizen ondersteboven",
)


def calibrate(database_url: str, provider: EmbeddingProvider) -> str:
    """Set ``embedding_model.min_score`` of the active model from this very collection; says what it is now.

    Questions that no tender answers are searched for, and the score of their best hit is what a search compares with
    the threshold: by chance some word of theirs occurs. Of questions with an answer the hardest count, those that share
    no word with it, as in another language: their score is the nearness in meaning alone. Titles of indexed tenders
    stand for them, compared with the other passages of their tender, as the card repeats the title. Raises
    ConfigurationError when the collection is too small to tell.
    """
    with closing(connect(database_url, application_name="tenderscrapy calibrate")) as connection:
        index.ensure_model(connection, provider)
        with transaction(connection):
            titles = list(queries("index").titled_passages(connection, model=provider.model, count=SAMPLED_TENDERS))
        if len(titles) < MIN_TENDERS:
            raise ConfigurationError(
                f"Only {len(titles)} indexed tenders have a description; {MIN_TENDERS} are needed to calibrate."
            )
        wrong = np.asarray([_best_hit(connection, provider, text) for text in UNANSWERABLE])
        right = np.asarray([_nearness(connection, provider, title, tender_id) for title, tender_id in titles])
        score = threshold(wrong, right)
        with transaction(connection):
            queries("index").set_min_score(connection, model=provider.model, score=score)
    return (
        f"{provider.model}: min_score {score:.3f}; below it are {(wrong < score).mean():.0%} of {len(wrong)} questions "
        f"without an answer and {(right < score).mean():.0%} of {len(right)} with one"
    )


def threshold(wrong: np.ndarray, right: np.ndarray) -> float:
    """The score below which SILENT of the ``wrong`` ones lie, or LOST of the ``right`` ones where that is lower."""
    return float(min(np.quantile(wrong, SILENT), np.quantile(right, LOST)))


def _best_hit(connection: Connection, provider: EmbeddingProvider, text: str) -> float:
    vector = as_halfvec(provider.embed_query(text))
    with transaction(connection):
        found = answers(connection, Query.parse(text), vector, active_model(connection), Within.everything())
    return found.hits[0].score if found.hits else 0.0


def _nearness(connection: Connection, provider: EmbeddingProvider, title: str, tender_id: str) -> float:
    vector = as_halfvec(provider.embed_query(title))
    with transaction(connection):
        cosine = queries("index").best_cosine(connection, vector=vector, model=provider.model, tender_id=tender_id)
    return fused(cosine, 0.0)
