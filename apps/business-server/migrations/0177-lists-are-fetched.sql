-- When a list was last asked for at its publisher's address, and how that ended.
create table list_fetches (
  list_id text primary key check (list_id in ('ofac-sdn', 'ofac-consolidated', 'un-consolidated', 'eu-consolidated')),
  tried_at timestamptz(3) not null,
  -- Null: the publisher's list is the one that counts.
  failure text check (failure in ('unreachable', 'refused')),
  -- What the address or the list's reader said.
  details text
);

-- A list with far fewer entries is loaded by two people: this is what the first one wanted.
create table smaller_lists (
  digest bytea primary key,
  list_id text not null,
  file_name text not null,
  entries integer not null,
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);
