-- What a person alone said that a rail received is a difference from its day on: who said it, and until when the rail may
-- still confirm it, before which it is no alarm.
alter table reconciliation_differences
  add column said_by text,
  add column due_at timestamptz;
