-- Names of customers (SEP-2). A name that was given up keeps its owner: payments to it must not reach anyone else.
create table federation_names (
  name text primary key,
  account text not null,
  -- Empty: the account itself.
  memo text not null default '',
  active boolean not null,
  created_at timestamptz not null default now()
);
create unique index federation_names_owner on federation_names (account, memo) where active;
create index federation_names_of_owner on federation_names (account, memo);
