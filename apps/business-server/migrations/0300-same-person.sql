-- By which two customers of the platform are known to be one person, as the platform told this anchor alone.
create table identity_digests (
  central_id text not null,
  kind text not null check (kind in ('document', 'name')),
  digest text not null,
  primary key (central_id, kind, digest)
);
create index identity_digests_same on identity_digests (digest, kind);
