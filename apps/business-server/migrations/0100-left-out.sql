-- What of a bank's file does not count, for the person who reads it.
alter table bank_statements add column left_out jsonb not null default '[]';
