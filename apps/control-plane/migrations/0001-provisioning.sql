-- An anchor as the control plane knows it: what it is to be, and what is to run of it.
create table anchors (
  id text primary key,
  plan jsonb not null,
  -- The AES-256 key of this anchor's secrets, sealed under the master key.
  data_key bytea not null,
  -- Where its two servers listen.
  sep_port integer unique,
  business_port integer unique,
  -- What the reconciler keeps up once the anchor has been provisioned.
  running boolean not null default true,
  provisioned_at timestamptz,
  created_at timestamptz not null default now()
);

-- Key pairs, passwords and tokens, each sealed under its anchor's data key (AAD: anchor and role).
create table anchor_secrets (
  anchor_id text not null references anchors (id),
  role text not null,
  -- The public half of a key pair.
  public_key text,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  primary key (anchor_id, role)
);

create table jobs (
  id text primary key,
  anchor_id text not null unique references anchors (id),
  status text not null default 'pending' check (status in ('pending', 'running', 'failed', 'completed')),
  -- Grows with every change that is reported to the platform.
  revision integer not null default 0,
  -- How often it was set going: by its acceptance, then by retries.
  attempts integer not null default 0,
  next_run_at timestamptz not null default now(),
  -- Who may write for this job, and until when by this database's clock.
  lease_token uuid,
  lease_until timestamptz,
  heartbeat_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index jobs_due on jobs (next_run_at) where status in ('pending', 'running');

create table job_stages (
  job_id text not null references jobs (id),
  position smallint not null,
  name text not null,
  status text not null default 'pending' check (status in ('pending', 'running', 'failed', 'completed')),
  attempts integer not null default 0,
  -- Failures since the job was last set going, and the seconds they and the pauses between them took.
  failures integer not null default 0,
  spent real not null default 0,
  started_at timestamptz,
  finished_at timestamptz,
  error jsonb,
  primary key (job_id, position)
);

create table job_log (
  id bigint generated always as identity primary key,
  job_id text not null references jobs (id),
  at timestamptz not null default clock_timestamp(),
  stage text not null,
  level text not null check (level in ('info', 'warn', 'error')),
  text text not null
);
create index job_log_by_job on job_log (job_id, id);

-- Signed transactions, stored before they are submitted.
create table envelopes (
  hash text primary key,
  anchor_id text not null references anchors (id),
  purpose text not null,
  xdr text not null,
  source text not null,
  sequence text not null,
  max_time bigint not null,
  ledger jsonb not null,
  state text not null default 'open' check (state in ('open', 'applied', 'retired')),
  reason text,
  created_at timestamptz not null default now(),
  settled_at timestamptz
);
-- At most one that may still apply or has.
create unique index envelopes_current on envelopes (anchor_id, purpose) where state in ('open', 'applied');
