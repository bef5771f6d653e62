-- A transfer is counted under its wallet too, where that is one customer's.
alter table velocity_parties
  drop constraint velocity_parties_kind_check,
  add constraint velocity_parties_kind_check check (kind in ('customer', 'account', 'wallet'));
