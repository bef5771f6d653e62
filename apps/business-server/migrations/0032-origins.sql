-- The wallet's request that a transfer began with: {"requestId": "…", "traceparent": "…"}.
alter table transfers add column origin jsonb;
-- The request that a call follows from.
alter table platform_calls add column origin jsonb;
