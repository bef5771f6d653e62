-- What waits may have an officer's note: its body is under PLATFORM_KEY. Those of before are encrypted when the server starts.
alter table waiting_acts
  alter column body drop not null,
  add column sealed_body bytea;
