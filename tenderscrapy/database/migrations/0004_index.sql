-- Text for search: chunks with their words, and one vector a chunk and model.
-- depends: 0003_files_and_messages

CREATE TABLE embedding_model (
    model        text PRIMARY KEY,
    dim          integer NOT NULL,
    active       boolean NOT NULL DEFAULT false,
    min_score    real,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX embedding_model_one_active ON embedding_model (active) WHERE active;

CREATE TABLE chunk (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tender_id      uuid NOT NULL REFERENCES tender (id) ON DELETE CASCADE,
    attachment_id  bigint REFERENCES attachment (id) ON DELETE CASCADE,
    ordinal        integer NOT NULL,
    text           text NOT NULL,
    lang           text,
    page           integer,
    section        text,
    start_offset   integer,
    end_offset     integer,
    words          tsvector NOT NULL,
    UNIQUE NULLS NOT DISTINCT (tender_id, attachment_id, ordinal)
);
CREATE INDEX chunk_words ON chunk USING gin (words);

CREATE TABLE chunk_embedding (
    chunk_id   bigint NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
    model      text NOT NULL REFERENCES embedding_model (model),
    dim        integer NOT NULL,
    embedding  halfvec NOT NULL,
    PRIMARY KEY (chunk_id, model),
    CHECK (vector_dims(embedding) = dim)
);

-- Language of a text (ISO 639-1) -> the text search configuration that stems it.
CREATE FUNCTION text_config(lang text) RETURNS regconfig
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE lang
    WHEN 'da' THEN 'danish' WHEN 'de' THEN 'german' WHEN 'el' THEN 'greek' WHEN 'en' THEN 'english'
    WHEN 'es' THEN 'spanish' WHEN 'fi' THEN 'finnish' WHEN 'fr' THEN 'french' WHEN 'ga' THEN 'irish'
    WHEN 'hu' THEN 'hungarian' WHEN 'it' THEN 'italian' WHEN 'lt' THEN 'lithuanian' WHEN 'nl' THEN 'dutch'
    WHEN 'no' THEN 'norwegian' WHEN 'pt' THEN 'portuguese' WHEN 'ro' THEN 'romanian' WHEN 'sv' THEN 'swedish'
    ELSE 'simple'
END::regconfig;
