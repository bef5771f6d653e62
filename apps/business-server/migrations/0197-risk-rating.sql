-- How customers are rated by risk, and what follows (docs/adr/0155). The newest counts; without one the program's defaults.
create table risk_rules (
  version bigint primary key generated always as identity,
  rules jsonb not null,
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);

-- Each rating that a customer had; the newest counts.
create table customer_ratings (
  id uuid primary key default gen_random_uuid(),
  customer_id uuid not null references customers (id) on delete cascade,
  rating text not null check (rating in ('low', 'normal', 'high')),
  -- Which rules gave it.
  reasons text[] not null,
  -- A person said that it is at least this, and why.
  at_least text check (at_least in ('low', 'normal', 'high')),
  note text,
  -- `rules`, or operator:<id>
  by text not null,
  rules_version bigint not null,
  -- YYYY-MM-DD
  review_on text not null check (review_on ~ '^\d{4}-\d{2}-\d{2}$'),
  created_at timestamptz(3) not null default clock_timestamp(),
  replaced_at timestamptz(3)
);
create unique index customer_ratings_current on customer_ratings (customer_id) where replaced_at is null;
create index customer_ratings_customer on customer_ratings (customer_id, created_at desc);
create index customer_ratings_listed on customer_ratings (created_at desc, id) where replaced_at is null;
