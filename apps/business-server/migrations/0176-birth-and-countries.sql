-- Names are told apart by years of birth and countries, where both sides have them. A list that was loaded before has none until
-- its next version.
alter table sanctions_names
  add column born integer[] not null default '{}',
  -- ISO 3166-1, two letters. Empty: not known.
  add column countries text[] not null default '{}';

-- What else a customer told of who they are: day of birth and countries, as JSON.
alter table screened_names add column facts bytea;
