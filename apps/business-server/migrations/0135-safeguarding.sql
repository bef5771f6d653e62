-- What was owed to customers and what was there, by day, as the last look of the day found it (docs/adr/0120).
create table safeguarding_days (
  -- `YYYY-MM-DD`
  day text primary key,
  figures jsonb not null,
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);
create function refuse_earlier_day() returns trigger language plpgsql as $$
begin
  raise exception 'what a day showed is kept' using errcode = 'check_violation';
end $$;
create trigger kept before delete on safeguarding_days for each row execute function refuse_earlier_day();
