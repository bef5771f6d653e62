-- A muxed account (M…) is a customer of its own: what the owner of the base account has proven does not count for it.
update customers set central_id = null where account like 'M%';
-- The API shows whole milliseconds. A column of that type rounds up, so a transfer could be updated before it was created.
alter table transfers alter column created_at set default date_trunc('milliseconds', clock_timestamp());
update transfers set updated_at = created_at where updated_at < created_at;

-- Whether a firm rate has its capacity reserved, and for whose wallet.
alter table firm_rates add column reserved boolean not null default true;
alter table firm_rates add column client_memo text;
alter table firm_rates add column client_domain text;
create index firm_rates_open on firm_rates (expires_at) where transfer_id is null;
