-- Who may use the API and the page, and what they follow.
-- depends: 0004_index

CREATE TABLE api_key (
    key_sha256        text PRIMARY KEY CHECK (key_sha256 ~ '^[0-9a-f]{64}$'),
    name              text NOT NULL,
    limit_per_minute  integer NOT NULL DEFAULT 60 CHECK (limit_per_minute > 0),
    created_at        timestamptz NOT NULL DEFAULT now(),
    revoked_at        timestamptz
);

CREATE TABLE rate_window (
    key_sha256    text PRIMARY KEY REFERENCES api_key (key_sha256) ON DELETE CASCADE,
    window_start  timestamptz NOT NULL,
    used          integer NOT NULL
);

CREATE TABLE account (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text NOT NULL UNIQUE,
    password_hash  text NOT NULL,
    email          text,
    created_at     timestamptz NOT NULL DEFAULT now(),
    disabled_at    timestamptz
);

CREATE TABLE saved_search (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    bigint REFERENCES account (id) ON DELETE CASCADE,
    name          text NOT NULL,
    query         text NOT NULL DEFAULT '',
    filters       jsonb NOT NULL DEFAULT '{}',
    frequency     text NOT NULL DEFAULT 'none' CHECK (frequency IN ('none', 'at_once', 'daily', 'weekly')),
    token_sha256  text UNIQUE,
    created_at    timestamptz NOT NULL DEFAULT now()
);
