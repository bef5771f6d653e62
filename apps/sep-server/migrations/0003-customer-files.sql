-- Files that a wallet uploads before it says whose they are (SEP-12 `POST /customer/files`). The bytes stay, sealed,
-- until a `PUT /customer` hands them on to the business server or their time is over.
create table customer_files (
  id text primary key,
  account text not null,
  account_memo text,
  content_type text not null,
  size integer not null,
  -- Null once they are handed on.
  sealed bytea,
  -- The business server's id of the customer they were handed on for.
  customer_id text,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);
create index customer_files_owner on customer_files (account, created_at);
create index customer_files_expiry on customer_files (expires_at) where sealed is not null;

-- What a callback was told last: a status is told once.
alter table customer_callbacks add column last_status text;
