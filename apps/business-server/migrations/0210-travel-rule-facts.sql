-- The travel rule by corridor, proof of ownership of wallets, and what of a record was asked, proven or unknown.
alter table travel_rule_settings
  -- Where the anchor is; null: nobody said.
  add column country text check (country ~ '^[A-Z]{2}$'),
  -- [{country, threshold}], where another amount counts than the law of both sides asks for.
  add column corridors jsonb not null default '[]',
  -- In asset units: from it on a wallet that no provider holds is proven to be its person's; null: never.
  add column ownership_above numeric(19, 7) check (ownership_above >= 0),
  -- Whether money waits for the answer of a provider that is known.
  add column waits_for_answer boolean not null default true;

-- [{fact, known, by}]; null: an earlier release kept it.
alter table travel_rule_records add column facts jsonb;

-- Who proved at the platform that a wallet is theirs, of the wallets that transfers were paid to or came from.
create table wallet_owners (
  account text primary key,
  -- The person's id at the platform.
  person text not null,
  at timestamptz(3) not null
);
