-- What came back over ACH is read too, as NACHA files have it.
alter table bank_statements drop constraint bank_statements_format_check;
alter table bank_statements add constraint bank_statements_format_check
  check (format in ('camt.053', 'camt.054', 'mt940', 'csv', 'ofx', 'nacha'));
