-- What a customer is found by, as HMACs under a key that the database does not have (docs/adr/0136). Customers of an
-- earlier release are indexed by the server.
create table customer_search_key (
  only_one boolean primary key default true check (only_one),
  sealed bytea not null
);
create table customer_words (
  customer_id uuid not null references customers (id) on delete cascade,
  digest bytea not null,
  primary key (digest, customer_id)
);
create index customer_words_customer on customer_words (customer_id);
alter table customers add column indexed boolean not null default false;
create index customers_not_indexed on customers (id) where not indexed;

-- People look for a transaction by what is on a receipt or a statement.
create index transfers_amount on transfers (amount);
create index transfers_fiat_amount on transfers (fiat_amount);
