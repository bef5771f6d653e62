-- A challenge is good once: its hash stays here until the challenge could not be used anyway.
create table sep10_used_challenges (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index sep10_used_challenges_expiry on sep10_used_challenges (expires_at);
