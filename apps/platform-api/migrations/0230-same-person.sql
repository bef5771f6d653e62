-- The key of the digests below, sealed.
create table identity_key (
  only_one boolean primary key default true check (only_one),
  sealed bytea not null
);

-- By which two customers are known to be one person: of documents by type, country and number, of names with the date of birth.
create table identity_digests (
  customer_id text not null references customers,
  kind text not null check (kind in ('document', 'name')),
  digest bytea not null,
  primary key (customer_id, kind, digest)
);
create index identity_digests_same on identity_digests (digest, kind);

-- The provider is asked for the documents of those who were accepted before.
update kyc_records set name_due_at = now() where status = 'ACCEPTED' and session_id is not null;
