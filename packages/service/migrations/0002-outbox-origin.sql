-- The request that a message follows from: {"requestId": "…", "traceparent": "…"}.
alter table outbox add column origin jsonb;
