-- People of a part of the business, and those who read everything and change nothing.
alter table memberships drop constraint memberships_role_check,
  add constraint memberships_role_check
  check (role in ('owner', 'admin', 'member', 'compliance', 'finance', 'support', 'auditor'));

-- What an auditor read, once a day each: the log has it as well.
create table read_traces (
  user_id text not null references users,
  anchor_id text not null references anchors,
  -- `GET /api/v1/anchors/:anchorId/transactions/:id` with the id.
  what text not null,
  day date not null,
  primary key (user_id, anchor_id, day, what)
);

-- Not everyone may know of hits: notifications about them have a kind of their own.
update notifications set kind = 'compliance-waiting'
  where kind = 'review-waiting' and (subject = 'screening-hits' or subject like 'sanctions-list-%');
update notification_preferences set kinds = array_append(kinds, 'compliance-waiting')
  where 'review-waiting' = any (kinds);
