-- name: add_key(key_sha256, name, limit_per_minute)!
INSERT INTO api_key (key_sha256, name, limit_per_minute) VALUES (:key_sha256, :name, :limit_per_minute);

-- name: revoke_keys(name)!
UPDATE api_key SET revoked_at = now() WHERE name = :name AND revoked_at IS NULL;

-- name: all_keys()
SELECT name, limit_per_minute, created_at, revoked_at FROM api_key ORDER BY created_at, name;

-- name: key_with_digest(key_sha256)^
SELECT key_sha256, limit_per_minute FROM api_key WHERE key_sha256 = :key_sha256 AND revoked_at IS NULL;

-- name: take_from_window(key_sha256, enough, seconds)^
-- One request more in the key's window, or a new window; the row's lock makes requests of one key queue here.
-- Refused requests are not counted on, so that a client which waits as told is served.
INSERT INTO rate_window AS w (key_sha256, window_start, used)
VALUES (:key_sha256, clock_timestamp(), 1)
ON CONFLICT (key_sha256) DO UPDATE SET
    used = CASE WHEN w.window_start <= clock_timestamp() - make_interval(secs => :seconds) THEN 1
                ELSE least(w.used + 1, :enough + 1) END,
    window_start = CASE WHEN w.window_start <= clock_timestamp() - make_interval(secs => :seconds)
                        THEN clock_timestamp() ELSE w.window_start END
RETURNING used, greatest(1, ceil(extract(epoch FROM w.window_start - clock_timestamp()) + :seconds));
