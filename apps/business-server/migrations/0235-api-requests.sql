-- What keys asked of the API of developers: for those who look for their program's fault. No evidence, so a crash may lose
-- the last seconds. Neither bodies nor ids of what was asked for.
create table api_requests (
  id bigint generated always as identity primary key,
  key_id text not null,
  method text not null,
  -- The endpoint's, with the names of its parameters.
  path text not null,
  status integer not null,
  duration_ms integer not null,
  request_id text not null,
  created_at timestamptz not null
);
create index api_requests_newest on api_requests (created_at desc, id);
