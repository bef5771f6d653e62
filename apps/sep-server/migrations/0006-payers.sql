-- Who really paid a withdrawal on the ledger, and what the customer has to hand in by SEP-12.
alter table transactions add column paid_by text;
alter table transactions add column customer_info_updates jsonb;
