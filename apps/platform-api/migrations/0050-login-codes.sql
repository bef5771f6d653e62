-- One code at a time for a realm and address: a new one takes the older one's place.
create table login_codes (
  realm text not null check (realm in ('operator', 'customer')),
  -- Lower case.
  email text not null,
  -- HMAC-SHA256 under OTP_KEY: six digits are too few for a plain hash.
  code_hash bytea not null,
  -- Counted before a code is compared, so that parallel guesses count too.
  tries integer not null default 0,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- Wrong codes over all codes of a day.
  failures integer not null default 0,
  failures_since timestamptz not null default now(),
  primary key (realm, email)
);
create index login_codes_expiry on login_codes (expires_at);

-- Operators' refresh tokens. A session is a family: reuse of a rotated token ends it.
create table refresh_tokens (
  token_hash bytea primary key,
  session_id text not null references sessions on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  rotated_at timestamptz
);
create index refresh_tokens_session on refresh_tokens (session_id);
