-- Accounts that signed in with a memo, or as a muxed account: many customers' may be one account, so an operator may ask
-- that each login names one of them. A row stays: without it the account would be let in without a memo again.
create table shared_accounts (
  account text primary key,
  since timestamptz not null default now()
);
insert into shared_accounts (account)
  select distinct account from transactions where account_memo is not null and account like 'G%';
