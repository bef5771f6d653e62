-- What operators note about a customer, for their team. Deleted with the customer: a note may hold personal data.
create table customer_notes (
  id uuid primary key default gen_random_uuid(),
  customer_id uuid not null references customers (id) on delete cascade,
  -- `operator:<id>`
  by text not null,
  text text not null,
  at timestamptz(3) not null default clock_timestamp()
);
create index customer_notes_customer on customer_notes (customer_id, at);
