-- A tender is one procurement procedure; its sources are the notices that show it.
-- depends: 0001_sources

CREATE TABLE tender (
    id                uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    title             text NOT NULL,
    title_lang        text,
    description       text,
    buyer_name        text,
    buyers            jsonb NOT NULL DEFAULT '[]',
    country           text,
    nuts              text[] NOT NULL DEFAULT '{}',
    cpv               text[] NOT NULL DEFAULT '{}',
    notice_type       text,
    procedure_type    text,
    reference         text,
    value_amount      numeric,
    value_min_amount  numeric,
    value_currency    text,
    value_is_gross    boolean,
    published_at      timestamptz,
    deadline_at       timestamptz,
    deadline_is_date  boolean NOT NULL DEFAULT false,
    deadline_zone     text,
    deadline_kind     text,
    status            text CHECK (status IN ('planned', 'open', 'awarded', 'cancelled')),
    ocid              text,
    lots              jsonb NOT NULL DEFAULT '[]',
    links             jsonb NOT NULL DEFAULT '[]',
    conflicts         jsonb NOT NULL DEFAULT '{}',
    content_hash      text NOT NULL,
    indexed_hash      text,
    index_status      text NOT NULL DEFAULT 'pending'
                      CHECK (index_status IN ('pending', 'processing', 'ready', 'failed')),
    index_error       text,
    processing_since  timestamptz,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tender_published ON tender (published_at DESC NULLS LAST, id);
CREATE INDEX tender_deadline ON tender (deadline_at);
CREATE INDEX tender_country ON tender (country);
CREATE INDEX tender_cpv ON tender USING gin (cpv);
CREATE INDEX tender_unindexed ON tender (updated_at) WHERE index_status <> 'ready';
CREATE INDEX tender_ocid ON tender (ocid);

CREATE TABLE tender_source (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tender_id      uuid NOT NULL REFERENCES tender (id),
    source_code    text NOT NULL,
    notice_id      text NOT NULL,
    url            text,
    ocid           text,
    content_hash   text NOT NULL,
    snapshot       jsonb NOT NULL,
    revised_at     timestamptz,
    first_seen_at  timestamptz NOT NULL DEFAULT now(),
    last_seen_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (source_code, notice_id)
);
CREATE INDEX tender_source_tender ON tender_source (tender_id);
CREATE INDEX tender_source_edition ON tender_source (source_code, revised_at);

CREATE TABLE notice_version (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tender_source_id  bigint NOT NULL REFERENCES tender_source (id) ON DELETE CASCADE,
    content_hash      text NOT NULL,
    snapshot          jsonb NOT NULL,
    revised_at        timestamptz,
    seen_at           timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tender_source_id, content_hash)
);

CREATE TABLE tender_key (
    kind              text NOT NULL,
    value             text NOT NULL,
    tender_id         uuid NOT NULL REFERENCES tender (id),
    tender_source_id  bigint NOT NULL REFERENCES tender_source (id) ON DELETE CASCADE,
    PRIMARY KEY (kind, value)
);
CREATE INDEX tender_key_tender ON tender_key (tender_id);
CREATE INDEX tender_key_source ON tender_key (tender_source_id);

CREATE TABLE tender_redirect (
    old_id      uuid PRIMARY KEY,
    new_id      uuid NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tender_block (
    key        bigint NOT NULL,
    tender_id  uuid NOT NULL REFERENCES tender (id) ON DELETE CASCADE,
    PRIMARY KEY (key, tender_id)
);

CREATE TABLE tender_pair_block (
    a           uuid NOT NULL,
    b           uuid NOT NULL,
    verdict     text NOT NULL CHECK (verdict IN ('same', 'not_same')),
    decided_at  timestamptz NOT NULL DEFAULT now(),
    decided_by  text NOT NULL DEFAULT '',
    PRIMARY KEY (a, b),
    CHECK (a < b)
);

CREATE TABLE match_decision (
    id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tender_source_id     bigint NOT NULL REFERENCES tender_source (id) ON DELETE CASCADE,
    candidate_tender_id  uuid,
    class                text NOT NULL CHECK (class IN ('match', 'review', 'new')),
    score                real,
    key_kind             text,
    flags                text[] NOT NULL DEFAULT '{}',
    algorithm_version    text NOT NULL,
    decided_at           timestamptz NOT NULL DEFAULT now(),
    decided_by           text NOT NULL DEFAULT 'storage'
);
CREATE INDEX match_decision_source ON match_decision (tender_source_id);
CREATE INDEX match_decision_review ON match_decision (decided_at) WHERE class = 'review';

CREATE TABLE quarantine (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_code  text NOT NULL,
    notice_id    text NOT NULL,
    payload      jsonb NOT NULL,
    reason       text NOT NULL,
    seen_at      timestamptz NOT NULL DEFAULT now(),
    UNIQUE (source_code, notice_id)
);

-- What a reader calls the state of a tender: what the source says, and closed once the deadline has passed.
CREATE FUNCTION tender_state(status text, deadline_at timestamptz, at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN status = 'open' AND deadline_at IS NOT NULL AND deadline_at < at THEN 'closed'
    ELSE status
END;
