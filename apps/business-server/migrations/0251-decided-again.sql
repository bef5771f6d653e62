-- A decision that a line takes a deposit's money back can be made again after it was reversed.
alter table customer_debts drop constraint customer_debts_cause_key;
create unique index customer_debts_cause on customer_debts (cause) where state <> 'reversed';
