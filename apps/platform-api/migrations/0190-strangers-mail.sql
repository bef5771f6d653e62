-- Whether someone has ever signed in with the address or followed a link sent to it, and when they were last mailed that they
-- were added to a team. Who never did is mailed once a week at most, whoever adds them.
alter table users add column confirmed_at timestamptz, add column invited_at timestamptz;
update users set confirmed_at = created_at;
