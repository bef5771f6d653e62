-- The OpenID Connect provider of an organization. That of administrators is in the settings of the platform.
create table single_sign_on_providers (
  organization_id text primary key references organizations,
  issuer text not null,
  client_id text not null,
  -- Sealed.
  client_secret bytea not null,
  -- Whether a second factor that the provider reports counts as ours.
  trusts_second_factor boolean not null,
  -- The user who set it, the only one whom it signs in on its first day.
  set_by text not null references users,
  set_at timestamptz not null
);

-- Whom a provider means by a subject, since the person's first sign-in by it.
create table single_sign_on_people (
  -- An organization's id, or 'administrators'.
  provider text not null,
  issuer text not null,
  subject text not null,
  -- The user's id, or the administrator's address.
  person text not null,
  created_at timestamptz not null,
  primary key (provider, issuer, subject),
  unique (provider, issuer, person)
);

-- Sign-ins that are at the provider. Each state works once.
create table single_sign_on_attempts (
  state_hash bytea primary key,
  -- Of what only the browser that began it has.
  key_hash bytea not null,
  provider text not null,
  issuer text not null,
  client_id text not null,
  nonce text not null,
  code_verifier text not null,
  expires_at timestamptz not null
);

-- The one organization that a session is for; null: all of its person's.
alter table sessions add column organization_id text references organizations;
create index sessions_organization on sessions (organization_id) where organization_id is not null;
