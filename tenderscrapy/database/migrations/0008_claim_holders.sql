-- Who holds a claim: a number that its worker keeps locked as long as it lives, so that a dead worker is known at once.
-- depends: 0007_search_filters

ALTER TABLE outbox ADD COLUMN claimed_by integer;
