-- Who sends and who receives a transfer of an amount (FATF recommendation 16), kept with it.

create table travel_rule_settings (
  version bigint primary key generated always as identity,
  -- In asset units; null: nothing is kept.
  threshold numeric(19, 7),
  lei text,
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);

create table travel_rule_records (
  transfer_id uuid primary key,
  -- An IVMS101 document.
  sealed bytea not null,
  at timestamptz(3) not null
);
