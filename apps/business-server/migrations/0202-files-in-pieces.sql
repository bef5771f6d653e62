-- Files of customers are kept in pieces, each sealed, so that no process ever holds a whole one. A file waits, without a
-- customer, until a change of the customer names it; that of a customer who was deleted goes with what is kept of them.
alter table customer_files
  add column id uuid not null default gen_random_uuid(),
  add column kept_id uuid references kept_customers (id) on delete cascade,
  drop constraint customer_files_pkey,
  drop constraint customer_files_size_check,
  -- 0: its bytes are still coming.
  add constraint customer_files_size_check check (size between 0 and 10485760),
  alter column customer_id drop not null,
  alter column name drop not null,
  -- What is bound to customer and name: which file it is, or, of an earlier release, the whole file.
  alter column sealed drop not null,
  add primary key (id),
  add unique (customer_id, name),
  add check (customer_id is null or kept_id is null),
  add check ((customer_id is null) = (name is null)),
  add check ((customer_id is null) = (sealed is null));
create index customer_files_waiting on customer_files (created_at) where customer_id is null and kept_id is null;
create index customer_files_kept on customer_files (kept_id) where kept_id is not null;

create table customer_file_pieces (
  file_id uuid not null references customer_files (id) on delete cascade,
  number int not null check (number >= 0),
  sealed bytea not null,
  primary key (file_id, number)
);
