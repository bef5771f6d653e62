-- Plans of whole transfers, from rail to rail, as they were answered.
create table transfer_plans (
  id uuid primary key,
  created_at timestamptz not null,
  plan jsonb not null
);
create index transfer_plans_created_at on transfer_plans (created_at);
