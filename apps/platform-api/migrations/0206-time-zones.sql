-- The time zone that the person with this address chose for their screens; without a row: that of each device.
create table time_zones (
  -- In lower case.
  address text primary key,
  time_zone text not null
);
