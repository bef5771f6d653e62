-- What needs a second person is no longer about transactions alone: a decision about a bank statement's line, and its
-- reversal, wait in the same table.
alter table operator_actions
  alter column transfer_id drop not null,
  add column line_id text references bank_lines (id),
  -- What was asked for beside the kind.
  add column details jsonb not null default '{}',
  -- What is needed to reverse it.
  add column undo jsonb,
  drop constraint operator_actions_kind_check,
  add constraint operator_actions_kind_check check (
    (transfer_id is not null and kind in ('cancel', 'refund', 'resend', 'mark-paid'))
    or (line_id is not null and kind in ('match', 'return', 'own', 'duplicate', 'reverse'))),
  add constraint operator_actions_one_subject check (num_nonnulls(transfer_id, line_id) = 1);
create index operator_actions_line on operator_actions (line_id, requested_at);
create unique index operator_actions_line_waiting on operator_actions (line_id) where state = 'waiting';
drop trigger kept on operator_actions;
create trigger kept before delete or update of id, transfer_id, line_id, kind, reason, payment_id, details, requested_by,
  requested_at, two_people
on operator_actions for each row execute function refuse_to_change_history();

-- The line that an ignored one lists again.
alter table bank_lines add column duplicate_of text references bank_lines (id);

-- An entry that takes back what another one recorded; each is taken back once.
alter table journal_entries add column reverses uuid unique references journal_entries (id);

-- What came is not recorded as received any more: a decision was reversed.
alter table rail_receipts drop constraint rail_receipts_outcome_check;
alter table rail_receipts add constraint rail_receipts_outcome_check
  check (outcome in ('accepted', 'returned', 'unmatched', 'held', 'kept', 'reversed'));

-- How often people reversed what ended an order, or canceled a payment. Nothing else opens one again.
alter table ledger_payments add column reopened integer not null default 0;
drop trigger canceled_once on ledger_payments;
create trigger canceled_once before update on ledger_payments for each row
when (old.state = 'canceled' and new.state <> 'canceled' and (new.state <> 'queued' or new.reopened <= old.reopened))
execute function refuse_to_pay_again();
alter table rail_orders add column reopened integer not null default 0;
drop trigger paid_once on rail_orders;
create trigger paid_once before update on rail_orders for each row
when (old.state in ('paid', 'failed') and new.state in ('queued', 'sent') and new.reopened <= old.reopened)
execute function refuse_to_pay_again();
