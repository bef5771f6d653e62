-- What was done and by whom: each entry's hash covers the one before it.
create table audit_log (
  sequence bigint primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  -- Text, not jsonb: the hash covers the very bytes.
  details text not null,
  previous bytea not null,
  hash bytea not null
);
create index audit_log_subject on audit_log (subject, sequence desc);
create index audit_log_actor on audit_log (actor, sequence desc);

-- The newest entry. Its row lock puts entries in order, and a chain that was cut short does not end in it.
create table audit_head (
  id boolean primary key default true check (id),
  sequence bigint not null,
  hash bytea not null
);
insert into audit_head (sequence, hash) values (0, decode(repeat('00', 32), 'hex'));
