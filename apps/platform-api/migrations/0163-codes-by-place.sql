-- Emailed codes, each bound to what it is for and where it was asked for: a code that someone types on an anchor's page
-- is good at that anchor alone. The release before reads login_codes while both run; nothing reads it afterwards.
create table emailed_codes (
  realm text not null check (realm in ('operator', 'customer')),
  -- Lower case.
  email text not null,
  purpose text not null check (purpose in ('sign-in', 'confirmation', 'deletion')),
  -- The anchor whose page asks for it; empty: our own pages.
  place text not null,
  -- HMAC-SHA256 under OTP_KEY: six digits are too few for a plain hash.
  code_hash bytea not null,
  -- The network of the client that asked for the code: guesses from elsewhere use tries of their own.
  client text not null default '',
  tries integer not null default 0,
  tries_elsewhere integer not null default 0,
  -- Tries at another place or for another purpose.
  tries_misplaced integer not null default 0,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (realm, email, purpose, place)
);
create index emailed_codes_expiry on emailed_codes (expires_at);

-- Wrong tries over all codes of an address, in a day.
create table code_failures (
  realm text not null,
  email text not null,
  failures integer not null,
  since timestamptz not null,
  primary key (realm, email)
);
create index code_failures_since on code_failures (since);
insert into code_failures (realm, email, failures, since)
  select realm, email, failures, failures_since from login_codes
  where failures > 0 and failures_since > now() - interval '24 hours';
