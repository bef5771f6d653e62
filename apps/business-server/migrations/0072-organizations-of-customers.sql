-- The organization of a customer who told a person's name too is compared with the lists.
alter table screened_names drop constraint screened_names_role_check;
alter table screened_names add constraint screened_names_role_check
  check (role in ('customer', 'organization', 'verified', 'payer', 'beneficiary'));
