-- Who publishes, how far we have read, and what each run did.
-- depends:

CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;

CREATE TABLE source (
    code            text PRIMARY KEY,
    platform        text NOT NULL,
    name            text NOT NULL DEFAULT '',
    enabled         boolean NOT NULL DEFAULT true,
    note            text NOT NULL DEFAULT '',
    poll_interval   interval NOT NULL DEFAULT '6 hours',
    cursor          jsonb,
    last_polled_at  timestamptz,
    not_before      timestamptz
);

CREATE TABLE crawl_run (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_code         text NOT NULL,
    spider              text NOT NULL,
    state               text NOT NULL DEFAULT 'running'
                        CHECK (state IN ('running', 'complete', 'incomplete', 'failed', 'cancelled')),
    reason              text NOT NULL DEFAULT '',
    process             text NOT NULL DEFAULT '',
    started_at          timestamptz NOT NULL DEFAULT now(),
    seen_alive_at       timestamptz NOT NULL DEFAULT now(),
    finished_at         timestamptz,
    announced           integer,
    pages               integer NOT NULL DEFAULT 0,
    fetched             integer NOT NULL DEFAULT 0,
    new                 integer NOT NULL DEFAULT 0,
    changed             integer NOT NULL DEFAULT 0,
    unchanged           integer NOT NULL DEFAULT 0,
    rejected            integer NOT NULL DEFAULT 0,
    quarantined         integer NOT NULL DEFAULT 0,
    attachments_ok      integer NOT NULL DEFAULT 0,
    attachments_failed  integer NOT NULL DEFAULT 0
);
CREATE INDEX crawl_run_recent ON crawl_run (source_code, started_at DESC);
