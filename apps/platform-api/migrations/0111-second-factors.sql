-- What a session waits for after the password or the emailed code; null: nothing.
alter table sessions add column awaits text check (awaits in ('second-factor', 'enrolment'));

-- Second factors of operators (subject: the user's id) and administrators (the user name).
create table passkeys (
  id text primary key,
  realm text not null check (realm in ('operator', 'admin')),
  subject text not null,
  name text not null,
  -- Base64url, as browsers name it.
  credential_id text not null unique,
  -- The host that it was created for.
  rp_id text not null,
  public_key bytea not null,
  -- Of signatures; an older or equal one shows a copied key. 0 where the authenticator does not count.
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_subject on passkeys (realm, subject);

create table authenticator_apps (
  realm text not null check (realm in ('operator', 'admin')),
  subject text not null,
  -- Sealed.
  secret bytea not null,
  -- The newest time step of which a code was used: each code works once.
  last_step bigint not null default 0,
  -- Wrong codes of a day.
  failures integer not null default 0,
  failures_since timestamptz not null default now(),
  created_at timestamptz not null,
  -- Null until the person entered a first code.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  primary key (realm, subject)
);

create table recovery_codes (
  realm text not null check (realm in ('operator', 'admin')),
  subject text not null,
  -- SHA-256: a code holds 80 random bits.
  code_hash bytea not null,
  used_at timestamptz,
  primary key (realm, subject, code_hash)
);

-- A challenge for one passkey and one purpose, used once, only by the session that asked for it.
create table passkey_challenges (
  session_id text not null references sessions on delete cascade,
  purpose text not null check (purpose in ('add', 'use')),
  challenge text not null,
  expires_at timestamptz not null,
  primary key (session_id, purpose)
);
