-- How many years personal data is kept after the relationship or the transaction. The newest counts; without one five.
create table retention_rules (
  version bigint primary key generated always as identity,
  customer_years int not null check (customer_years between 1 and 10),
  travel_record_years int not null check (travel_record_years between 1 and 10),
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);

-- Customers who asked to be deleted, and whom the law asks to keep: apart from those of daily work, sealed as a whole.
create table kept_customers (
  id uuid primary key,
  account text not null,
  memo text,
  sealed bytea not null,
  transactions uuid[] not null,
  deleted_at timestamptz(3) not null default clock_timestamp()
);
create index kept_customers_deleted on kept_customers (deleted_at);

-- What was removed when its time was over: how much of what, never whose.
create table removals (
  id bigint primary key generated always as identity,
  kind text not null check (kind in ('customer', 'travel-record')),
  count int not null check (count > 0),
  -- Everything that ended before it.
  before timestamptz(3) not null,
  at timestamptz(3) not null default clock_timestamp()
);
create index travel_rule_records_at on travel_rule_records (at);
