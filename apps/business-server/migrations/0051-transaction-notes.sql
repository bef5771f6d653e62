-- What operators note about a transaction, for their team.
create table transfer_notes (
  id uuid primary key default gen_random_uuid(),
  transfer_id uuid not null references transfers (id),
  -- `operator:<id>`
  by text not null,
  text text not null,
  at timestamptz(3) not null default clock_timestamp()
);
create index transfer_notes_transfer on transfer_notes (transfer_id, at);
