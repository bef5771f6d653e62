-- A transfer is counted under its customer's postal address too, as a keyed hash.
alter table velocity_parties
  drop constraint velocity_parties_kind_check,
  add constraint velocity_parties_kind_check check (kind in ('customer', 'account', 'wallet', 'address'));
