-- What the provider said last of each session: an older report of it that comes late ties nobody together.
alter table kyc_sessions add column status text;
alter table kyc_sessions add column completed_at timestamptz;
update kyc_sessions s set status = k.status, completed_at = k.completed_at
  from kyc_records k where k.session_id = s.session_id;
