-- The name on the document of an accepted customer, sealed; null: the provider said none.
alter table kyc_records add column sealed_name bytea;
-- When to ask the provider for it; null: it answered.
alter table kyc_records add column name_due_at timestamptz;
create index kyc_records_name_due on kyc_records (name_due_at) where name_due_at is not null;
update kyc_records set name_due_at = now() where status = 'ACCEPTED' and session_id is not null;
