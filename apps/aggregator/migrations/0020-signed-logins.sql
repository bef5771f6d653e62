-- A place for one challenge that a wallet signs by SEP-7 for a page, for five minutes.
create table signed_logins (
  id text primary key,
  -- Of what the page collects it with.
  secret_hash bytea not null,
  -- The only transaction that can be delivered.
  challenge_hash bytea not null,
  network_passphrase text not null,
  -- The page's, which alone has the other half.
  public_key bytea not null,
  -- The signed challenge, encrypted for the page; null: it has not come.
  sealed bytea,
  expires_at timestamptz not null
);
create index signed_logins_expires on signed_logins (expires_at);
