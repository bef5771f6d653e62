-- Countries that the anchor does not serve, and those of which a person looks at each customer or account. The newest counts;
-- without one the defaults of the program.
create table country_rules (
  version bigint primary key generated always as identity,
  prohibited text[] not null,
  high_risk text[] not null,
  -- Whether customers say where they live before they can pay.
  asks_residence boolean not null,
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);

-- From which country's bank account a transaction was paid, as its statement says.
create table payer_countries (
  transfer_id uuid not null,
  country text not null,
  primary key (transfer_id, country)
);

-- A hit may be about a country: once for each customer or transaction, however often money moves.
alter table screening_hits
  add column country jsonb,
  add column country_key text,
  drop constraint screening_hits_of_name_or_rule,
  add constraint screening_hits_of_name_rule_or_country check (
    (name_id is not null and num_nulls(list, source, entry_id, entry_name, detail, score) = 0
      and num_nonnulls(velocity, country, country_key, transfer_id) = 0)
    or (name_id is null and transfer_id is not null and num_nonnulls(velocity, country) = 1
      and (country is null) = (country_key is null)));
create unique index screening_hits_country on screening_hits (country_key) where country_key is not null;
