-- Acts of founders that wait for a second person: what was sent, by the endpoint of the table of founders' acts.
create table waiting_acts (
  id text primary key,
  anchor_id text not null references anchors (id),
  -- `PUT /api/v1/anchors/:anchorId/signing/limits`
  endpoint text not null,
  -- The same act, asked for again, is the same row.
  request_hash bytea not null,
  params jsonb not null,
  query jsonb not null,
  body jsonb not null,
  action text not null,
  details text not null,
  requested_by text not null,
  requested_at timestamptz not null,
  unique (anchor_id, endpoint, request_hash)
);
create index waiting_acts_anchor on waiting_acts (anchor_id, requested_at);

-- Signing limits before they were lowered: for a day one person restores them.
create table lowered_limits (
  anchor_id text primary key references anchors (id),
  limits jsonb not null,
  lowered_at timestamptz not null
);
