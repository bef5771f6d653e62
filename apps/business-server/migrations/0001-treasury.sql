-- What is promised out of the distribution account and not paid yet: firm quotes and deposits under way.
create table reservations (
  id text primary key,
  amount numeric(19,7) not null check (amount > 0),
  -- Absent: until it is paid or given up.
  expires_at timestamptz
);
