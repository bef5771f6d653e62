-- Health by day (UTC), kept longer than the checks. Hours are counted once: `health_counted` is where counting stopped.
create table health_days (
  anchor_id text not null,
  day date not null,
  good integer not null,
  checks integer not null,
  -- Of all checks of the day.
  latency_ms bigint not null,
  primary key (anchor_id, day)
);
create table health_counted (
  until timestamptz not null
);
create unique index health_counted_one on health_counted ((true));
insert into health_counted select date_trunc('hour', now() - interval '29 days');
