-- Who has a name: names are counted for a person, whatever accounts and memos they use (null: the account's own count).
alter table federation_names add column person text;
-- Whether the customer signed in with a muxed account (`M…`), which is another customer than its account with that memo.
alter table federation_names add column muxed boolean not null default false;
create index federation_names_of_person on federation_names (person) where person is not null;
