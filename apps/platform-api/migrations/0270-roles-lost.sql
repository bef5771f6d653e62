-- Who got a role after another person lost theirs approves nothing that needs two people for a week.
alter table organizations add column role_lost_at timestamptz;
