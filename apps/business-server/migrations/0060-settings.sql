-- What the operator sets for customers: fees, limits, rails, pauses, branding. The newest row counts.
create table business_settings (
  version bigint generated always as identity primary key,
  settings jsonb not null,
  -- `operator:<id>`
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);

create function refuse_to_change_history() returns trigger language plpgsql as $$
begin
  raise exception 'history is only added to' using errcode = 'check_violation';
end $$;
create trigger only_added before update or delete on business_settings for each row
execute function refuse_to_change_history();

create table logos (
  -- SHA-256 of the content, in hexadecimal digits.
  id text primary key check (id ~ '^[0-9a-f]{64}$'),
  media_type text not null check (media_type in ('image/png', 'image/jpeg')),
  content bytea not null check (length(content) <= 65536),
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);

-- The fees and limits that a transaction started with; null: those of the plan.
alter table transfers add column terms jsonb;
alter table firm_rates add column terms jsonb;
-- Of a quote for one delivery method.
alter table firm_rates add column rail text;

-- How far people are verified who are more than `standard`; the newest row of a person counts.
create table customer_tiers (
  id bigint generated always as identity primary key,
  central_id text not null,
  tier text not null check (tier in ('standard', 'enhanced')),
  reason text not null,
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);
create index customer_tiers_person on customer_tiers (central_id, id desc);
create trigger only_added before update or delete on customer_tiers for each row
execute function refuse_to_change_history();

-- For limits by day and month.
create index transfers_of_account on transfers (account, created_at);
