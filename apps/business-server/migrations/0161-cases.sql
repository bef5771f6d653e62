-- What people look into: hits of one customer or transaction, or a suspicion that somebody had.
create table cases (
  id uuid primary key default gen_random_uuid(),
  subject_kind text not null check (subject_kind in ('customer', 'transaction', 'payout')),
  subject_id text not null,
  state text not null default 'open' check (state in ('open', 'closed')),
  outcome text check (outcome in ('no-suspicion', 'reported', 'relationship-ended')),
  -- operator:<id>
  assignee text,
  due_on date not null,
  -- `screening`, or operator:<id>
  opened_by text not null,
  created_at timestamptz(3) not null default now(),
  closed_at timestamptz,
  check ((state = 'closed') = (outcome is not null)),
  check ((state = 'closed') = (closed_at is not null))
);
create unique index cases_open on cases (subject_kind, subject_id) where state = 'open';
create index cases_created on cases (created_at desc, id desc);

create table case_steps (
  id uuid primary key,
  case_id uuid not null references cases,
  kind text not null check (kind in ('opened', 'noted', 'planned', 'closed')),
  -- What somebody wrote, under DETAILS_KEY.
  sealed bytea,
  -- Whom it was given to and until when, or how it ended.
  details jsonb not null default '{}',
  by text not null,
  at timestamptz not null default clock_timestamp()
);
create index case_steps_case on case_steps (case_id, at);

alter table screening_hits add column case_id uuid references cases;
create index screening_hits_case on screening_hits (case_id);
create index screening_hits_loose on screening_hits (id) where case_id is null and state = 'waiting';

-- Each subject with hits that are not cleared has a case of its own.
with loose as (
  select h.id, coalesce(n.subject_kind, 'transaction') as kind, coalesce(n.subject_id, h.transfer_id::text) as subject
  from screening_hits h left join screened_names n on n.id = h.name_id
  where h.state in ('waiting', 'confirmed')
), opened as (
  insert into cases (subject_kind, subject_id, due_on, opened_by)
  select distinct kind, subject, current_date + 5, 'screening' from loose
  returning id, subject_kind, subject_id
)
update screening_hits h set case_id = o.id
  from loose l join opened o on o.subject_kind = l.kind and o.subject_id = l.subject where h.id = l.id;
