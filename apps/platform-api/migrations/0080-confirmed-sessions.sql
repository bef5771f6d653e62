-- When its holder last proved again who they are; opening a session counts as well.
alter table sessions add column confirmed_at timestamptz not null default now();
