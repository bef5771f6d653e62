-- Years of records of payments, and of cases and registers; null: those that count until someone sets some.
alter table retention_rules
  add column payment_record_years int check (payment_record_years between 1 and 10),
  add column case_record_years int check (case_record_years between 1 and 10);
alter table removals
  drop constraint removals_kind_check,
  add constraint removals_kind_check check (kind in ('customer', 'travel-record', 'snapshot', 'bank-line', 'bank-file',
    'payout-file', 'account', 'transaction-note', 'case', 'register-entry', 'outside-answer', 'screened-name'));

-- What a record says of people goes when its years are over, and when it went stays. Its amounts, days and hashes stay.
alter table bank_lines
  alter column sealed drop not null,
  add column removed_at timestamptz(3),
  add constraint bank_lines_removed check ((sealed is null) = (removed_at is not null));
create index bank_lines_kept on bank_lines (booked_on, id) where removed_at is null;
create index bank_lines_of_transfer on bank_lines (transfer_id) where transfer_id is not null;

alter table bank_statement_files
  alter column sealed drop not null,
  add column removed_at timestamptz(3),
  add constraint bank_statement_files_removed check ((sealed is null) = (removed_at is not null));

alter table payout_files
  alter column sealed drop not null,
  add column removed_at timestamptz(3),
  add constraint payout_files_removed check ((sealed is null) = (removed_at is not null));

alter table return_accounts alter column sealed drop not null;

alter table transfers add column account_removed_at timestamptz(3);
create index transfers_with_account on transfers (updated_at)
  where account_removed_at is null and (sealed_destination is not null or destination <> '{}');

alter table case_steps add column removed_at timestamptz(3);

alter table register_entries
  alter column sealed_title drop not null,
  add column removed_at timestamptz(3),
  add constraint register_entries_removed check ((sealed_title is null) = (removed_at is not null));
alter table register_steps alter column sealed drop not null;

alter table screened_names
  alter column sealed drop not null,
  add column removed_at timestamptz(3),
  add constraint screened_names_removed check ((sealed is null) = (removed_at is not null));
