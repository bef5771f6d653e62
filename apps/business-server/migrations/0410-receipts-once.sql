-- A payment is received once, wherever Horizon says that it is: by its transaction and its operation in it (docs/adr/0193).
-- Null: of a chain that a reset ended, or credited by a person; and what was received again before this.
alter table ledger_receipts add column operation integer;

with numbered as materialized (
  select id, hash, id::numeric as place from ledger_receipts where id ~ '^[0-9]+$'
), first as (
  select distinct on (hash, place % 4096) id, (place % 4096)::integer as operation
  from numbered order by hash, place % 4096, place
)
update ledger_receipts receipt set operation = first.operation from first where receipt.id = first.id;

create unique index ledger_receipts_once on ledger_receipts (hash, operation);
drop index ledger_receipts_by_hash;
