-- What the financial intelligence unit gave to the anchor for its reports (goAML). The newest row counts.
create table report_settings (
  version bigint generated always as identity primary key,
  settings jsonb not null,
  -- The unit's own schema (XSD), and the name of its file.
  schema_name text,
  schema text,
  by text not null,
  at timestamptz(3) not null default clock_timestamp(),
  check ((schema_name is null) = (schema is null))
);
