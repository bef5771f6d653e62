-- Rows of a statement that are pending or failed: they are no money and are left out.
alter table bank_statements add column not_booked integer not null default 0;
