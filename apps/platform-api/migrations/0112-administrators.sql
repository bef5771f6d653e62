-- Administrators who accepted an invitation. The settings name the first owner, who has no row.
create table administrators (
  id text primary key,
  -- In lower case: the name under which they sign in, and the subject of their sessions and second factors.
  email text not null unique,
  name text not null,
  role text not null check (role in ('viewer', 'operator', 'owner')),
  password_hash text not null,
  invited_by text not null,
  created_at timestamptz not null default now()
);

-- Open invitations: one that is accepted or revoked is deleted.
create table administrator_invitations (
  id text primary key,
  email text not null unique,
  role text not null check (role in ('viewer', 'operator', 'owner')),
  token_hash bytea not null unique,
  invited_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
