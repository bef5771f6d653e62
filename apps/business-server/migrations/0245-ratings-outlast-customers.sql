-- What a person said of a customer's risk counts for their wallet and their person after they deleted their data
-- (docs/adr/0155). These ratings have no customer any more.
alter table customer_ratings
  alter column customer_id drop not null,
  add column account text,
  add column memo text,
  -- Their id at the platform, where it was known.
  add column person text,
  add column left_at timestamptz(3),
  add check ((customer_id is null) = (account is not null)),
  add check ((customer_id is null) = (left_at is not null));
create index customer_ratings_account on customer_ratings (account) where customer_id is null;
create index customer_ratings_person on customer_ratings (person) where customer_id is null;
create index customer_ratings_left on customer_ratings (left_at) where customer_id is null;
