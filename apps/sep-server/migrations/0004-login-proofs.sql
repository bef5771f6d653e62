-- The signed challenge of a login stays as long as its hash does: it proves to the centre whose wallet this is.
-- Shared accounts (memo, muxed) prove nothing about one customer and are not kept.
alter table sep10_used_challenges add column account text;
alter table sep10_used_challenges add column transaction bytea;
create index sep10_used_challenges_account on sep10_used_challenges (account, expires_at) where account is not null;
