-- The anchor that a session was started for; null: the customer started it at the platform itself.
alter table kyc_sessions add column anchor_id text references anchors (id);

-- Customers that came to an anchor: its secret reads and changes nobody else.
create table anchor_visits (
  anchor_id text not null references anchors (id),
  customer_id text not null references customers (id),
  first_at timestamptz not null default now(),
  primary key (anchor_id, customer_id)
);

-- Wallets that logged in at an anchor (SEP-10), as the signed challenge proved.
create table anchor_logins (
  anchor_id text not null references anchors (id),
  address text not null,
  first_at timestamptz not null default now(),
  primary key (anchor_id, address)
);

-- What was proven before: logins that proved a wallet, by the customers who linked it.
insert into anchor_visits (anchor_id, customer_id)
  select distinct p.anchor_id, w.customer_id from login_proofs p join wallets w on w.id = p.wallet_id;
insert into anchor_logins (anchor_id, address)
  select distinct p.anchor_id, w.address from login_proofs p join wallets w on w.id = p.wallet_id;
