-- SEP-31: direct payments, whose statuses are stored as those of a withdrawal. `customer_id` is the sender.
alter table transactions drop constraint transactions_sep_check;
alter table transactions add constraint transactions_sep_check check (sep in ('6', '24', '31'));
alter table transactions drop constraint transactions_kind_check;
alter table transactions add constraint transactions_kind_check
  check (kind in ('deposit', 'withdrawal', 'deposit-exchange', 'withdrawal-exchange', 'receive'));
alter table transactions add column receiver_id text;
