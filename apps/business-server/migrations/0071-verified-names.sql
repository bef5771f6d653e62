-- The name on the document of a person whom the platform accepted, sealed; null: nobody knows it.
alter table kyc_statuses add column sealed_name bytea;
-- That name is compared with the lists beside what the customer told.
alter table screened_names drop constraint screened_names_role_check;
alter table screened_names add constraint screened_names_role_check
  check (role in ('customer', 'verified', 'payer', 'beneficiary'));
