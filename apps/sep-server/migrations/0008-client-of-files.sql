-- Whose quota a file counts against while it waits: the account without its muxed id, and the client's network.
alter table customer_files add column base_account text;
alter table customer_files add column client text;
update customer_files set base_account = account where account like 'G%';
