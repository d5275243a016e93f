-- How a chunk's words and a query's words are made: one definition, so that both sides always agree.
-- depends: 0005_access

-- Words as written, without accents: codes, names and what no stemmer knows. "Straße" is found by "strasse".
CREATE TEXT SEARCH CONFIGURATION plain (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION plain
    ALTER MAPPING FOR hword, hword_part, word WITH unaccent, simple;

-- Words of a chunk: title A, buyer B, text C; each stemmed in its language and plain.
CREATE FUNCTION chunk_words(lang text, title text, buyer text, body text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(to_tsvector(text_config(lang), coalesce(title, '')) || to_tsvector('plain'::regconfig, coalesce(title, '')), 'A')
    || setweight(to_tsvector('plain'::regconfig, coalesce(buyer, '')), 'B')
    || setweight(to_tsvector(text_config(lang), coalesce(body, '')) || to_tsvector('plain'::regconfig, coalesce(body, '')), 'C');

-- What a reader types, for chunks in any of these languages: stemmed in each, or plain.
CREATE FUNCTION query_words(langs text[], query text) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    words tsquery := websearch_to_tsquery('plain'::regconfig, coalesce(query, ''));
    lang text;
BEGIN
    FOREACH lang IN ARRAY coalesce(langs, '{}') LOOP
        words := words || websearch_to_tsquery(text_config(lang), coalesce(query, ''));
    END LOOP;
    RETURN words;
END $$;

-- The state of the index, for sweeps that look for tenders whose worker died.
CREATE INDEX tender_processing ON tender (processing_since) WHERE index_status = 'processing';
-- Dead letters of the queue without a broker: they left the queue with a reason.
CREATE INDEX outbox_dead ON outbox (key) WHERE published_at IS NOT NULL AND error IS NOT NULL;
