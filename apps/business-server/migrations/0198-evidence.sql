-- What was known of a transaction's customer and which rules counted when it was agreed, and when its money left
-- (docs/adr/0157).
create table transfer_snapshots (
  transfer_id uuid not null references transfers (id),
  moment text not null check (moment in ('agreed', 'left')),
  sealed bytea not null,
  at timestamptz(3) not null,
  primary key (transfer_id, moment)
);
create index transfer_snapshots_at on transfer_snapshots (at);

alter table removals
  drop constraint removals_kind_check,
  add constraint removals_kind_check check (kind in ('customer', 'travel-record', 'snapshot'));
