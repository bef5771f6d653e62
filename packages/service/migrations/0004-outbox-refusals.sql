-- Messages whose recipient answers them in the same way whenever they come.
alter table outbox add column refused_code text;
alter table outbox add column refused_at timestamptz;
alter table outbox add constraint outbox_refused check ((refused_code is null) = (refused_at is null));
