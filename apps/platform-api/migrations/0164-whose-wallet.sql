-- Accounts with which customers signed in at an anchor that wait for the customer's word, and accounts that several
-- people share, which count at that anchor alone. A wallet of one's own that is confirmed is in wallets.
create table anchor_accounts (
  id text primary key,
  customer_id text not null references customers,
  anchor_id text not null references anchors,
  -- `G…`, `M…` or `C…`
  account text not null,
  -- Tells the people of a shared account apart; empty: none.
  memo text not null,
  status text not null check (status in ('waiting', 'confirmed', 'removed')),
  -- Whether the account proved itself by its login at the anchor.
  proven boolean not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  unique (customer_id, anchor_id, account, memo)
);
create index anchor_accounts_owner on anchor_accounts (anchor_id, account, memo, changed_at desc);

-- Links in emails that remove an account from its customer: each works once.
create table wallet_removals (
  token_hash bytea primary key,
  customer_id text not null references customers,
  account text not null,
  memo text not null,
  expires_at timestamptz not null
);
create index wallet_removals_customer on wallet_removals (customer_id);
create index wallet_removals_expiry on wallet_removals (expires_at);
