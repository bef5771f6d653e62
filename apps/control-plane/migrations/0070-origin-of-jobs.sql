-- The request that a job began with: {"requestId": "…", "traceparent": "…"}.
alter table jobs add column origin jsonb;
