create table applications (
  id text primary key,
  status text not null check (status in ('applied', 'approved', 'rejected')),
  company_profile jsonb not null,
  stellar_config jsonb not null,
  -- Without credentials.
  payment_rails jsonb not null,
  compliance jsonb not null,
  -- The name in the secrets store under which the rail credentials lie.
  credentials text,
  created_at timestamptz not null,
  reviewed_at timestamptz,
  reviewed_by text,
  reason text
);
create index applications_newest on applications (created_at desc, id desc);
create index applications_status on applications (status, created_at desc, id desc);

-- Every name under which something may lie in the secrets store, written before it is put there: what a crash
-- leaves is found again and removed.
create table stored_credentials (
  name text primary key,
  state text not null check (state in ('writing', 'kept', 'leaving')),
  created_at timestamptz not null default now()
);
create index stored_credentials_unfinished on stored_credentials (created_at) where state = 'writing';

create table invitations (
  id text primary key,
  application_id text not null references applications,
  -- SHA-256 of the token, which is told once and kept nowhere.
  token_hash bytea not null unique,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz
);
create unique index invitations_one_open on invitations (application_id) where revoked_at is null;
