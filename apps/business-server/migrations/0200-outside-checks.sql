-- Programs that are asked about customers and wallets before money leaves (docs/adr/0158). Of each kind the newest counts.
create table outside_check_programs (
  id uuid primary key,
  kind text not null check (kind in ('person', 'wallet')),
  version int not null,
  -- Null: nothing is asked.
  url text,
  sealed_secret bytea,
  by text not null,
  at timestamptz(3) not null default clock_timestamp(),
  unique (kind, version),
  check ((url is null) = (sealed_secret is null))
);

-- What was asked, under the hash of the question, and what was answered.
create table outside_check_answers (
  id uuid primary key,
  kind text not null check (kind in ('person', 'wallet')),
  program uuid not null references outside_check_programs (id),
  digest bytea not null,
  answer text not null check (answer in ('clear', 'found')),
  -- Evidence and reference, under DETAILS_KEY.
  sealed bytea not null,
  answered_at timestamptz(3) not null
);
create index outside_check_answers_question on outside_check_answers (digest, answered_at desc);
create index outside_check_answers_kind on outside_check_answers (kind, answered_at desc);

-- A hit may be about an answer, as it may be about a country.
alter table screening_hits
  add column outside jsonb,
  drop constraint screening_hits_of_name_rule_or_country,
  add constraint screening_hits_of_one check (
    (name_id is not null and num_nulls(list, source, entry_id, entry_name, detail, score) = 0
      and num_nonnulls(velocity, country, outside, country_key, transfer_id) = 0)
    or (name_id is null and transfer_id is not null and num_nonnulls(velocity, country, outside) = 1
      and (velocity is not null) = (country_key is null)));
