-- What customers moved at other anchors, as the platform says it: without the anchors.
create table movements_elsewhere (
  -- The platform's number of it.
  id uuid primary key,
  -- The customer's id at the platform.
  person text not null,
  direction text not null check (direction in ('deposit', 'withdrawal')),
  currency text not null,
  amount numeric(19, 7) not null,
  at timestamptz(3) not null
);
create index movements_elsewhere_person on movements_elsewhere (person, at);

-- When the platform was last asked about all who moved money here.
create table elsewhere_asked (
  only_one boolean primary key default true check (only_one),
  at timestamptz(3) not null
);
