-- By what the platform proves itself to an anchor's server, under PLATFORM_KEY, and the digest by which an anchor that asks is
-- found. `service_secret_hash`, which earlier releases use for both, is that key itself: ten minutes after this migration
-- none of them runs any more, and it is sealed and emptied.
alter table anchors
  add column sealed_proof_key bytea,
  add column service_secret_digest bytea unique;
