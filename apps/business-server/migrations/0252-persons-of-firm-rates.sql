-- Whose firm rate it is: the person's id at the platform where it is known, else the account and its memo.
alter table firm_rates add column person text;
-- Whether their identity check was accepted when they asked.
alter table firm_rates add column is_verified boolean not null default false;
update firm_rates set person = concat_ws(' ', client_id, client_memo), is_verified = reserved
  where transfer_id is null and expires_at > now();
create index firm_rates_held on firm_rates (expires_at);
