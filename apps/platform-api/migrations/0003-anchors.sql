create table anchors (
  id text primary key,
  organization_id text not null references organizations,
  application_id text not null references applications,
  -- Stays taken for ever: wallets trust a home domain by its name.
  subdomain text not null unique,
  home_domain text not null,
  status text not null check (status in ('draft', 'provisioning', 'active', 'suspended', 'removed', 'error')),
  plan jsonb not null,
  reason text,
  -- What the control plane says of an anchor that stands.
  issuer text,
  distribution text,
  signing_key text,
  api_url text,
  treasury_capacity numeric(19, 7),
  -- AES-256-GCM under PLATFORM_KEY.
  summary_secret bytea,
  -- SHA-256 of what the anchor sends in x-service-secret.
  service_secret_hash bytea unique,
  created_at timestamptz not null,
  activated_at timestamptz
);
create index anchors_newest on anchors (created_at desc, id desc);
create index anchors_organization on anchors (organization_id);

create table jobs (
  id text primary key,
  anchor_id text not null unique references anchors,
  status text not null check (status in ('pending', 'running', 'failed', 'completed')),
  -- The job as GET …/status/:jobId answers it.
  snapshot jsonb not null,
  -- The control plane's: an older report never overwrites a newer one.
  revision bigint not null default -1,
  -- Ours: grows with every visible change.
  version bigint not null default 0,
  heartbeat_at timestamptz not null default now(),
  created_at timestamptz not null
);
create index jobs_newest on jobs (created_at desc, id desc);
create index jobs_unfinished on jobs (heartbeat_at) where status in ('pending', 'running');
