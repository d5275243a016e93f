-- Files of a tender, and the events that wait for their consumers.
-- depends: 0002_tenders

CREATE TABLE attachment (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tender_id        uuid NOT NULL REFERENCES tender (id),
    source_code      text NOT NULL,
    source_url       text NOT NULL,
    filename         text,
    description      text,
    media_type       text,
    status           text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ready', 'failed', 'skipped')),
    path             text,
    sha256           text,
    size             bigint,
    error_message    text,
    attempts         integer NOT NULL DEFAULT 0,
    next_attempt_at  timestamptz NOT NULL DEFAULT now(),
    claimed_until    timestamptz,
    extraction_error text,
    fetched_at       timestamptz,
    UNIQUE (tender_id, source_url),
    CHECK (status <> 'ready' OR (path IS NOT NULL AND sha256 IS NOT NULL AND size IS NOT NULL))
);
CREATE INDEX attachment_pending ON attachment (next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX attachment_content ON attachment (sha256);

CREATE TABLE outbox (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic          text NOT NULL,
    key            text NOT NULL,
    payload        jsonb NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    published_at   timestamptz,
    claimed_until  timestamptz,
    attempts       integer NOT NULL DEFAULT 0,
    error          text
);
CREATE INDEX outbox_waiting ON outbox (id) WHERE published_at IS NULL;
CREATE INDEX outbox_waiting_key ON outbox (key) WHERE published_at IS NULL;

CREATE FUNCTION outbox_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('outbox', '');
    RETURN NULL;
END $$;
CREATE TRIGGER outbox_notify AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION outbox_notify();
