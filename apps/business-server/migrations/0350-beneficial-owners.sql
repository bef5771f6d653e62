-- Who owns or controls customers that are organizations. Nothing is changed: an owner ends, and another is entered.
create table beneficial_owners (
  id uuid primary key default gen_random_uuid(),
  customer_id uuid not null references customers (id) on delete cascade,
  -- Who it is and how that is known, under DETAILS_KEY.
  sealed bytea not null,
  by text not null,
  created_at timestamptz(3) not null,
  ended_by text,
  ended_at timestamptz(3),
  check ((ended_by is null) = (ended_at is null))
);
create index beneficial_owners_listed on beneficial_owners (created_at desc, id);
create index beneficial_owners_customer on beneficial_owners (customer_id);

-- A customer has several, each compared under their own name.
alter table screened_names add column owner_id uuid;
alter table screened_names drop constraint screened_names_role_check;
alter table screened_names add constraint screened_names_role_check
  check (role in ('customer', 'organization', 'verified', 'payer', 'beneficiary', 'wallet', 'owner'));
drop index screened_names_current;
create unique index screened_names_current on screened_names (subject_kind, subject_id, role, owner_id)
  nulls not distinct where replaced_at is null;

-- What identifies an anchor that sends direct payments, and its agreement.
alter table sending_anchors
  add column lei text,
  add column licence text,
  add column agreed_on date,
  add column ends_on date;
