-- Which release and key encrypt what customers sent, since when, and when everything was last encrypted so. One row.
create table sealing (
  one boolean primary key default true check (one),
  under text not null,
  since timestamptz not null default now(),
  done_at timestamptz
);
