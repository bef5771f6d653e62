-- How often a job continued by itself since it was last retried, and when it did so last, until a retry finds that.
alter table jobs add column resumes integer not null default 0;
alter table jobs add column resumed_at timestamptz;
