create table secrets (
  arn text primary key,
  name text not null,
  description text,
  kms_key_id text,
  tags jsonb not null default '[]',
  created_at timestamptz not null,
  changed_at timestamptz not null,
  -- A day (2026-03-01): AWS is no more precise, and reading stays free of writes.
  accessed_on text,
  -- Set while the secret waits for its removal; it can be restored until then.
  delete_after timestamptz
);
create unique index secrets_name on secrets (name);
-- Secrets are also found by their ARN without its random suffix.
create index secrets_partial_arn on secrets (left(arn, -7));

create table versions (
  arn text not null references secrets on delete cascade,
  version_id text not null,
  kind text not null check (kind in ('string', 'binary')),
  -- AES-256-GCM bound to ARN and version, so that rows cannot be swapped for one another.
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (arn, version_id)
);

-- A stage is on one version of a secret at a time.
create table stages (
  arn text not null,
  stage text not null,
  version_id text not null,
  primary key (arn, stage),
  foreign key (arn, version_id) references versions on delete cascade
);
create index stages_version on stages (arn, version_id);
