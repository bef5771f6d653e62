-- How often and how much customers and bank accounts move, and the rules that hold what is too much.

create table velocity_rules (
  version bigint primary key generated always as identity,
  rules jsonb not null,
  by text not null,
  at timestamptz(3) not null default clock_timestamp()
);

-- Each transfer once, when its money is about to leave for the first time.
create table velocity_movements (
  transfer_id uuid primary key,
  direction text not null check (direction in ('deposit', 'withdrawal')),
  amount numeric(19, 7) not null,
  customer text not null,
  -- Null: too old for any rule.
  at timestamptz(3)
);
create index velocity_movements_at on velocity_movements (at) where at is not null;

-- Under which customers and bank accounts a transfer is counted.
create table velocity_parties (
  kind text not null check (kind in ('customer', 'account')),
  key text not null,
  transfer_id uuid not null,
  primary key (kind, key, transfer_id)
);
create index velocity_parties_transfer on velocity_parties (transfer_id);

-- Bank accounts are kept as their HMAC under this key.
create table velocity_key (
  only_one boolean primary key default true check (only_one),
  sealed bytea not null
);

-- A hit of a rule is about no name.
alter table screening_hits
  add column velocity jsonb,
  alter column name_id drop not null,
  alter column list drop not null,
  alter column source drop not null,
  alter column entry_id drop not null,
  alter column entry_name drop not null,
  alter column detail drop not null,
  alter column score drop not null,
  add column transfer_id uuid,
  add constraint screening_hits_of_name_or_rule check (
    (velocity is null and transfer_id is null and num_nulls(name_id, list, source, entry_id, entry_name, detail, score) = 0)
    or (num_nulls(velocity, transfer_id, name_id) = 1 and name_id is null));
create index screening_hits_transfer on screening_hits (transfer_id) where transfer_id is not null;

-- What held payments wait for is no longer a name alone.
update ledger_payments set waits_for = 'An operator must decide about a hit of compliance screening.'
  where waits_for = 'An operator must decide about a name like one on a sanctions list.';
update rail_orders set waits_for = 'An operator must decide about a hit of compliance screening.'
  where waits_for = 'An operator must decide about a name like one on a sanctions list.';
