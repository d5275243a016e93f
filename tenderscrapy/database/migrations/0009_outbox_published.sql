-- Published events stay for 30 days; finding the older ones must not read them all.
-- depends: 0008_claim_holders

CREATE INDEX outbox_published ON outbox (published_at) WHERE published_at IS NOT NULL AND error IS NULL;
