-- What customers tell of themselves, sealed. `fields` and `pending_email` hold what an earlier version wrote until
-- the server has sealed it, which it does when it starts.
alter table customers add column details bytea;

-- Files that wallets hand in by SEP-12, sealed; one for each field.
create table customer_files (
  customer_id uuid not null references customers (id) on delete cascade,
  name text not null,
  media_type text not null,
  -- In bytes, before sealing.
  size integer not null check (size between 1 and 5242880),
  sealed bytea not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (customer_id, name)
);
