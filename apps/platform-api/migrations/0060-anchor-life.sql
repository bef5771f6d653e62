-- What happened to an anchor since it stands, as the control plane told it.
create table anchor_events (
  -- The control plane's: a repeat changes nothing.
  id text primary key,
  anchor_id text not null references anchors,
  kind text not null,
  detail text not null,
  at timestamptz not null
);
create index anchor_events_newest on anchor_events (anchor_id, at desc, id desc);

-- Taking an anchor down for good: the control plane does it and tells how far it is.
create table removals (
  id text primary key,
  anchor_id text not null references anchors,
  state text not null check (
    state in ('requested', 'exporting', 'withdrawing', 'dropping', 'done', 'refused')),
  reason text not null,
  -- Even though transfers were open.
  forced boolean not null,
  -- The file's name, bytes, sha256 and rows.
  export jsonb,
  error text,
  created_at timestamptz not null,
  finished_at timestamptz
);
-- One that was refused may be asked for again.
create unique index removals_standing on removals (anchor_id) where state <> 'refused';
