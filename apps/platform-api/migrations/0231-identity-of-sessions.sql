-- By which session of the provider it was learnt: one that is declined later takes its own back. '': an earlier release kept it.
alter table identity_digests add column session_id text not null default '';
update identity_digests d set session_id = k.session_id
  from kyc_records k where k.customer_id = d.customer_id and k.session_id is not null;
alter table identity_digests drop constraint identity_digests_pkey;
alter table identity_digests add primary key (customer_id, session_id, kind, digest);

-- When to ask the provider for the documents of who was accepted before. An earlier release asks for names by its own column,
-- also during an upgrade, and keeps no documents.
alter table kyc_records add column identity_due_at timestamptz;
create index kyc_records_identity_due on kyc_records (identity_due_at) where identity_due_at is not null;
update kyc_records set identity_due_at = now() where status = 'ACCEPTED' and session_id is not null;
