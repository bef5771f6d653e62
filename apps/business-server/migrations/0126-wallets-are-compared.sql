-- The address on the ledger that a transaction pays or is paid from is compared with those of the lists.
alter table screened_names drop constraint screened_names_role_check;
alter table screened_names add constraint screened_names_role_check
  check (role in ('customer', 'organization', 'verified', 'payer', 'beneficiary', 'wallet'));
