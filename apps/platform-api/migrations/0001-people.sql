-- Those who sign in to the founder console.
create table users (
  id text primary key,
  -- Lower case.
  email text not null unique,
  full_name text not null,
  -- Argon2id; absent for operators who never redeemed an invitation.
  password_hash text,
  created_at timestamptz not null
);

create table organizations (
  id text primary key,
  name text not null,
  slug text not null unique,
  created_at timestamptz not null
);

create table memberships (
  organization_id text not null references organizations,
  user_id text not null references users,
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null,
  primary key (organization_id, user_id)
);
create index memberships_user on memberships (user_id);

-- A browser's session in one of the three browser realms. Its cookie is a token that names the row; what the row
-- says decides. Times are the database's own.
create table sessions (
  id text primary key,
  realm text not null check (realm in ('operator', 'admin', 'customer')),
  -- The user's or customer's id, or the administrator's name.
  subject text not null,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Seconds without a request after which it has ended; null: none.
  idle_seconds integer,
  ended_at timestamptz
);
create index sessions_subject on sessions (realm, subject) where ended_at is null;
create index sessions_expiry on sessions (expires_at);
