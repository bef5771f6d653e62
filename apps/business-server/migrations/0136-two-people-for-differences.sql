-- Why a difference needs nothing more, as a code, and what one person proposed and a second one approves.
alter table reconciliation_differences
  add column resolution text check (resolution in
    ('timing', 'bank-charge', 'entered-wrong', 'provider-error', 'decided-elsewhere', 'written-off', 'other')),
  add column proposed jsonb;
update reconciliation_differences set resolution = 'other' where state = 'resolved';

-- When the rail reported a payment that a person entered before; null: it did not yet.
alter table rail_receipts add column confirmed_at timestamptz;
create index rail_receipts_unconfirmed on rail_receipts (seen_at) where source = 'operator' and confirmed_at is null;
