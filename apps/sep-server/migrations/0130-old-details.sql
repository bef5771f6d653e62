-- What is removed when it is old enough is found without reading every transaction.
create index transactions_with_details on transactions (updated_at)
  where details is not null or fields <> '{}'::jsonb;
